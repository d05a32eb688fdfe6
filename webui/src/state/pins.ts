import { computed, signal } from '@preact/signals';
import type { Api } from '../api/api';
import type { Place } from '../contract/types';

/** At most ten questions a second, however fast the page scrolls. */
export const pace = 100;

/** Where the notes' and the selection's elements stand in the view, as the page moves. */
export class Pins {
  /** By note, one place for each of its targets. */
  readonly notes = signal<ReadonlyMap<string, readonly Place[]>>(new Map());
  readonly picks = signal<ReadonlyMap<string, Place>>(new Map());
  /** Notes whose element is not on the page. */
  readonly lost = computed(
    () => new Set([...this.notes.value].filter(([, list]) => list.every((p) => p.rect === null)).map(([id]) => id)),
  );

  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  #again = false;
  #last = 0;
  #wanted: { preview: string; annotations: readonly string[]; picks: readonly string[] } | null = null;

  constructor(
    private readonly api: Pick<Api, 'places'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Says what to follow; null for nothing. Asks at once, and then no faster than the pace. */
  follow(preview: string | null, annotations: readonly string[], picks: readonly string[]): void {
    if (preview === null || (annotations.length === 0 && picks.length === 0)) {
      this.#wanted = null;
      this.notes.value = new Map();
      this.picks.value = new Map();
      return;
    }
    this.#wanted = { preview, annotations, picks };
    this.ask();
  }

  /** The page moved. */
  ask(): void {
    if (this.#wanted === null) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#last + pace - this.now());
    this.#timer = setTimeout(() => void this.#run(), wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#wanted = null;
  }

  async #run(): Promise<void> {
    const w = this.#wanted;
    if (w === null) return;
    this.#running = true;
    this.#again = false;
    this.#last = this.now();
    try {
      const [notes, picks] = await Promise.all([
        w.annotations.length === 0 ? [] : this.api.places(w.preview, { annotations: [...w.annotations] }),
        w.picks.length === 0 ? [] : this.api.places(w.preview, { picks: [...w.picks] }),
      ]);
      if (this.#wanted === w) {
        this.notes.value = byNote(notes);
        this.picks.value = new Map(picks.map((p) => [p.id, p]));
      } else this.#again = true;
    } catch {
      // The page is being loaded, or is gone: its store tells. The next move asks again.
    } finally {
      this.#running = false;
      if (this.#again) this.ask();
    }
  }
}

function byNote(places: readonly Place[]): Map<string, Place[]> {
  const out = new Map<string, Place[]>();
  for (const p of places) out.set(p.id, [...(out.get(p.id) ?? []), p]);
  return out;
}
