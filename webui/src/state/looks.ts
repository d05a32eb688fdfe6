import { signal } from '@preact/signals';
import type { Api } from '../api/api';
import { refusalOf } from '../api/refusal';
import { Queue } from '../lib/queue';
import type { Pictures } from './review';

export type LooksApi = Pick<Api, 'versionPicture'>;

/** As wide as a page is looked at in, CSS pixels: it is shown small, and compared as it is. */
const width = 1280;
/** Pictures that are kept. */
export const most = 60;

/** How versions look: pictures of their pages, asked for one at a time, and kept. */
export class Looks {
  /** There is no browser that could show a page. */
  readonly none = signal(false);
  /** The two pictures that are compared in large. */
  readonly compared = signal<{ generation: number; pictures: Pictures } | null>(null);
  readonly #kept = new Map<string, Blob>();
  readonly #queue = new Queue();

  constructor(private readonly api: LooksApi) {}

  /** The page before a version and after it; null where there is no picture. */
  async pair(document: string, generation: number, signal: AbortSignal): Promise<Pictures | null> {
    const before = await this.#picture(document, generation - 1, signal);
    const after = before === null ? null : await this.#picture(document, generation, signal);
    return before === null || after === null ? null : { before, after };
  }

  async #picture(document: string, generation: number, signal: AbortSignal): Promise<Blob | null> {
    const key = `${document} ${generation}`;
    return this.#find(key) ?? this.#queue.add(() => this.#fetch(key, document, generation, signal));
  }

  async #fetch(key: string, document: string, generation: number, signal: AbortSignal): Promise<Blob | null> {
    const there = this.#find(key); // somebody else waited for it, too
    if (there !== null || signal.aborted || this.none.peek()) return there;
    try {
      const blob = await this.api.versionPicture(document, generation, width, signal);
      this.#kept.set(key, blob);
      for (const old of this.#kept.keys()) {
        if (this.#kept.size <= most) break;
        this.#kept.delete(old);
      }
      return blob;
    } catch (e) {
      if (refusalOf(e).code === 'no_browser') this.none.value = true;
      return null; // a card says what it says without it
    }
  }

  #find(key: string): Blob | null {
    const blob = this.#kept.get(key);
    if (blob === undefined) return null;
    this.#kept.delete(key); // those that were used last stand last
    this.#kept.set(key, blob);
    return blob;
  }
}
