import { computed, signal } from '@preact/signals';
import { type Refusal, refusalOf } from '../api/refusal';
import type { Annotation } from '../contract/types';

/** How long typing rests before it is stored. */
export const rest = 350;
/** Between attempts while the gateway is lost. */
const retry = 2_000;

export type Saving = 'clean' | 'waiting' | 'saving' | 'saved' | 'failed' | 'conflict';

/** What stores a text: makes the draft at first, changes it afterwards. */
export interface Keeper {
  create(text: string): Promise<Annotation>;
  change(note: Annotation, text: string): Promise<Annotation>;
}

/**
 * The text of one note while it is written. It is stored as it is typed, one
 * request at a time; what is typed meanwhile follows. A text is never lost: not
 * by a failure, and not by a conflict, which a person decides.
 */
export class NoteText {
  readonly text = signal('');
  readonly saving = signal<Saving>('clean');
  readonly refusal = signal<Refusal | null>(null);
  /** The draft as it is stored; null before there is one. */
  readonly note = signal<Annotation | null>(null);
  /** What somebody else made of it meanwhile. */
  readonly theirs = signal<Annotation | null>(null);
  /** Grows when the text became another one without anybody typing it here: a field elsewhere is to take it. */
  readonly given = signal(0);
  readonly dirty = computed(() => this.text.value !== (this.note.value?.instruction ?? ''));

  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | null = null;
  #closed = false;

  constructor(
    private readonly keeper: Keeper,
    note: Annotation | null,
    private readonly stored: (note: Annotation) => void = () => undefined,
  ) {
    this.note.value = note;
    this.text.value = note?.instruction ?? '';
  }

  type(text: string): void {
    this.text.value = text;
    if (this.saving.value === 'conflict') return; // until a person has decided
    this.saving.value = 'waiting';
    this.#later(rest);
  }

  /** Stores what is not stored yet. Gives true where everything is. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    while (this.#sending !== null) await this.#sending;
    if (this.saving.value === 'conflict') return false;
    if (!this.dirty.value) {
      if (this.saving.value === 'waiting') this.saving.value = this.note.value === null ? 'clean' : 'saved';
      return true;
    }
    // A draft cannot be empty. One that was, and has no text now, keeps its last words.
    if (this.text.value.trim() === '') {
      this.saving.value = 'clean';
      return this.note.value === null;
    }
    this.#sending = this.#save().finally(() => (this.#sending = null));
    await this.#sending;
    return this.saving.peek() === 'saved' && !this.dirty.peek();
  }

  /** The note was stored elsewhere while nothing is typed here: it is shown. */
  adopt(note: Annotation): void {
    if (this.dirty.value || this.#sending !== null || this.saving.value === 'conflict') return;
    this.note.value = note;
    if (this.text.value === note.instruction) return;
    this.text.value = note.instruction;
    this.given.value++;
  }

  async keepMine(): Promise<void> {
    const theirs = this.theirs.value;
    if (theirs === null) return;
    // Written over what was seen; a note that is no draft any more is made anew.
    this.note.value = theirs.state === 'draft' ? { ...theirs } : null;
    this.theirs.value = null;
    this.saving.value = 'waiting';
    await this.flush();
  }

  takeTheirs(): void {
    const theirs = this.theirs.value;
    if (theirs === null) return;
    this.note.value = theirs;
    this.text.value = theirs.instruction;
    this.given.value++;
    this.theirs.value = null;
    this.saving.value = 'saved';
    this.stored(theirs);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => void this.flush(), ms);
  }

  async #save(): Promise<void> {
    const text = this.text.value;
    const before = this.note.value;
    this.saving.value = 'saving';
    try {
      const note = await (before === null ? this.keeper.create(text) : this.keeper.change(before, text));
      this.note.value = note;
      this.refusal.value = null;
      this.stored(note);
      if (this.text.value === text) this.saving.value = 'saved';
      else {
        this.saving.value = 'waiting';
        this.#later(rest);
      }
    } catch (e) {
      this.#failed(refusalOf(e));
    }
  }

  #failed(r: Refusal): void {
    this.refusal.value = r;
    const now = r.detail.now as Annotation | undefined;
    if (r.code === 'request_conflict' && now !== undefined) {
      this.theirs.value = now;
      this.saving.value = 'conflict';
      return;
    }
    this.saving.value = 'failed';
    if (r.status === 0 || r.status === 503) this.#later(retry);
  }
}
