import { signal } from '@preact/signals';
import type { Api } from '../api/api';

/** An element of a page: one that was picked, or the one at a byte of the version that is shown. */
export type Wanted = { preview: string; pick: string } | { preview: string; byte: number };

/**
 * The element that the browser lights in the page, where the workbench cannot draw
 * over it. One question at a time, and only the last wish counts.
 */
export class Lit {
  /** The note whose pin is pointed at, and which of its targets that is. */
  readonly pointed = signal<{ note: string; target: number } | null>(null);
  #wanted: Wanted | null = null;
  #preview = '';
  #done = '';
  #running = false;

  constructor(private readonly api: Pick<Api, 'highlight' | 'pick'>) {}

  show(wanted: Wanted | null): void {
    this.#wanted = wanted;
    if (!this.#running) void this.#run();
  }

  /** Another load of the page has nothing lit. */
  forget(): void {
    this.#done = '';
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (;;) {
      const wanted = this.#wanted;
      const words = wanted === null ? '' : JSON.stringify(wanted);
      if (words === this.#done) break;
      this.#done = words;
      this.#preview = wanted?.preview ?? this.#preview;
      try {
        const pick = wanted === null ? '' : await this.#pick(wanted);
        if (this.#wanted === wanted) await this.api.highlight(this.#preview, pick);
      } catch {
        // It is not on the page now, or the page is gone.
      }
    }
    this.#running = false;
  }

  async #pick(w: Wanted): Promise<string> {
    return 'pick' in w ? w.pick : (await this.api.pick(w.preview, `byte:${w.byte}`)).handle;
  }
}
