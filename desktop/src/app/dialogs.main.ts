import { writeFile } from 'node:fs/promises';
import { dialog, type BaseWindow } from 'electron';
import type { Words } from './words.std';

/** The native dialogs. Each says what happened and offers what can be done. */
export class Dialogs {
  /** The language may change while the app runs. */
  constructor(
    private readonly base: BaseWindow,
    private readonly words: () => Words,
  ) {}

  async open(): Promise<string[]> {
    const filters = [{ name: this.words().pages, extensions: ['html', 'htm'] }];
    return (await dialog.showOpenDialog(this.base, { properties: ['openFile'], filters })).filePaths;
  }

  /** Saves where a person chose; false: they thought better of it, or it did not work, which is said. */
  async save(name: string, bytes: ArrayBuffer): Promise<boolean> {
    const to = await dialog.showSaveDialog(this.base, { defaultPath: name });
    if (to.canceled || to.filePath === '') return false;
    try {
      await writeFile(to.filePath, new Uint8Array(bytes));
      return true;
    } catch (e) {
      await this.#say('error', this.words().notSaved, e instanceof Error ? e.message : '', [this.words().ok]);
      return false;
    }
  }

  tell(what: 'notOpened' | 'unknownDocument' | 'restored'): void {
    const w = this.words();
    void this.#say('info', w[what], what === 'unknownDocument' ? '' : w[`${what}Why`], [w.ok]);
  }

  about(version: string, unsigned: boolean): void {
    void this.#say('info', `Proofmark ${version}`, unsigned ? this.words().unsigned : '', [this.words().ok]);
  }

  /** True: load the page again. */
  async hangs(): Promise<boolean> {
    const w = this.words();
    return (await this.#say('warning', w.hangs, w.hangsWhy, [w.wait, w.loadAgain])) === 1;
  }

  /** True: stop what works and quit. */
  async quitWhileWorking(): Promise<boolean> {
    const w = this.words();
    return (await this.#say('warning', w.working, w.workingWhy, [w.keepWorking, w.stopAndQuit])) === 1;
  }

  /** True: another try. */
  async gone(said: string): Promise<boolean> {
    const w = this.words();
    return (await this.#say('error', w.gone, `${w.goneWhy}\n\n${said.slice(-1_500)}`, [w.again, w.quit])) === 0;
  }

  async #say(type: 'info' | 'warning' | 'error', message: string, detail: string, buttons: string[]): Promise<number> {
    const answer = await dialog.showMessageBox(this.base, {
      type,
      message,
      detail,
      buttons,
      defaultId: 0,
      cancelId: type === 'error' ? buttons.length - 1 : 0,
      noLink: true,
    });
    return answer.response;
  }
}
