import { signal } from '@preact/signals';

export type Place = 'page' | 'source' | 'changes';

/** Where the person is: the place, what floats over it, and the note that is lit everywhere. */
export class Places {
  readonly place = signal<Place>('page');
  readonly palette = signal(false);
  readonly sheet = signal(false);
  readonly opening = signal(false);
  /** A plain browser whose token is over: a person pairs it again, and nothing that was typed is lost. */
  readonly unpaired = signal(false);
  readonly drawer = signal(false);
  /** The turn whose proposal is reviewed, null for none. */
  readonly review = signal<string | null>(null);
  /**
   * The note all threads light up: an annotation's id, or "order:3" for a note
   * of a plan, a diff or a change that is no draft any more.
   */
  readonly activeNote = signal<string | null>(null);
  /** What Source should scroll to: a span of the newest version. Each request is a new object. */
  readonly reveal = signal<{ span: readonly [number, number] } | null>(null);
  /** The change that Changes should show. */
  readonly change = signal<string | null>(null);

  go(place: Place): void {
    this.place.value = place;
    this.drawer.value = false;
  }

  showSource(span: readonly [number, number]): void {
    this.reveal.value = { span };
    this.go('source');
  }

  showChange(id: string): void {
    this.change.value = id;
    this.go('changes');
  }
}
