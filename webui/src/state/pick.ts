import { computed, signal } from '@preact/signals';
import type { Api } from '../api/api';
import type { Host } from '../api/host';
import { refusalOf } from '../api/refusal';
import type { Direction, Nearest, OutlineLook, Pick as Picked, Under } from '../contract/types';
import { refusalText, t } from '../i18n';
import { Queue } from '../lib/queue';
import { straight } from '../lib/unseen';
import type { Features } from './features';
import type { PickedElement } from './picked';
import type { Places } from './places';
import type { PreviewStore } from './preview';
import type { Status } from './status';

export type PickApi = Pick<Api, 'inspect' | 'pick' | 'step' | 'under' | 'highlight'>;

/** How long a key that adds counts as held after it went up. */
export const linger = 400;

/** How long a press in the desktop's page counts for the pick that comes of it. */
const pressed = 2_000;

/** What is asked of the host. */
export type Standing = Pick<Host, 'inWindow'> & Partial<Pick<Host, 'kind' | 'protocol'>>;

/** lackOf says what a host lacks for pointing; null where it lacks nothing. */
export function lackOf(host: Standing): string | null {
  if (host.inWindow) return null;
  if (host.kind !== 'desktop') return t('common.desktop');
  const n = host.protocol ?? 0;
  return n > 0 ? t('desktop.old', { n }) : t('desktop.deaf');
}

/** How many targets a note can have. */
export const maxTargets = 16;

/**
 * Pointing: the mode, what the pointer stands on, the cursor that the arrow keys
 * move, and the selection that a note is written for. A refused element is told
 * at once, with the nearest one that works.
 */
export class PickStore {
  readonly mode = signal(false);
  readonly hover = signal<Picked | null>(null);
  /** What was pointed at last; arrows step from it. It may be refused. */
  readonly cursor = signal<Picked | null>(null);
  readonly selection = signal<readonly Picked[]>([]);
  readonly under = signal<Under | null>(null);
  /** The box in which the note is written stands open. */
  readonly writing = signal(false);
  readonly busy = signal(false);
  readonly refused = computed(() => {
    const at = this.cursor.value;
    return at?.refusal === undefined ? null : at;
  });
  /** What is outlined: what is selected, where the arrows stand beside it (Space would add it), and what was refused. */
  readonly outlined = computed<readonly { pick: Picked; look: OutlineLook }[]>(() => {
    const selection = this.selection.value;
    const refused = this.refused.value;
    const at = refused === null ? this.cursor.value : null;
    const beside = at !== null && selection.length > 0 && !selection.some((s) => same(s, at));
    return [
      ...selection.map((pick) => ({ pick, look: 'selected' as const })),
      ...(beside ? [{ pick: at, look: 'cursor' as const }] : []),
      ...(refused === null ? [] : [{ pick: refused, look: 'refused' as const }]),
    ];
  });
  /** Shift, Ctrl or Cmd is held: a click adds. The frame does not tell, so the window's keys do. */
  readonly adding = signal(false);
  #released = -Infinity;
  #press: { adds: boolean; at: number } | null = null;

  /** The one that is selected stays so while the arrows go on. */
  #kept = false;

  readonly #steps = new Queue();
  #epoch = 0;
  #hovers = 0;

  constructor(
    private readonly api: PickApi,
    private readonly host: Standing,
    private readonly preview: PreviewStore,
    private readonly element: PickedElement,
    private readonly features: Pick<Features, 'annotations'>,
    private readonly places: Pick<Places, 'go'>,
    private readonly status: Pick<Status, 'say' | 'hover'>,
    private readonly now: () => number = Date.now,
  ) {
    preview.onHover = (p) => void this.#hovered(p);
    preview.onPicked = (p) => this.take(p);
  }

  /** Why pointing is not possible now; null where it is. */
  readonly why = computed(() => {
    const lack = lackOf(this.host);
    // What the app lacks is the reason why the gateway has it off.
    if (lack !== null && this.host.kind === 'desktop') return lack;
    if (this.features.annotations.value !== null) return t('state.killed.pointing');
    return lack;
  });

  async toggle(): Promise<void> {
    await (this.mode.value ? this.leave() : this.arm());
  }

  async arm(): Promise<void> {
    const why = this.why.value;
    if (why !== null) {
      this.status.say(why, 'bad');
      return;
    }
    this.places.go('page');
    this.mode.value = true;
    this.status.hover.value = t('pick.on');
    // A page that is still being loaded is pointed at as soon as it is there: again() arms it.
    const id = this.preview.id.value;
    if (id === null || this.preview.phase.value !== 'shown') return;
    void this.preview.lines();
    try {
      await this.api.inspect(id, true);
    } catch (e) {
      this.#off();
      this.status.say(refusalText(refusalOf(e)), 'bad');
    }
  }

