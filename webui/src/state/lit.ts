import { signal } from '@preact/signals';
import type { Api } from '../api/api';
import type { Outlined } from '../contract/types';

/** What is to be outlined in a page. */
export interface Wanted {
  preview: string;
  outlines: readonly Outlined[];
}

/**
 * What the browser outlines in the page, where the workbench cannot draw over it.
 * One question at a time, and only the last wish counts.
 */
export class Lit {
  /** The note whose pin is pointed at. */
  readonly pointed = signal<string | null>(null);
  #wanted: Wanted | null = null;
  #preview = '';
  #done = '';
  #running = false;

  constructor(private readonly api: Pick<Api, 'outlines'>) {}

  show(wanted: Wanted | null): void {
    this.#wanted = wanted === null || wanted.outlines.length === 0 ? null : wanted;
    if (!this.#running) void this.#run();
  }

  /** Another load of the page has nothing outlined. */
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
        await this.api.outlines(this.#preview, wanted?.outlines ?? []);
      } catch {
        // It is not on the page now, or the page is gone.
      }
    }
    this.#running = false;
  }
}
