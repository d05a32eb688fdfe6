import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { session, WebContentsView } from 'electron';
import { allowNavigation, hardened, lockSession } from '../guard/contents.main';
import { overlayAddress, overlayFile, overlayPolicy } from '../guard/rules.std';
import { channels } from '../ipc/channels.std';
import { Facade } from '../ipc/facade.main';
import type { Card, CardSaid, CardShown, Rect } from '../ipc/desktop.std';
import { draftArgs, nothing, submitArgs } from '../ipc/shapes.std';
import { placeCard } from './place.std';

/** Room for the card's shadow on each side; overlay.css has it as padding. */
const shadow = 16;

/** The card's own view, above the page: the page cannot draw over it, read it or type into it. */
export class Overlay {
  readonly view: WebContentsView;
  #card: Card | null = null;
  #shown: CardShown | null = null;
  #room: Rect = { x: 0, y: 0, width: 0, height: 0 };
  #height = 150;
  #covered = false;

  constructor(
    private readonly said: (m: CardSaid) => void,
    log: (line: string) => void,
  ) {
    const own = session.fromPartition('overlay'); // in memory
    lockSession(own, (url) => overlayFile(url) !== null);
    own.protocol.handle('proofmark-overlay', async (request) => {
      const file = request.method === 'GET' ? overlayFile(request.url) : null;
      if (file === null) return new Response(null, { status: 404 });
      return new Response(new Uint8Array(await readFile(join(__dirname, file.name))), {
        headers: {
          'content-type': file.type,
          'content-security-policy': overlayPolicy,
          'x-content-type-options': 'nosniff',
        },
      });
    });
    this.view = new WebContentsView({
      webPreferences: {
        ...hardened,
        session: own,
        preload: join(__dirname, 'overlay.preload.cjs'),
        devTools: false,
        enablePreferredSizeMode: true,
        transparent: true,
      },
    });
    this.view.setBackgroundColor('#00000000');
    this.view.setVisible(false);
    const { webContents } = this.view;
    allowNavigation(webContents, () => false);
    const facade = new Facade({ contents: webContents, at: (url) => url === overlayAddress }, log);
    const hear = (m: CardSaid) => {
      if (this.#card !== null) this.said(m); // what comes late is of a card that is gone
    };
    facade.hears(channels.draft, draftArgs, hear);
    facade.hears(channels.submit, submitArgs, hear);
    facade.hears(channels.cancel, nothing, () => hear({ type: 'cancel' }));
    webContents.on('preferred-size-changed', (_e, size) => {
      this.#height = Math.max(0, size.height - 2 * shadow);
      this.#arrange();
    });
    webContents.on('render-process-gone', () => void this.load());
    void this.load();
  }

  async load(): Promise<void> {
    await this.view.webContents.loadURL(overlayAddress);
    if (this.#shown !== null) this.view.webContents.send(channels.show, { ...this.#shown, begins: true });
    this.view.webContents.setVisualZoomLevelLimits(1, 1).catch(() => undefined);
  }

  /** Shows a card, or none. True: the keyboard is to be the card's. */
  show(shown: Omit<CardShown, 'begins'> | null): boolean {
    const begins = this.#card === null;
    this.#card = shown?.card ?? null;
    this.#shown = shown === null ? null : { ...shown, begins };
    if (shown !== null) this.view.webContents.send(channels.show, this.#shown);
    this.#arrange();
    return begins && shown !== null && shown.card.text !== null;
  }

  get shown(): boolean {
    return this.#card !== null;
  }

  /** Whether one can write in the card now. */
  get writes(): boolean {
    return this.#card !== null && this.#card.text !== null && !this.#covered;
  }

  /** Where the page is seen now, and whether something lies over it. */
  place(room: Rect, covered: boolean): void {
    this.#room = room;
    this.#covered = covered;
    this.#arrange();
  }

  #arrange(): void {
    if (this.#card !== null) {
      const r = placeCard(this.#card.rect, this.#height, this.#room);
      const width = r.width + 2 * shadow;
      // A covered card is moved away but for an empty pixel, not hidden: it keeps the
      // keyboard, so that what is typed while the page is loaded again is not lost.
      const x = this.#covered ? 1 - width : r.x - shadow;
      this.view.setBounds({ x, y: r.y - shadow, width, height: r.height + 2 * shadow });
    }
    this.view.setVisible(this.#card !== null);
  }
}
