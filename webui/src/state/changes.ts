import { computed, effect, signal } from '@preact/signals';
import type { Api } from '../api/api';
import { type Refusal, refusalOf } from '../api/refusal';
import type { Diff, ListedChange, Made, Version } from '../contract/types';
import { refusalText, t } from '../i18n';
import { parseUnified, type Hunk } from '../lib/hunks';
import { entriesOf, fold, joinPages } from '../lib/timeline';
import type { Documents } from './documents';
import type { Places } from './places';
import type { Status } from './status';

export type ChangesApi = Pick<
  Api,
  'revisions' | 'changes' | 'diff' | 'revert' | 'redo' | 'restore' | 'nameVersion' | 'unnameVersion' | 'source'
>;

/** Rows of the line that are asked for at a time. */
export const page = 100;
/** Rows of a difference that are shown at first, and with each "show more". */
export const rowsStep = 400;

/** What is compared: a change with what was before it, or any two versions. */
export type Compared = { change: string } | { from: number; to: number };

export interface Shown {
  diff: Diff;
  hunks: Hunk[];
}

/** A change that could not be taken back, and the newer one that stands in the way. */
export interface Stuck {
  change: string;
  note: number;
  message: string;
  hint: string;
  by: string | null;
  byNote: number;
  byGeneration: number;
}

/** Versions and changes as one line, what differs between them, and taking back. */
export class Changes {
  readonly phase = signal<'idle' | 'loading' | 'ready' | 'failed'>('idle');
  readonly failure = signal<Refusal | null>(null);
  readonly versions = signal<readonly Version[]>([]);
  readonly changes = signal<readonly ListedChange[]>([]);
  readonly more = signal(false);
  readonly loadingMore = signal(false);
  readonly unfolded = signal<ReadonlySet<string>>(new Set());

  readonly compared = signal<Compared | null>(null);
  readonly shown = signal<Shown | null>(null);
  readonly comparing = signal(false);
  readonly diffFailure = signal<Refusal | null>(null);
  readonly rows = signal(rowsStep);

  /** The change or version something is being done with. */
  readonly working = signal<string | null>(null);
  readonly stuck = signal<Stuck | null>(null);
  /** A name another version has: whether it is to be moved. */
  readonly taken = signal<{ generation: number; name: string; has: number } | null>(null);

  readonly entries = computed(() => entriesOf(this.versions.value, this.changes.value));
  readonly items = computed(() => fold(this.entries.value, this.unfolded.value));
  readonly selected = computed<string | null>(() => {
    const c = this.compared.value;
    return c !== null && 'change' in c ? c.change : null;
  });

  #document: string | null = null;
  #asked = 0;
  #diffs = 0;

