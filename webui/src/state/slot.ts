import { computed, signal } from '@preact/signals';
import type { Desktop, Placed } from '../contract/desktop';
import type { Rect } from '../contract/types';

/** How long the page's picture is waited for before something covers the page without it, in ms. */
export const patience = 250;

export interface Scene {
  /** The page is loaded, and its place is the one that is looked at. */
  present: boolean;
  /** Something of the workbench lies over it. */
  covered: boolean;
  page: Omit<Placed, 'visible' | 'room'>;
}

/**
 * Where the desktop app shows the page: a view of its own that lies above the
 * workbench. It goes while something of the workbench is to be seen there, and a
 * picture of it stands in its place, so that nothing flickers.
 */
export class Slot {
  /** The room of the page in the window: the view measures it. */
  readonly room = signal<Rect | null>(null);
  readonly covered = signal(false);
  /** How the page looked when it was covered. */
  readonly picture = signal<Blob | null>(null);
  readonly #visible = signal(false);
  readonly #open = signal(false);
  /** The page is to be seen, and nothing lies over it. */
  readonly open = computed(() => this.#open.value);

  #scene: Scene | null = null;
  #last = '';
  #queued = false;
  #run = 0;
  #leaving = false;
  #drawn: () => void = () => undefined;

  constructor(
    private readonly desktop: Pick<Desktop, 'place' | 'still'> | null,
    private readonly frame: (f: () => void) => void = (f) => requestAnimationFrame(f),
  ) {}

  show(scene: Scene): void {
    this.#scene = scene;
    this.#open.value = scene.present && !scene.covered;
    if (!scene.present) this.#hide();
    else if (!scene.covered) this.#back();
    else if (this.#visible.peek() && !this.#leaving) void this.#leave();
    this.#report();
  }

  /** The picture stands where the page was. */
  drawn(): void {
    this.#drawn();
  }

  #hide(): void {
    this.#run++;
    this.#leaving = false;
    this.#visible.value = false;
    this.picture.value = null;
  }

  #back(): void {
    const run = ++this.#run;
    this.#leaving = false;
    this.#visible.value = true;
    if (this.picture.peek() === null) return;
    // The first frame tells the app, in the second one its view is back.
    this.frame(() =>
      this.frame(() => {
        if (run === this.#run) this.picture.value = null;
      }),
    );
  }

  async #leave(): Promise<void> {
    const run = ++this.#run;
    this.#leaving = true;
    await within(this.#draw(run));
    if (run !== this.#run) return;
    this.#leaving = false;
    this.#visible.value = false;
    this.#report();
  }

  async #draw(run: number): Promise<void> {
    const bytes = (await this.desktop?.still().catch(() => null)) ?? null;
    if (bytes === null || run !== this.#run) return;
    const drawn = new Promise<void>((resolve) => (this.#drawn = resolve));
    this.picture.value = new Blob([bytes]);
    await drawn;
  }

  /** Once a frame, and only what is new. */
  #report(): void {
    if (this.#queued || this.desktop === null) return;
    this.#queued = true;
    this.frame(() => {
      this.#queued = false;
      const room = this.room.peek();
      if (room === null || this.#scene === null) return;
      const placed: Placed = { room, ...this.#scene.page, visible: this.#visible.peek() };
      const words = JSON.stringify(placed);
      if (words === this.#last) return;
      this.#last = words;
      this.desktop?.place(placed);
    });
  }
}

async function within(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, patience)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
