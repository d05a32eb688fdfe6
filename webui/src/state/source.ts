import { computed, effect, signal } from '@preact/signals';
import type { Api } from '../api/api';
import { type Refusal, refusalOf } from '../api/refusal';
import type { EditSession } from '../contract/types';
import { refusalText, t } from '../i18n';
import { merge3, resolved, type Choice, type Merge } from '../lib/merge3';
import { type Baseline, baseline, type Committed, type Cursor, decode } from './baseline';
import type { Documents } from './documents';
import { Keeper, type KeeperApi } from './keeper';
import type { Status } from './status';

export type SourceApi = KeeperApi & Pick<Api, 'source' | 'edits' | 'commitEdit' | 'endEdit' | 'revisions'>;

export interface Joining {
  merge: Merge;
  head: Baseline;
}

/**
 * The source as it is edited by hand. The editor is a view of it: it hands in how
 * to read its text while it stands, and leaves the text here when it goes.
 */
export class Source {
  readonly phase = signal<'idle' | 'loading' | 'ready' | 'failed'>('idle');
  readonly failure = signal<Refusal | null>(null);
  readonly baseline = signal<Baseline | null>(null);
  /** What the editor is to show from now on. A new object each time. */
  readonly shown = signal<{ text: string } | null>(null);
  readonly keeper = signal<Keeper | null>(null);
  /** Differs from the version it began with. */
  readonly unsaved = signal(false);
  readonly committing = signal(false);
  readonly joining = signal<Joining | null>(null);
  /** Text from before, in sessions of its own, that is in no version. */
  readonly found = signal<EditSession[]>([]);
  /** Where the cursor is, by lines and characters from 1; null before there was an editor. */
  readonly cursor = signal<Cursor | null>(null);
  /** Why the last save made no version. */
  readonly refusal = signal<Refusal | null>(null);
  readonly behind = computed(() => {
    const b = this.baseline.value;
    return b !== null && this.documents.generation.value > b.generation;
  });

  #document: string | null = null;
  #read: (() => string) | null = null;
  #left = '';
  #asked = 0;

