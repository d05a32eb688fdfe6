import { signal } from '@preact/signals';
import type { Pick } from '../contract/types';

/** The element the person points at, with what its span counts in. */
export interface Picked {
  preview: string;
  /** The version the preview shows: `startTag` counts in its bytes. */
  revisionId: string;
  generation: number;
  pick: Pick;
}

/** What Page and Source share: each shows what the other one stands on. */
export class PickedElement {
  readonly picked = signal<Picked | null>(null);
  /** The preview that shows the page now, null where there is none. */
  readonly preview = signal<string | null>(null);
}
