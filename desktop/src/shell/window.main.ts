import { join } from 'node:path';
import { BaseWindow, nativeTheme, screen, session, View, WebContentsView, type Rectangle } from 'electron';
import { allowNavigation, hardened, lockSession } from '../guard/contents.main';
import { documentHash, isWorkbench, mayLoad } from '../guard/rules.std';
import { channels } from '../ipc/channels.std';
import type { Card, CardSaid, FrameState, Place } from '../ipc/desktop.std';
import { Overlay } from '../overlay/overlay.main';
import type { PreviewRoom } from '../preview/room.main';
import { watchAnswers } from './answers.main';
import { asks, sentKey, sharedCommand, typesText } from './keys.std';
import { arrange, inWindow } from './zoom.std';

const mac = process.platform === 'darwin';
/** How long the browser takes until it picks, in ms. */
const armed = 100;
/** Within this time a press follows the keyboard that it moves, in ms. */
const press = 30;
/** How long the gateway takes to hear that a page is gone, in ms. */
const settle = 500;

export interface WindowEvents {
  log: (line: string) => void;
  /** The page does not answer. */
  unresponsive: () => void;
}

/** The one window: the workbench, the page in its room, and the card above both. */
export class AppWindow implements PreviewRoom {
  readonly base: BaseWindow;
  readonly workbench: WebContentsView;
  readonly overlay: Overlay;
  /** Clips the page. */
  readonly #room = new View();
  #origin = '';
  /** The fragment of the document that is shown. */
  #shown = '';
  #preview: WebContentsView | null = null;
  #inspecting = false;
  /** When a person last did what may give the keyboard to the page. */
  #wanted = 0;
  /** The page has the keyboard, and nobody is known to have given it. */
  #unasked = false;
  /** A person has given it, and nothing else of the window's had it since. */
  #given = false;
  /** The page is to be loaded again once it has ended. */
  #reloads = false;
  #place: Place | null = null;
  #frame: FrameState | null = null;
  readonly #e: WindowEvents;

