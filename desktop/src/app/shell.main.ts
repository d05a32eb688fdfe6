import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { app, Menu, screen, type MenuItemConstructorOptions } from 'electron';
import { Child } from '../gatewayproc/child.node';
import { Client } from '../gatewayproc/client.node';
import { Keeper } from '../gatewayproc/keeper.node';
import type { Ready } from '../gatewayproc/lines.std';
import { trustedProgram } from '../gatewayproc/trust.node';
import { isWorkbench } from '../guard/rules.std';
import { channels } from '../ipc/channels.std';
import { Facade } from '../ipc/facade.main';
import type { Hello, Language } from '../ipc/desktop.std';
import { cardArgs, nothing, pathArgs, placeArgs, saveArgs, stateArgs } from '../ipc/shapes.std';
import { electronStage } from '../preview/stage.main';
import { startRelay } from '../relay/relay.node';
import { AppWindow } from '../shell/window.main';
import { asked, handedOver } from './arguments.std';
import { Dialogs } from './dialogs.main';
import { pagesOf } from './files.node';
import { menu, type Does, type Entry } from './menu.std';
import { keptState, openAt } from './windowstate.std';
import { wordsFor } from './words.std';

/** What the package says of itself; an app that is run from its folder is not signed. */
function isSigned(): boolean {
  const about = JSON.parse(readFileSync(join(app.getAppPath(), 'package.json'), 'utf8')) as { unsigned?: unknown };
  return about.unsigned === false;
}

/** How long a workbench that is closed has to hand in what was typed last. */
const lastWords = 1_000;
/** How long all of it may take. */
const longest = 10_000;

/** The app: one gateway, one window, and what comes from outside. */
export class Shell {
  #window: AppWindow | null = null;
  #dialogs: Dialogs | null = null;
  #client: Client | null = null;
  #keeper: Keeper | null = null;
  #language: Language = 'en';
  #commands = new Map<string, boolean>();
  #recent: { id: string; name: string }[] = [];
  /** A workbench is there that opens what it is told to. */
  #greeted = false;
  /** Asked for before there was one. */
  readonly #early: (() => void)[] = [];
  #leaving = false;
  #asking = false;
  #hangs = false;
  #crashes: number[] = [];
  /** The workbench has handed in what was typed. */
  #left: () => void = () => undefined;

  constructor(private readonly log: (line: string) => void) {}

  /** Takes what the system sends from the first moment on. */
  listen(): void {
    app.on('second-instance', (_e, _argv, _folder, data) => {
      const given = handedOver(data);
      if (given !== null) this.#outside(given.args, given.folder);
      const base = this.#window?.base;
      if (base?.isMinimized() === true) base.restore();
      base?.show();
      base?.focus();
    });
    app.on('open-file', (e, path) => {
      e.preventDefault();
      this.#outside([path], '/');
    });
    app.on('open-url', (e, url) => {
      e.preventDefault();
      this.#outside([url], '/');
    });
    app.on('window-all-closed', () => undefined); // leave() ends the app
    app.on('before-quit', (e) => {
      e.preventDefault();
      void this.leave();
    });
  }