  async leave(): Promise<void> {
    const was = this.mode.value;
    this.#off();
    this.clear();
    const id = this.preview.id.value;
    if (was && id !== null && this.preview.phase.value === 'shown')
      await this.api.inspect(id, false).catch(() => undefined);
  }

  clear(): void {
    this.#kept = false;
    this.selection.value = [];
    this.cursor.value = null;
    this.under.value = null;
    this.writing.value = false;
    this.element.picked.value = null;
  }

  /** A key that adds went down or up. */
  hold(down: boolean): void {
    if (this.adding.value && !down) this.#released = this.now();
    this.adding.value = down;
  }

  /** The window lost the keyboard: nothing is held any more. */
  letGo(): void {
    this.adding.value = false;
    this.#released = -Infinity;
  }

  /** The desktop app tells of a press in the page, and what was held then. */
  press(adds: boolean): void {
    this.#press = { adds, at: this.now() };
  }

  /** What is picked arrives a little behind the press, when the key may be up again. */
  #adds(): boolean {
    const press = this.#press;
    this.#press = null;
    if (press !== null && this.now() - press.at < pressed) return press.adds;
    return this.adding.value || this.now() - this.#released < linger;
  }

  /** An element was pointed at. `add` keeps what is selected. */
  take(p: Picked, add = this.#adds()): void {
    this.#point(p);
    if (!add) this.#kept = false;
    if (p.refusal !== undefined) {
      if (!add) this.selection.value = [];
      return;
    }
    if (add && this.selection.value.some((s) => same(s, p))) {
      this.remove(p);
      return;
    }
    this.#select(add ? [...this.selection.value, p] : [p]);
    this.writing.value = true;
  }

  remove(p: Picked): void {
    this.selection.value = this.selection.value.filter((s) => !same(s, p));
    if (this.selection.value.length === 0) this.writing.value = false;
  }

  /** Points at what a target means: a selector, a path, "@x,y" or "byte:N". */
  async at(target: string, add = false): Promise<Picked | null> {
    const id = this.preview.id.value;
    if (id === null) return null;
    return this.#ask(async () => {
      const p = await this.api.pick(id, target);
      this.#point(p);
      if (!add) this.#kept = false;
      if (p.refusal === undefined) this.#select(add ? [...this.selection.value, p] : [p]);
      await this.#bring(id, p);
      return p;
    });
  }

  /** Moves the cursor. Keys that come faster than answers are worked off in order. */
  async step(direction: Direction): Promise<void> {
    const id = this.preview.id.value;
    if (id === null) return;
    await this.#steps.add(async () => {
      const from = this.cursor.value;
      if (from === null) {
        await this.at('body');
        return;
      }
      await this.#ask(async () => {
        const p = await this.api.step(id, from.handle, direction).catch((e: unknown) => {
          if (refusalOf(e).code !== 'selector_no_match') throw e;
          return null;
        });
        if (p === null) {
          this.status.say(t('pick.end'));
          return from;
        }
        const alone = this.selection.value.length <= 1 && !this.#kept;
        this.#point(p);
        if (p.refusal === undefined && alone) this.#select([p]);
        else if (alone) this.selection.value = [];
        return p;
      });
    });
  }

  /**
   * Takes the cursor's element into the selection, or out of it. The only one that
   * is selected is kept, so that the arrows go on to a second.
   */
  toggleCursor(): void {
    const p = this.cursor.value;
    if (p === null || p.refusal !== undefined) return;
    const [only, ...others] = this.selection.value;
    if (only !== undefined && others.length === 0 && same(only, p)) {
      this.#kept = !this.#kept;
      this.status.say(t(this.#kept ? 'pick.kept' : 'pick.selected', { n: 1 }));
    } else if (this.selection.value.some((s) => same(s, p)) && this.selection.value.length > 1) this.remove(p);
    else this.#select([...this.selection.value.filter((s) => !same(s, p)), p]);
  }

  write(): void {
    const p = this.cursor.value;
    if (this.selection.value.length === 0 && p !== null && p.refusal === undefined) this.#select([p]);
    if (this.selection.value.length > 0) this.writing.value = true;
  }

  /** In place of an element that cannot be edited, the nearest one around it that can. */
  async useNearest(): Promise<void> {
    const id = this.preview.id.value;
    const p = this.refused.value;
    const near = nearestOf(p);
    if (id === null || p === null || near === null) return;
    await this.#ask(async () => {
      let at = p;
      for (let i = 0; i < near.steps; i++) at = await this.api.step(id, at.handle, 'up');
      this.take(at, this.selection.value.length > 0);
      return at;
    });
  }

  async loadUnder(): Promise<void> {
    const id = this.preview.id.value;
    const p = this.cursor.value;
    if (id === null || p === null) return;
    await this.#ask(async () => {
      this.under.value = await this.api.under(id, p.handle);
      return p;
    });
  }

  /** Shows a pick in the page, for a list that is gone through. */
  show(p: Picked | null): void {
    const id = this.preview.id.value;
    if (id !== null) void this.api.highlight(id, p?.handle ?? '').catch(() => undefined);
  }

  /** Brings what holds a byte of the version that is shown into the view. */
  async bring(byte: number): Promise<void> {
    const id = this.preview.id.value;
    if (id === null) return;
    try {
      await this.#bring(id, await this.api.pick(id, `byte:${byte}`));
    } catch {
      // It is not on the page now; the list says so.
    }
  }

  async #bring(id: string, p: Picked): Promise<void> {
    const { width, height } = this.preview.size.value;
    const { x, y } = p.rect;
    const seen = y + p.rect.height > 0 && y < height && x + p.rect.width > 0 && x < width;
    if (seen || !this.host.inWindow) return;
    await this.api.highlight(id, p.handle, true).catch(() => undefined);
    // The outline is drawn otherwise, and a browser that lights an element picks none.
    await this.api.highlight(id, '').catch(() => undefined);
  }

  /** The page was loaded again: what was selected is found again by its path, or let go. */
  async again(): Promise<void> {
    const id = this.preview.id.value;
    const epoch = ++this.#epoch;
    this.hover.value = null;
    this.under.value = null;
    if (id === null) return;
    if (this.mode.value) void this.api.inspect(id, true).catch(() => this.#off());
    const old = this.selection.value;
    const paths = old.map((s) => s.path).filter((p) => p !== '');
    if (paths.length === 0) {
      this.cursor.value = null;
      return;
    }
    const found = await Promise.all(paths.map((path) => this.api.pick(id, path).catch(() => null)));
    if (epoch !== this.#epoch || this.selection.value !== old) return;
    const kept = found.filter((p) => p !== null && p.refusal === undefined) as Picked[];
    if (kept.length === 0) {
      this.clear();
      return;
    }
    this.#point(kept.at(-1) ?? null);
    this.selection.value = kept;
  }

  async #hovered(p: Picked | null): Promise<void> {
    if (!this.mode.value) return;
    const mine = ++this.#hovers;
    this.hover.value = p;
    if (p === null) {
      this.status.hover.value = t('pick.on');
      return;
    }
    this.status.hover.value = this.words(p, null);
    const lines = await this.preview.lines();
    if (mine === this.#hovers && p.startTag !== null && lines !== null) {
      this.status.hover.value = this.words(p, lines.lineOf(p.startTag[0]));
    }
  }

  /** The proof in a line: line, bytes, tag; or why there is none. */
  words(p: Picked, line: number | null): string {
    const parts: string[] = [];
    if (p.startTag === null) parts.push(p.refusal === undefined ? '' : refusalText(p.refusal));
    else {
      if (line !== null) parts.push(t('status.line', { n: line }));
      parts.push(t('status.bytes', { from: p.startTag[0], to: p.startTag[1] }));
    }
    parts.push(straight(p.tag ?? p.name));
    const { width, height } = p.rect;
    parts.push(width === 0 && height === 0 ? t('status.hidden') : `${Math.round(width)} × ${Math.round(height)}`);
    if ((p.sharedBy ?? 1) > 1) parts.push(t('proof.shared.short', { n: p.sharedBy ?? 1 }));
    return parts.filter((x) => x !== '').join(' · ');
  }

  #point(p: Picked | null): void {
    this.cursor.value = p;
    this.under.value = null;
    const at = this.preview.preview.value;
    this.element.picked.value =
      p === null || at === null || p.refusal !== undefined
        ? null
        : { preview: at.id, revisionId: at.revisionId, generation: at.generation, pick: p };
    if (p !== null && this.mode.value) void this.#hovered(p);
  }

  #select(list: readonly Picked[]): void {
    if (list.length > maxTargets) {
      this.status.say(t('refusal.too_many'), 'bad');
      return;
    }
    this.selection.value = list;
  }

  #off(): void {
    this.#hovers++;
    this.mode.value = false;
    this.hover.value = null;
    this.status.hover.value = null;
  }

  async #ask(step: () => Promise<Picked>): Promise<Picked | null> {
    this.busy.value = true;
    try {
      return await step();
    } catch (e) {
      const r = refusalOf(e);
      this.status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
      return null;
    } finally {
      this.busy.value = false;
    }
  }
}

/** Whether two picks are the same element: of one load, at one place. */
export function same(a: Picked, b: Picked): boolean {
  if (a.epoch !== b.epoch) return false;
  if (a.path !== '' || b.path !== '') return a.path === b.path;
  return a.handle === b.handle;
}

export interface NearestPlace {
  name: string;
  steps: number;
}

/** nearestOf reads the nearest place from a refusal; null where it has none. */
export function nearestOf(p: Picked | null): NearestPlace | null {
  const near = p?.refusal?.detail?.nearest as Partial<Nearest> | undefined;
  if (near === undefined || typeof near.name !== 'string' || typeof near.steps !== 'number') return null;
  return near.steps > 0 && near.steps < 1000 ? { name: near.name, steps: near.steps } : null;
}