  constructor(bounds: Partial<Rectangle>, events: WindowEvents) {
    this.#e = events;
    this.base = new BaseWindow({
      width: 1280,
      height: 800,
      ...bounds,
      minWidth: 640,
      minHeight: 420,
      title: 'Proofmark',
      icon: join(__dirname, 'icon.png'), // Linux; elsewhere it is the package's
      backgroundColor: nativeTheme.shouldUseDarkColors ? '#17191d' : '#ffffff',
    });
    const own = session.fromPartition('workbench'); // in memory
    lockSession(own, (url) => mayLoad(url, this.#origin), true);
    this.workbench = new WebContentsView({
      webPreferences: { ...hardened, session: own, preload: join(__dirname, 'shell.preload.cjs') },
    });
    allowNavigation(this.workbench.webContents, (url) => isWorkbench(url, this.#origin));
    this.overlay = new Overlay((m) => this.#said(m), events.log);
    for (const v of [this.workbench, this.#room, this.overlay.view]) this.base.contentView.addChildView(v);
    this.#room.setVisible(false);
    this.workbench.webContents.on('did-navigate-in-page', (_e, url, main) => {
      if (main && isWorkbench(url, this.#origin)) this.#shown = documentHash(url);
    });
    // The menu bar takes its part of the window later than the window is made.
    this.base.contentView.on('bounds-changed', () => this.#fill());
    this.#watchKeys(this.overlay.view.webContents);
    this.workbench.webContents.on('before-input-event', (_e, input) => {
      if (input.key === 'Tab') this.#wanted = Date.now();
    });
    // A window that gets the keyboard gives it to nobody in it, where nobody had it before.
    this.base.on('focus', () => this.#giveKeyboard());
    this.#fill();
  }

  get origin(): string {
    return this.#origin;
  }

  /** Loads the workbench of a gateway; a document that was open is opened there again. */
  async load(origin: string): Promise<void> {
    this.#origin = origin;
    this.place(null);
    this.card(null);
    await this.workbench.webContents.loadURL(`${origin}/${this.#shown}`);
    this.#giveKeyboard();
  }

  #giveKeyboard(): void {
    const all = [this.workbench, this.overlay.view, this.#preview].map((v) => v?.webContents);
    if (this.base.isFocused() && !all.some((c) => c?.isDestroyed() === false && c.isFocused()))
      this.workbench.webContents.focus();
  }

  /** Has the workbench show another document, which it does without being loaded again. */
  async go(documentId: string): Promise<void> {
    await this.workbench.webContents.loadURL(`${this.#origin}/#/d/${documentId}`);
  }

  tell(channel: 'command' | 'open', words: string): void {
    this.workbench.webContents.send(channels[channel], words);
  }

  place(p: Place | null): void {
    this.#place = p;
    this.#arrange();
    if (p?.visible === true) return;
    // What lies over the page has the keyboard.
    const page = this.#preview?.webContents;
    if (page?.isDestroyed() === false && page.isFocused()) this.workbench.webContents.focus();
  }

  card(card: Card | null): void {
    const had = this.overlay.shown && this.overlay.view.webContents.isFocused();
    if (card === null) {
      this.overlay.show(null);
      if (had) this.workbench.webContents.focus();
      return;
    }
    const rect = inWindow(card.rect, this.#zoom);
    const { theme = nativeTheme.shouldUseDarkColors ? 'dark' : 'light', language = 'en' } = this.#frame ?? {};
    if (this.overlay.show({ card: { ...card, rect }, theme, language })) this.overlay.view.webContents.focus();
  }

  state(s: FrameState): void {
    this.#frame = s;
    this.base.setTitle(s.title === '' ? 'Proofmark' : s.title);
    this.base.setBackgroundColor(s.theme === 'dark' ? '#17191d' : '#ffffff');
  }

  /** The page as it looks now. */
  async still(): Promise<ArrayBuffer | null> {
    if (this.#preview === null || this.#place === null) return null;
    const image = await this.#preview.webContents.capturePage();
    if (image.isEmpty()) return null;
    return new Uint8Array(image.toJPEG(85)).buffer;
  }

  show(view: WebContentsView): void {
    this.#preview = view;
    this.#inspecting = this.#given = this.#unasked = false;
    const { webContents } = view;
    webContents.on('before-input-event', (e, input) => {
      if (!this.#inspecting && (!this.#unasked || sharedCommand(input, mac) !== null)) return;
      // No key is lost on its way to who has the keyboard by right.
      e.preventDefault();
      if (this.#inspecting) this.#takeKeyboard();
      this.#typist.sendInputEvent({ type: input.type === 'keyUp' ? 'keyUp' : 'keyDown', ...sentKey(input) });
      if (typesText(input)) this.#typist.sendInputEvent({ type: 'char', ...sentKey(input) });
    });
    this.#watchKeys(webContents);
    webContents.on('focus', () => {
      if (this.#inspecting) this.#takeKeyboard();
      else this.#lend(view);
    });
    webContents.on('blur', () => {
      if (this.base.isFocused()) this.#given = false; // else the window has lost it, and gives it back
    });
    webContents.on('input-event', (_e, input) => {
      if (input.type !== 'mouseDown') return;
      this.#wanted = Date.now();
      this.#unasked = false;
      this.#given = !this.#inspecting;
      if (!this.#inspecting) {
        webContents.focus();
        return;
      }
      const adds = (input.modifiers ?? []).some((m) => /^(shift|control|ctrl|meta)$/.test(m));
      this.workbench.webContents.send(channels.press, { adds });
    });
    // A new address has the zoom of its own host, until it is told another.
    webContents.on('did-navigate', () => this.#arrange());
    watchAnswers(webContents, () => this.#e.unresponsive());
    webContents.on('render-process-gone', () => this.#arrange());
    webContents.on('did-finish-load', () => this.#arrange());
    this.#room.addChildView(view);
    this.#arrange();
  }

  leave(view: WebContentsView): void {
    this.#room.removeChildView(view);
    if (this.#preview !== view) return;
    const focused = !view.webContents.isDestroyed() && view.webContents.isFocused();
    this.#preview = null;
    this.#inspecting = false;
    if (this.#reloads) setTimeout(() => this.tell('command', 'page.reload'), settle);
    this.#reloads = false;
    if (focused) this.workbench.webContents.focus();
    this.#arrange();
  }

  inspecting(view: WebContentsView, on: boolean): void {
    if (this.#preview !== view) return;
    this.#inspecting = on;
    if (on && view.webContents.isFocused()) this.#takeKeyboard();
    if (on) setTimeout(() => this.#rest(view), armed);
  }

  /** A page that hangs is ended; the workbench loads it again. */
  endPage(): void {
    if (this.#preview === null) return;
    this.#reloads = true;
    this.#preview.webContents.forcefullyCrashRenderer();
  }

  /**
   * The browser picks what the mouse was moved over. A mouse that rested there before
   * one pointed has not moved since: its press would be the page's.
   */
  #rest(view: WebContentsView): void {
    if (this.#preview !== view || !this.#inspecting || view.webContents.isDestroyed()) return;
    const at = screen.getCursorScreenPoint();
    const [window, room, page] = [this.base.getContentBounds(), this.#room.getBounds(), view.getBounds()];
    const x = at.x - window.x - room.x;
    const y = at.y - window.y - room.y;
    if (x < 0 || y < 0 || x >= room.width || y >= room.height) return;
    view.webContents.sendInputEvent({ type: 'mouseMove', x: x - page.x, y: y - page.y });
  }

  /** Who has the keyboard when the page has not: the card where one writes in it, else the workbench. */
  get #typist(): Electron.WebContents {
    return (this.overlay.writes ? this.overlay.view : this.workbench).webContents;
  }

  #takeKeyboard(): void {
    this.#unasked = false;
    this.#typist.focus();
  }

  /**
   * Electron 33 gives a page the keyboard whenever one is loaded. Only a person's press or Tab does: what is typed until
   * that is known is not the page's.
   */
  #lend(view: WebContentsView): void {
    this.#unasked = !this.#given && Date.now() - this.#wanted > press;
    if (!this.#unasked) return;
    setTimeout(() => {
      if (this.#unasked && this.#preview === view) this.#takeKeyboard();
    }, press);
  }

  get #zoom(): number {
    return this.workbench.webContents.getZoomFactor();
  }

  #fill(): void {
    const { width, height } = this.base.contentView.getBounds();
    this.workbench.setBounds({ x: 0, y: 0, width, height });
  }

  #arrange(): void {
    const p = this.#place;
    const view = this.#preview;
    const alive = view !== null && !view.webContents.isDestroyed() && !view.webContents.isCrashed();
    if (p !== null) this.overlay.place(inWindow(p.room, this.#zoom), !p.visible);
    this.#room.setVisible(alive);
    if (!alive) return;
    if (p !== null) {
      const { room, page, scale } = arrange(p, this.#zoom);
      this.#room.setBounds(room);
      view.setBounds(page);
      view.webContents.setZoomFactor(scale);
    }
    if (p?.visible === true) return;
    // A page that does not show at all is not drawn, and no picture can be taken of
    // it. One that shows in a single pixel is.
    const { width, height } = this.base.contentView.getBounds();
    this.#room.setBounds({ x: width - 1, y: height - 1, width: 1, height: 1 });
  }

  #said(m: CardSaid): void {
    if (m.type !== 'draft') this.workbench.webContents.focus();
    this.workbench.webContents.send(channels.said, m);
  }

  /** Keys that mean the same wherever the keyboard is. */
  #watchKeys(contents: Electron.WebContents): void {
    contents.on('before-input-event', (e, input) => {
      const id = sharedCommand(input, mac);
      // All keys in a page that is pointed at are the workbench's anyway.
      if (id === null || (this.#inspecting && contents === this.#preview?.webContents)) return;
      e.preventDefault();
      if (asks.has(id)) this.workbench.webContents.focus();
      this.tell('command', id);
    });
  }
}
