import type { Api } from '../api/api';
import type { PickedElement, Picked } from './picked';

/**
 * The thread from the source to the page: the element the cursor stands in is
 * shown there. It is silent where there is none, and answers that come late are
 * dropped: a cursor moves faster than a page is asked.
 */
export class Link {
  #asked = 0;
  #mine: Picked | null = null;

  constructor(
    private readonly api: Pick<Api, 'pick' | 'highlight'>,
    private readonly element: PickedElement,
  ) {}

  /** Points at what holds a byte of a version, if the page shows that version. */
  async fromSource(byte: number, version: { id: string; generation: number }): Promise<void> {
    const preview = this.element.preview.peek();
    const mine = ++this.#asked;
    if (preview === null) return;
    try {
      const pick = await this.api.pick(preview, `byte:${byte}`);
      if (mine !== this.#asked || this.element.preview.peek() !== preview) return;
      this.#mine = { preview, revisionId: version.id, generation: version.generation, pick };
      this.element.picked.value = this.#mine;
      await this.api.highlight(preview, pick.handle, true);
    } catch {
      // A script made or moved what stands there, or the page is gone: nothing to show.
    }
  }

  /** Whether the cursor in the source did it: the source does not follow itself. */
  isFromSource(p: Picked | null): boolean {
    return p !== null && p === this.#mine;
  }

  /** The source is left: what it lit in the page goes out. */
  leave(): void {
    this.#asked++;
    if (this.#mine === null) return;
    if (this.element.picked.peek() === this.#mine) this.element.picked.value = null;
    void this.api.highlight(this.#mine.preview, '').catch(() => undefined);
    this.#mine = null;
  }
}