  start(args: string[], folder: string): void {
    this.#language = app.getLocale().startsWith('zh') ? 'zh' : 'en';
    const kept = this.#keptWindow();
    const window = new AppWindow(
      openAt(
        kept,
        screen.getAllDisplays().map((d) => d.workArea),
      ),
      {
        log: this.log,
        unresponsive: () => void this.#pageHangs(),
      },
    );
    if (kept?.maximized === true) window.base.maximize();
    this.#window = window;
    this.#dialogs = new Dialogs(window.base, () => wordsFor(this.#language));
    window.base.on('close', (e) => {
      e.preventDefault();
      void this.leave();
    });
    window.workbench.webContents.on('render-process-gone', () => void this.#workbenchGone());
    this.#serve(window);
    this.#setMenu();
    this.#outside(args, folder);
    this.#keeper = new Keeper({
      start: () => this.#startGateway(window),
      up: (ready) => void this.#up(ready),
      down: () => this.#down(),
      gaveUp: async (said) => {
        const again = await this.#dialogs?.gone(said);
        if (again !== true) app.exit(1);
        return again === true;
      },
    });
    void this.#keeper.run();
  }

  /** Each gateway has a relay of its own, whose address and token nobody else is told. */
  async #startGateway(window: AppWindow): Promise<{ child: Child; ready: Ready }> {
    const name = process.platform === 'win32' ? 'proofmark.exe' : 'proofmark';
    const unpackaged = process.env['PROOFMARK_GATEWAY'] ?? join(app.getAppPath(), '..', 'bin', name);
    const program = app.isPackaged ? join(process.resourcesPath, 'bin', name) : unpackaged;
    const trusted = await trustedProgram(program, app.isPackaged);
    const relay = await startRelay({
      stage: electronStage(window),
      product: `Electron/${process.versions.electron}`,
      browser: `Chrome/${process.versions.chrome}`,
    });
    try {
      const started = await Child.start({
        program: trusted,
        relay: { url: relay.url, token: relay.token },
        env: process.env,
        onGrant: (g) => this.#client?.take(g),
      });
      void started.child.ended.then(() => relay.close());
      // Without it no page can be shown any more, and a relay is for one client: another gateway gets another.
      void relay.lost.then(() => started.child.stop());
      return started;
    } catch (e) {
      await relay.close();
      throw e;
    }
  }

  async #up(ready: Ready): Promise<void> {
    this.#client = new Client(ready);
    await this.#window?.load(this.#client.origin).catch(() => this.log('the workbench did not load'));
    await this.#readRecent();
  }

  #down(): void {
    this.#greeted = false;
    this.#client?.close();
    this.#client = null;
    this.#window?.place(null);
    this.#window?.card(null);
  }

  /** What the workbench may ask for, and nothing else. */
  #serve(window: AppWindow): void {
    const facade = new Facade(
      { contents: window.workbench.webContents, at: (url) => isWorkbench(url, window.origin) },
      this.log,
    );
    facade.answers(channels.hello, nothing, () => this.#hello());
    facade.answers(channels.token, nothing, () => {
      if (this.#client === null) throw new Error('no gateway');
      return this.#client.uiToken();
    });
    facade.answers(channels.still, nothing, () => window.still());
    facade.answers(channels.save, saveArgs, ({ name, bytes }) => this.#dialogs?.save(name, bytes) ?? false);
    facade.hears(channels.left, nothing, () => this.#left());
    facade.hears(channels.place, placeArgs, (p) => window.place(p));
    facade.hears(channels.card, cardArgs, (c) => window.card(c));
    facade.hears(channels.openDialog, nothing, () => void this.#askForPage());
    facade.hears(channels.dropped, pathArgs, (path) => void this.#openPages([path], '/'));
    facade.hears(channels.state, stateArgs, (s) => {
      const other = window.base.getTitle() !== s.title;
      window.state(s);
      if (other) void this.#readRecent(); // another document, perhaps a new one
      this.#language = s.language;
      this.#commands = new Map(s.commands.map((c) => [c.id, c.enabled]));
      this.#setMenu();
    });
  }

  async #hello(): Promise<Hello> {
    if (this.#client === null) throw new Error('no gateway');
    const features = await this.#client.features();
    this.#greeted = true;
    for (const ask of this.#early.splice(0)) ask();
    return { host: 'desktop', protocol: this.#client.ready.protocol, features };
  }

  /** Opens what a command line, a link or another program asked for. None of it is trusted. */
  #outside(args: readonly string[], folder: string): void {
    const { files, documents } = asked(args);
    const go = () => {
      if (files.length > 0) void this.#openPages(files, folder);
      for (const id of documents) void this.#openDocument(id);
    };
    if (!this.#greeted) this.#early.push(go);
    else go();
  }

  async #askForPage(): Promise<void> {
    const chosen = (await this.#dialogs?.open()) ?? [];
    if (chosen.length > 0) await this.#openPages(chosen, '/');
  }

  async #openPages(names: readonly string[], folder: string): Promise<void> {
    const pages = await pagesOf(names, folder);
    if (pages.length < names.length) this.#dialogs?.tell('notOpened');
    for (const path of pages) {
      this.#window?.tell('open', path);
      app.addRecentDocument(path);
    }
  }

  async #openDocument(id: string): Promise<void> {
    if ((await this.#client?.knows(id)) === true) await this.#window?.go(id);
    else this.#dialogs?.tell('unknownDocument');
  }

  async #readRecent(): Promise<void> {
    this.#recent = (await this.#client?.recent().catch(() => [])) ?? [];
    this.#setMenu();
  }

  #setMenu(): void {
    const template = menu({
      mac: process.platform === 'darwin',
      words: wordsFor(this.#language),
      commands: this.#commands,
      recent: this.#recent,
    });
    Menu.setApplicationMenu(Menu.buildFromTemplate(template.map((e) => this.#item(e))));
  }

  #item({ does, submenu, ...rest }: Entry): MenuItemConstructorOptions {
    return {
      ...rest,
      ...(submenu !== undefined && { submenu: submenu.map((e) => this.#item(e)) }),
      ...(does !== undefined && { click: () => this.#do(does) }),
    };
  }

  #do(what: Does): void {
    const contents = this.#window?.workbench.webContents;
    if ('command' in what) this.#window?.tell('command', what.command);
    else if ('document' in what) void this.#openDocument(what.document);
    else if (what.app === 'open') void this.#askForPage();
    else if (what.app === 'about') this.#dialogs?.about(app.getVersion(), !isSigned());
    else if (what.app === 'larger') contents?.setZoomLevel(Math.min(4, contents.getZoomLevel() + 0.5));
    else if (what.app === 'smaller') contents?.setZoomLevel(Math.max(-2, contents.getZoomLevel() - 0.5));
    else if (what.app === 'actual') contents?.setZoomLevel(0);
    else void this.leave();
  }

  async #pageHangs(): Promise<void> {
    if (this.#hangs || this.#leaving) return; // it is asked already
    this.#hangs = true;
    if ((await this.#dialogs?.hangs()) === true) this.#window?.endPage();
    this.#hangs = false;
  }

  /** The workbench holds nothing that the gateway has not: it is loaded again. */
  async #workbenchGone(): Promise<void> {
    if (this.#leaving || this.#window === null || this.#client === null) return;
    this.#greeted = false;
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < 60_000), now];
    if (this.#crashes.length > 3) {
      if ((await this.#dialogs?.gone('the workbench keeps ending')) !== true) {
        app.exit(1);
        return;
      }
      this.#crashes = [];
    }
    await this.#window.load(this.#client.origin).catch(() => undefined);
    this.#dialogs?.tell('restored');
  }

  /** Ends the app: asks a person where a turn works, lets the workbench hand in what was typed, ends the gateway. */
  async leave(ask = true): Promise<void> {
    if (ask && !(await this.#mayLeave())) return;
    if (this.#leaving) return;
    this.#leaving = true;
    setTimeout(() => {
      this.#keeper?.kill(); // whatever does not answer
      app.exit(1);
    }, longest);
    this.#keepWindow();
    await this.#closeWorkbench();
    await this.#client?.shutdown().catch(() => undefined);
    await this.#keeper?.stop();
    app.exit(0);
  }

  async #mayLeave(): Promise<boolean> {
    if (this.#asking || this.#leaving) return false;
    this.#asking = true;
    try {
      const running = (await this.#client?.running().catch(() => 0)) ?? 0;
      return running === 0 || (await this.#dialogs?.quitWhileWorking()) === true;
    } finally {
      this.#asking = false;
    }
  }

  async #closeWorkbench(): Promise<void> {
    const contents = this.#window?.workbench.webContents;
    if (contents === undefined || contents.isDestroyed()) return;
    // It goes to an empty page rather than be closed: Electron 33 waits for no timer and
    // no child process of ours any more once a view's page was closed on the way out.
    const left = new Promise<void>((resolve) => (this.#left = resolve));
    contents.send(channels.leave);
    await Promise.race([left, sleep(lastWords)]);
    await Promise.race([contents.loadURL('about:blank').catch(() => undefined), sleep(lastWords)]);
  }

  get #windowFile(): string {
    return join(app.getPath('userData'), 'window.json');
  }

  #keptWindow(): ReturnType<typeof keptState> {
    try {
      return keptState(readFileSync(this.#windowFile, 'utf8'));
    } catch {
      return null; // the first start
    }
  }

  #keepWindow(): void {
    const base = this.#window?.base;
    if (base === undefined) return;
    try {
      mkdirSync(app.getPath('userData'), { recursive: true });
      writeFileSync(this.#windowFile, JSON.stringify({ ...base.getNormalBounds(), maximized: base.isMaximized() }));
    } catch {
      this.log('the window is not remembered');
    }
  }
}
