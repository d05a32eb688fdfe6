import type { IpcMainEvent, IpcMainInvokeEvent, WebContents } from 'electron';
import type { Check } from './shapes.std';

/** Which page may send on a facade's channels. */
export interface Sender {
  contents: WebContents;
  /** Whether a main frame at this address is the page that was loaded there. */
  at: (url: string) => boolean;
}

/**
 * The only way from a page to this program. A channel belongs to one page; a message
 * counts when that page's main frame sent it from its own address, and when its
 * arguments pass. All else is refused, and said in the log without its content.
 */
export class Facade {
  constructor(
    private readonly sender: Sender,
    private readonly log: (line: string) => void,
  ) {}

  /** For what is asked: the page gets the answer, or an error that tells nothing. */
  answers<T>(channel: string, check: Check<T>, run: (v: T) => unknown): void {
    this.sender.contents.ipc.handle(channel, (e, ...args: unknown[]) => {
      const read = this.#admit(e, channel, check, args);
      if (read === null) throw new Error('refused');
      return run(read.value);
    });
  }

  /** For what is said. */
  hears<T>(channel: string, check: Check<T>, run: (v: T) => void): void {
    this.sender.contents.ipc.on(channel, (e, ...args: unknown[]) => {
      const read = this.#admit(e, channel, check, args);
      if (read !== null) run(read.value);
    });
  }

  #admit<T>(
    e: IpcMainEvent | IpcMainInvokeEvent,
    channel: string,
    check: Check<T>,
    args: unknown[],
  ): { value: T } | null {
    const frame = e.senderFrame; // null once it is gone
    const right =
      frame !== null && e.sender === this.sender.contents && frame === e.sender.mainFrame && this.sender.at(frame.url);
    const read = right ? check(args) : null;
    if (read === null) this.log(`refused a message on ${channel}: ${right ? 'its arguments' : 'its sender'}`);
    return read;
  }
}
