import { computed, signal } from '@preact/signals';
import type { Api } from '../api/api';
import { refusalOf } from '../api/refusal';
import type { Annotation, Pick as Picked } from '../contract/types';
import { refusalText } from '../i18n';
import { Queue } from '../lib/queue';
import { NoteText } from './noteText';
import type { Status } from './status';

export type NotesApi = Pick<Api, 'annotations' | 'addNote' | 'changeNote' | 'placeNote' | 'discardNote'>;

/** How long a discarded note can be had back: its draft is taken away only then. */
export const regret = 8_000;

/** A note that is being written at the element. */
export interface Box {
  /** Which one it is; with other targets it is the same. */
  id: number;
  text: NoteText;
  targets: readonly Picked[];
}

/** The drafts of a document in their order, and the one that is being written. */
export class Notes {
  readonly #stored = signal<readonly Annotation[]>([]);
  readonly #going = signal<ReadonlyMap<string, Annotation>>(new Map());
  readonly loaded = signal(false);
  /** The box at the element, null where none stands open. */
  readonly box = signal<Box | null>(null);
  /** The note whose text is edited in the list. */
  readonly editing = signal<NoteText | null>(null);

  /** The drafts; a note's number is its place here, from 1. */
  readonly list = computed(() => this.#stored.value.filter((n) => !this.#going.value.has(n.id)));
  readonly numbers = computed(() => new Map(this.list.value.map((n, i) => [n.id, i + 1])));
  /** Discarded, and can be had back for a moment. */
  readonly going = computed(() => [...this.#going.value.values()]);

  #document = '';
  #boxes = 0;
  #loads = 0;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #queue = new Queue();

  constructor(
    private readonly api: NotesApi,
    private readonly session: string,
    private readonly status: Pick<Status, 'say'>,
  ) {}

  async open(documentId: string): Promise<void> {
    await this.settle();
    this.#document = documentId;
    this.#stored.value = [];
    this.loaded.value = false;
    await this.load();
  }

  async load(): Promise<void> {
    const id = this.#document;
    const mine = ++this.#loads;
    if (id === '') return;
    try {
      const list = await this.api.annotations(id, this.session);
      if (mine !== this.#loads || id !== this.#document) return;
      this.#stored.value = [...list].sort((a, b) => a.order - b.order);
      this.loaded.value = true;
      const open = this.editing.value;
      const now = list.find((n) => n.id === open?.note.value?.id);
      if (open !== null && now !== undefined) open.adopt(now);
    } catch (e) {
      this.#say(e);
    }
  }

  /** Opens the box for what is selected. Other targets for the same box make the draft anew, with its text. */
  begin(preview: string, targets: readonly Picked[]): Box {
    const old = this.box.value;
    if (old !== null && sameTargets(old.targets, targets)) return old;
    const text = new NoteText(
      {
        create: (instruction) =>
          this.api.addNote(this.#document, {
            session: this.session,
            preview,
            picks: targets.map((p) => p.handle),
            instruction,
          }),
        change: (note, instruction) => this.#change(note, instruction),
      },
      null,
      (note) => this.#put(note),
    );
    const box = { id: old?.id ?? ++this.#boxes, text, targets };
    // The words stand in the box all the while; storing them anew follows.
    if (old !== null) {
      text.text.value = old.text.text.value;
      text.given.value = old.text.given.value;
    }
    this.box.value = box;
    if (old !== null) void this.#retarget(old, text);
    return box;
  }

  /** Closes the box; what was typed is a draft. */
  async end(): Promise<Annotation | null> {
    const box = this.box.value;
    if (box === null) return null;
    const stored = await box.text.flush();
    if (!stored && box.text.text.value.trim() !== '') return null; // it stays open, with the reason
    box.text.close();
    if (this.box.value === box) this.box.value = null;
    const note = box.text.note.value;
    // A note without words is none: it goes, and can be had back.
    if (note !== null && box.text.text.value.trim() === '') this.discard(note.id);
    return note;
  }

  edit(note: Annotation): NoteText {
    void this.endEdit();
    const text = new NoteText(
      {
        create: () => Promise.reject(new Error('a note that is gone is written anew at its element')),
        change: (n, instruction) => this.#change(n, instruction),
      },
      note,
      (n) => this.#put(n),
    );
    this.editing.value = text;
    return text;
  }

  async endEdit(): Promise<boolean> {
    const text = this.editing.value;
    if (text === null) return true;
    const stored = await text.flush();
    if (!stored && text.saving.value !== 'clean') return false;
    text.close();
    if (this.editing.value === text) this.editing.value = null;
    return true;
  }

  /** Gives a note another place, counted from 1: it is shown there at once. */
  async move(id: string, place: number): Promise<void> {
    const list = this.list.value;
    const note = list.find((n) => n.id === id);
    const to = Math.min(Math.max(place, 1), list.length);
    if (note === undefined || list.indexOf(note) === to - 1) return;
    const rest = list.filter((n) => n.id !== id);
    const next = [...rest.slice(0, to - 1), note, ...rest.slice(to - 1)];
    this.#stored.value = [...next, ...this.#going.value.values()];
    try {
      await this.#queue.add(() => this.api.placeNote(this.#document, id, { session: this.session, place: to }));
    } catch (e) {
      this.#say(e);
      await this.load();
    }
  }

  /** Takes a note out of the list; for a moment it can be had back. */
  discard(id: string): void {
    const note = this.list.value.find((n) => n.id === id);
    if (note === undefined) return;
    if (this.editing.value?.note.value?.id === id) {
      this.editing.value.close();
      this.editing.value = null;
    }
    if (this.box.value?.text.note.value?.id === id) {
      this.box.value.text.close();
      this.box.value = null;
    }
    this.#going.value = new Map([...this.#going.value, [id, note]]);
    this.#timers.set(
      id,
      setTimeout(() => void this.#gone(id), regret),
    );
  }

  restore(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#going.value = new Map([...this.#going.value].filter(([k]) => k !== id));
  }

  /** Before sending, or another document: what is typed is stored, what is discarded goes. */
  async settle(): Promise<boolean> {
    await this.end();
    await this.endEdit();
    await Promise.all([...this.#going.value.keys()].map((id) => this.#gone(id)));
    return this.box.value === null && this.editing.value === null;
  }

  async #gone(id: string): Promise<void> {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    const note = this.#going.value.get(id);
    if (note === undefined) return;
    try {
      await this.api.discardNote(this.#document, id, { session: this.session, seen: note.updatedAt });
      this.#stored.value = this.#stored.value.filter((n) => n.id !== id);
    } catch (e) {
      this.#say(e);
    }
    this.restore(id);
  }

  #change(note: Annotation, instruction: string): Promise<Annotation> {
    return this.api.changeNote(this.#document, note.id, {
      session: this.session,
      instruction,
      seen: note.updatedAt,
    });
  }

  /** A draft's targets cannot be changed: a new draft takes its text, and then its place. */
  async #retarget(old: Box, text: NoteText): Promise<void> {
    old.text.close();
    await old.text.flush();
    const note = old.text.note.value;
    if (text.text.value.trim() === '') return;
    text.type(text.text.value);
    if (note === null || !(await text.flush())) return;
    const place = this.numbers.value.get(note.id);
    const made = text.note.value;
    try {
      await this.api.discardNote(this.#document, note.id, { session: this.session, seen: note.updatedAt });
      this.#stored.value = this.#stored.value.filter((n) => n.id !== note.id);
      if (made !== null && place !== undefined) await this.move(made.id, place);
    } catch (e) {
      this.#say(e);
    }
  }

  #put(note: Annotation): void {
    if (note.documentId !== this.#document) return;
    const list = this.#stored.value;
    const at = list.findIndex((n) => n.id === note.id);
    if (note.state !== 'draft') this.#stored.value = list.filter((n) => n.id !== note.id);
    else this.#stored.value = at < 0 ? [...list, note] : list.map((n) => (n.id === note.id ? note : n));
  }

  #say(thrown: unknown): void {
    const r = refusalOf(thrown);
    this.status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
  }
}

function sameTargets(a: readonly Picked[], b: readonly Picked[]): boolean {
  return a.length === b.length && a.every((p, i) => p.handle === b[i]?.handle);
}