  constructor(
    private readonly api: SourceApi,
    private readonly documents: Pick<Documents, 'id' | 'generation' | 'made' | 'refresh'>,
    private readonly status: Pick<Status, 'say'>,
  ) {
    // A newer version is shown at once where nothing would be lost by it.
    effect(() => {
      const id = this.documents.id.value;
      const behind = this.behind.value;
      if (this.phase.peek() === 'idle') return;
      if (id !== this.#document) void this.load();
      else if (behind && !this.unsaved.peek() && !this.committing.peek()) void this.#follow();
    });
  }

  /** The text as it is now. */
  get text(): string {
    return this.#read?.() ?? this.#left;
  }

  /** An editor stands; gives what to call when it goes. */
  attach(read: () => string): () => void {
    this.#read = read;
    return () => {
      this.#left = read();
      if (this.#read === read) this.#read = null;
      // The next editor begins with it.
      if (this.shown.peek() !== null) this.shown.value = { text: this.#left };
      if (this.unsaved.peek()) void this.keeper.peek()?.flush();
    };
  }

  /** Loads the open document's newest version, unless it stands there already. */
  async load(again = false): Promise<void> {
    const id = this.documents.id.peek();
    if (id === null || (!again && id === this.#document && this.phase.peek() !== 'failed')) return;
    const mine = ++this.#asked;
    const old = this.keeper.peek();
    if (old !== null && this.unsaved.peek()) await old.flush();
    old?.end();
    this.#document = id;
    this.#reset();
    this.phase.value = 'loading';
    this.failure.value = null;
    try {
      const [head, found] = await Promise.all([this.#load(id, this.documents.generation.peek()), this.api.edits(id)]);
      if (mine !== this.#asked) return;
      this.found.value = found;
      this.#begin(head, head.text);
      this.phase.value = 'ready';
    } catch (e) {
      if (mine !== this.#asked) return;
      this.failure.value = refusalOf(e);
      this.phase.value = 'failed';
    }
  }

  /** The editor's text changed by a person's hand. */
  changed(): void {
    this.refusal.value = null;
    this.unsaved.value = true; // whether it is again what it was is found out when it is kept
    this.keeper.peek()?.touch();
  }

  /** Makes the text the newest version. */
  async commit(): Promise<void> {
    const keeper = this.keeper.peek();
    if (keeper === null || this.committing.peek() || this.joining.peek() !== null) return;
    if (!this.unsaved.peek() || this.text === this.baseline.peek()?.text) {
      this.unsaved.value = false;
      this.status.say(t('source.nothing'));
      return;
    }
    this.committing.value = true;
    this.refusal.value = null;
    try {
      await this.#commit(keeper, true);
    } finally {
      this.committing.value = false;
    }
  }

  async #commit(keeper: Keeper, mayTryAgain: boolean): Promise<void> {
    const sent = this.text;
    if (!(await keeper.flush()) || keeper.session === null) {
      const r = keeper.refusal.peek();
      if (r !== null) this.#refused(r);
      return;
    }
    try {
      const done = await this.api.commitEdit(keeper.documentId, keeper.session.id);
      await this.#committed(keeper, sent, done);
    } catch (e) {
      const r = refusalOf(e);
      if (r.code === 'no_op') {
        keeper.end();
        await this.#nothingNew(sent);
      } else if (Array.isArray(r.detail.conflicts)) await this.#conflicting(r);
      else if (mayTryAgain && (r.code === 'turn_ended' || r.code === 'request_conflict' || r.code === 'head_moved')) {
        if (await this.#reopened(keeper)) await this.#commit(keeper, false);
        else this.#refused(r);
      } else this.#refused(r);
    }
  }

  /**
   * An expired session goes on. One that has ended gave its text to a version, of
   * which the answer was lost, or was dropped elsewhere: the text gets a new one.
   */
  async #reopened(keeper: Keeper): Promise<boolean> {
    const s = keeper.session;
    if (s === null) return false;
    try {
      const now = await this.api.edit(keeper.documentId, s.id);
      if (now.state === 'closed') keeper.session = null;
      else keeper.session = now.state === 'expired' ? await this.api.reopenEdit(keeper.documentId, s.id) : now;
      return true;
    } catch (e) {
      this.#refused(refusalOf(e));
      return false;
    }
  }

  async #committed(keeper: Keeper, sent: string, done: Committed): Promise<void> {
    keeper.end();
    const generation = done.made.document.generation;
    const old = this.baseline.peek();
    let head = baseline(generation, sent);
    try {
      if (done.merged) head = await this.#load(keeper.documentId, generation);
    } catch {
      // The version is made. What it holds beside this text is not known, so the
      // text goes on where it began: saved again, it is joined again, and is the same.
      if (old !== null) this.#begin(old, this.text, true);
      this.documents.made(done.made);
      return;
    }
    const typed = this.text;
    if (typed === sent) this.#begin(head, head.text, !done.merged);
    else this.#rebase(sent, head, typed); // typing went on meanwhile
    this.status.say(t(done.merged ? 'source.joined' : 'source.committed', { n: generation }), 'good');
    this.documents.made(done.made);
  }

  /** All that was sent is in the newest version already. */
  async #nothingNew(sent: string): Promise<void> {
    try {
      const head = await this.#newest();
      const typed = this.text;
      if (typed === sent) this.#begin(head, head.text);
      else this.#rebase(sent, head, typed);
      this.status.say(t('source.nothing'));
    } catch (e) {
      this.#refused(refusalOf(e));
    }
  }

  /** What was typed since goes on, on the new version. */
  #rebase(from: string, head: Baseline, mine: string): void {
    const merge = merge3(from, head.text, mine);
    const text = resolved(
      merge,
      merge.conflicts.map(() => ({ take: 'mine' })),
    );
    this.#begin(head, text ?? mine, text === mine);
    this.changed();
  }

  async #conflicting(r: Refusal): Promise<void> {
    try {
      await this.#join(await this.#newest());
    } catch {
      this.#refused(r);
    }
  }

  /** Joins newer versions into the text, without saving it. */
  async join(): Promise<void> {
    try {
      await this.#join(await this.#newest());
    } catch (e) {
      this.#refused(refusalOf(e));
    }
  }

  async #join(head: Baseline): Promise<void> {
    const base = this.baseline.peek();
    if (base === null) return;
    const merge = merge3(base.text, head.text, this.text);
    if (merge.conflicts.length > 0) {
      this.joining.value = { merge, head };
      return;
    }
    await this.#goOn(head, resolved(merge, []) ?? this.text);
    this.status.say(t('source.look', { n: head.generation }));
  }

  /** Every conflict is decided: the text goes on, on the newest version, and is saved where that is wanted. */
  async resolve(choices: readonly (Choice | undefined)[], save: boolean): Promise<void> {
    const joining = this.joining.peek();
    const text = joining === null ? null : resolved(joining.merge, choices);
    if (joining === null || text === null) return;
    this.joining.value = null;
    await this.#goOn(joining.head, text);
    if (save) await this.commit();
  }

  /** The conflict is left as it is; the text stays, unsaved. */
  leaveJoining(): void {
    this.joining.value = null;
  }

  /** Text on a newer version gets a session of its own; the old one ends when the new one holds it. */
  async #goOn(head: Baseline, text: string): Promise<void> {
    const old = this.keeper.peek();
    this.#begin(head, text);
    this.unsaved.value = text !== head.text;
    if (!this.unsaved.peek() || (await this.keeper.peek()?.flush()) === true) await this.#drop(old);
    old?.end();
  }

  /** Goes on with text of a session from before. */
  async goOnWith(found: EditSession): Promise<void> {
    const id = this.#document;
    if (id === null || this.unsaved.peek()) return;
    try {
      const [s, base] = await Promise.all([this.#opened(id, found.id), this.#version(id, found.baselineId)]);
      if (id !== this.#document) return;
      this.found.value = this.found.peek().filter((f) => f.id !== found.id);
      this.#begin(base, s.text ?? base.text, false, s);
      this.unsaved.value = s.text !== base.text;
    } catch (e) {
      this.#refused(refusalOf(e));
    }
  }

  async #opened(document: string, id: string): Promise<EditSession> {
    const s = await this.api.edit(document, id);
    return s.state === 'expired' ? this.api.reopenEdit(document, id) : s;
  }

  async dropFound(found: EditSession): Promise<void> {
    try {
      await this.api.endEdit(found.documentId, found.id);
      this.found.value = this.found.peek().filter((f) => f.id !== found.id);
    } catch (e) {
      this.#refused(refusalOf(e));
    }
  }

  /** What was typed is dropped, and the newest version is shown. */
  async discard(): Promise<void> {
    const keeper = this.keeper.peek();
    keeper?.end();
    await this.#drop(keeper);
    this.joining.value = null;
    this.unsaved.value = false;
    await this.#follow();
  }

  async #drop(keeper: Keeper | null): Promise<void> {
    const s = keeper?.session ?? null;
    if (keeper === null || s === null) return;
    try {
      await this.api.endEdit(keeper.documentId, s.id);
    } catch {
      // It is found again as text of no version, and can be dropped then.
    }
  }

  async #follow(): Promise<void> {
    const id = this.#document;
    if (id === null) return;
    const mine = ++this.#asked;
    try {
      const head = await this.#newest();
      if (mine !== this.#asked || this.unsaved.peek()) return;
      this.keeper.peek()?.end();
      this.#begin(head, head.text);
    } catch (e) {
      if (mine === this.#asked) this.#refused(refusalOf(e));
    }
  }

  #begin(head: Baseline, text: string, asItStands = false, session: EditSession | null = null): void {
    // First of all: an editor that looked at an older text here would show that one again.
    if (asItStands) this.shown.value = { text: this.text };
    this.baseline.value = head;
    this.keeper.value = new Keeper(
      this.api,
      this.#document ?? '',
      head.version,
      () => this.text,
      session,
      () => this.#kept(),
    );
    this.unsaved.value = text !== head.text;
    this.refusal.value = null;
    if (!asItStands) {
      this.#left = text;
      this.shown.value = { text };
    }
  }

  /** All is kept: whether it is a version's text again can be told without haste. */
  #kept(): void {
    if (this.committing.peek()) return;
    this.unsaved.value = this.text !== this.baseline.peek()?.text;
    if (!this.unsaved.peek() && this.behind.peek()) void this.#follow();
  }

  #reset(): void {
    this.baseline.value = null;
    this.shown.value = null;
    this.keeper.value = null;
    this.unsaved.value = false;
    this.joining.value = null;
    this.found.value = [];
    this.refusal.value = null;
    this.#left = '';
  }

  #refused(r: Refusal): void {
    this.refusal.value = r;
    this.status.say(refusalText(r), 'bad');
  }

  async #newest(): Promise<Baseline> {
    await this.documents.refresh();
    return this.#load(this.#document ?? '', this.documents.generation.peek());
  }

  async #load(id: string, generation: number): Promise<Baseline> {
    // By its number, so that the text is that of the version it is said to be.
    return baseline(generation, decode(await this.api.source(id, String(generation))));
  }

  async #version(id: string, version: string): Promise<Baseline> {
    const [bytes, versions] = await Promise.all([this.api.source(id, version), this.api.revisions(id)]);
    const generation = versions.find((v) => v.id === version)?.generation ?? 0;
    return { generation, version, text: decode(bytes) };
  }
}