  constructor(
    private readonly api: ChangesApi,
    private readonly documents: Pick<Documents, 'id' | 'generation' | 'made'>,
    private readonly status: Pick<Status, 'say'>,
    private readonly places: Pick<Places, 'change'>,
  ) {
    effect(() => {
      const id = this.documents.id.value;
      const generation = this.documents.generation.value;
      if (this.phase.peek() === 'idle') return;
      if (id !== this.#document || generation !== this.versions.peek()[0]?.generation) void this.load();
    });
    // Whoever points at a change, in a card of the conversation or a link, has it opened here.
    effect(() => {
      const change = this.places.change.value;
      if (change === null || this.phase.value !== 'ready') return;
      this.places.change.value = null;
      void this.open(change);
    });
  }

  /** Reads the newest part of the line; what is loaded of the rest stays. */
  async load(): Promise<void> {
    const id = this.documents.id.peek();
    if (id === null) return;
    const mine = ++this.#asked;
    if (id !== this.#document) this.#reset();
    this.#document = id;
    if (this.phase.peek() !== 'ready') this.phase.value = 'loading';
    this.failure.value = null;
    try {
      const [versions, changes] = await Promise.all([
        this.api.revisions(id, undefined, page),
        this.api.changes(id, undefined, page),
      ]);
      if (mine !== this.#asked) return;
      const gap = (this.versions.peek()[0]?.generation ?? 0) < (versions.at(-1)?.generation ?? 1) - 1;
      this.versions.value = joinPages(gap ? [] : this.versions.peek(), versions);
      this.changes.value = joinPages(gap ? [] : this.changes.peek(), changes);
      this.more.value = (this.versions.peek().at(-1)?.generation ?? 1) > 1;
      this.phase.value = 'ready';
      if (this.compared.peek() === null) this.#openNewest();
    } catch (e) {
      if (mine !== this.#asked) return;
      this.failure.value = refusalOf(e);
      if (this.phase.peek() !== 'ready') this.phase.value = 'failed';
    }
  }

  async loadMore(): Promise<void> {
    const id = this.#document;
    const before = this.versions.peek().at(-1)?.generation;
    if (id === null || before === undefined || !this.more.peek() || this.loadingMore.peek()) return;
    this.loadingMore.value = true;
    try {
      const [versions, changes] = await Promise.all([
        this.api.revisions(id, before, page),
        this.api.changes(id, before, page),
      ]);
      if (id !== this.#document) return;
      this.versions.value = joinPages(this.versions.peek(), versions);
      this.changes.value = joinPages(this.changes.peek(), changes);
      this.more.value = versions.length > 0 && (versions.at(-1)?.generation ?? 1) > 1;
    } catch (e) {
      this.status.say(refusalText(refusalOf(e)), 'bad');
    } finally {
      this.loadingMore.value = false;
    }
  }

  toggleFold(key: string): void {
    const open = new Set(this.unfolded.peek());
    if (!open.delete(key)) open.add(key);
    this.unfolded.value = open;
  }

  #openNewest(): void {
    const newest = this.changes.peek()[0];
    if (newest !== undefined) void this.open(newest.id);
  }

  open(change: string): Promise<void> {
    return this.#compare({ change });
  }

  compare(from: number, to: number): Promise<void> {
    return this.#compare({ from, to });
  }

  /** The previous (older) or next (newer) change of the line. */
  async step(by: -1 | 1): Promise<void> {
    const list = this.changes.peek();
    const at = list.findIndex((c) => c.id === this.selected.peek());
    if (by < 0 && at >= 0 && at === list.length - 1 && this.more.peek()) await this.loadMore();
    const next = at < 0 ? this.changes.peek()[0] : this.changes.peek()[at - by];
    if (next === undefined) {
      this.status.say(t(by > 0 ? 'changes.newest' : 'changes.oldest'));
      return;
    }
    const hidden = this.items.peek().find((i) => i.kind === 'fold' && i.entries.some((e) => e.change?.id === next.id));
    if (hidden?.kind === 'fold' && !this.unfolded.peek().has(hidden.key)) this.toggleFold(hidden.key);
    await this.open(next.id);
  }

  async #compare(what: Compared): Promise<void> {
    const id = this.#document ?? this.documents.id.peek();
    if (id === null) return;
    const mine = ++this.#diffs;
    this.compared.value = what;
    this.comparing.value = true;
    this.diffFailure.value = null;
    try {
      const diff = await this.api.diff(
        id,
        'change' in what ? { change: what.change } : { from: String(what.from), to: String(what.to) },
      );
      if (mine !== this.#diffs) return;
      this.rows.value = rowsStep;
      this.shown.value = { diff, hunks: parseUnified(diff.unified) };
    } catch (e) {
      if (mine !== this.#diffs) return;
      this.shown.value = null;
      this.diffFailure.value = refusalOf(e);
    } finally {
      if (mine === this.#diffs) this.comparing.value = false;
    }
  }

  again(): void {
    const what = this.compared.peek();
    if (what !== null) void this.#compare(what);
  }

  showMore(): void {
    this.rows.value += rowsStep;
  }

  /** Takes back a change, or one note of it. What stands in the way is told, and offered. */
  async undo(change: string, note = 0): Promise<boolean> {
    const id = this.#document;
    if (id === null || this.working.peek() !== null) return false;
    this.stuck.value = null;
    return this.#make(
      change,
      () => this.api.revert(id, change, note),
      'changes.did.undo',
      (r) => {
        if (r.code !== 'overlaps_later') return false;
        const { changeSet, generation, note: byNote } = r.detail;
        this.stuck.value = {
          change,
          note,
          message: refusalText(r),
          hint: r.hint,
          by: typeof changeSet === 'string' ? changeSet : null,
          byGeneration: typeof generation === 'number' ? generation : 0,
          byNote: typeof byNote === 'number' ? byNote : 0,
        };
        return true;
      },
    );
  }

  /** Takes back what stands in the way, and then what was meant. */
  async undoBoth(): Promise<void> {
    const s = this.stuck.peek();
    const by = s?.by ?? null;
    if (s === null || by === null) return;
    if (await this.undo(by, s.byNote)) await this.undo(s.change, s.note);
  }

  async redo(): Promise<void> {
    const id = this.#document;
    if (id !== null) await this.#make('redo', () => this.api.redo(id), 'changes.did.redo');
  }

  async restore(version: Version): Promise<void> {
    const id = this.#document;
    if (id === null) return;
    await this.#make(version.id, () => this.api.restore(id, String(version.generation)), 'changes.did.restore');
  }

  async #make(
    what: string,
    step: () => Promise<Made>,
    word: 'changes.did.undo' | 'changes.did.redo' | 'changes.did.restore',
    onRefused: (r: Refusal) => boolean = () => false,
  ): Promise<boolean> {
    this.working.value = what;
    try {
      const made = await step();
      const edits = made.changeSet.edits ?? [];
      const n = made.document.generation;
      this.stuck.value = null;
      this.status.say(t(word, { n, places: edits.length }), 'good');
      this.documents.made(made);
      await this.load();
      await this.open(made.changeSet.id);
      return true;
    } catch (e) {
      const r = refusalOf(e);
      if (!onRefused(r)) this.status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
      return false;
    } finally {
      this.working.value = null;
    }
  }

  /** Names a version; an empty name takes its name away. `move` takes it from the version that has it. */
  async name(generation: number, name: string, move = false): Promise<boolean> {
    const id = this.#document;
    const version = this.versions.peek().find((v) => v.generation === generation);
    if (id === null || version === undefined) return false;
    const wanted = name.trim();
    this.taken.value = null;
    if (wanted === (version.name ?? '')) return true;
    try {
      if (wanted === '') await this.api.unnameVersion(id, generation);
      else await this.api.nameVersion(id, generation, wanted, move);
      await this.load();
      return true;
    } catch (e) {
      const r = refusalOf(e);
      const has = r.detail.generation;
      if (r.code === 'name_taken' && typeof has === 'number') this.taken.value = { generation, name: wanted, has };
      else this.status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
      return false;
    }
  }

  /** The bytes of a version, to be saved. */
  async bytes(version: Version): Promise<Blob> {
    return new Blob([await this.api.source(version.documentId, String(version.generation))]);
  }

  #reset(): void {
    this.phase.value = 'loading';
    this.versions.value = [];
    this.changes.value = [];
    this.more.value = false;
    this.unfolded.value = new Set();
    this.compared.value = null;
    this.shown.value = null;
    this.diffFailure.value = null;
    this.stuck.value = null;
    this.taken.value = null;
  }
}
