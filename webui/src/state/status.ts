import { computed, signal } from '@preact/signals';

export type Tone = 'plain' | 'good' | 'bad';

export interface Line {
  text: string;
  tone: Tone;
}

/**
 * The status line: what is true now (where the pointer stands), or else what
 * happened last. It takes the place of notices that pop up and go.
 */
export class Status {
  /** What the pointer stands on, while pointing; it takes the place of what happened before. */
  readonly hover = signal<string | null>(null);
  readonly said = signal<Line | null>(null);
  readonly line = computed<Line | null>(() =>
    this.hover.value === null ? this.said.value : { text: this.hover.value, tone: 'plain' },
  );

  say(text: string, tone: Tone = 'plain'): void {
    // News are seen until the pointer moves on.
    this.hover.value = null;
    this.said.value = { text, tone };
  }

  clear(): void {
    this.said.value = null;
  }
}
