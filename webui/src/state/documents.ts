import { computed, signal } from '@preact/signals';
import type { Api } from '../api/api';
import { type Refusal, refusalOf } from '../api/refusal';
import type { Doc, FileState, ListedChange, Made, SyncChoice, Synced } from '../contract/types';
import { refusalText, t } from '../i18n';
import { Queue } from '../lib/queue';
import type { Status } from './status';

export type DocumentsApi = Pick<
  Api,
  'documents' | 'open' | 'watch' | 'document' | 'sync' | 'source' | 'changes' | 'revert' | 'redo' | 'restore' | 'write'
>;

/** Steps that may wait for the one that is being made: a key that is held down asks for more than anybody means. */
const mostWaiting = 20;

/** The document that is open, those that were, and the steps that make versions. */
export class Documents {
  readonly recent = signal<Doc[]>([]);
  readonly current = signal<Doc | null>(null);
  readonly opening = signal(false);
  /** Why the last attempt to open was refused. */
  readonly refusal = signal<Refusal | null>(null);
  /** Both the file and the history changed; a person chooses. */
  readonly conflict = signal<Synced | null>(null);
  /** A step that makes a version is on its way. */
  readonly working = signal(false);
  /** Changes that are taken back altogether, of the newest ones. */
  readonly takenBack = signal<ReadonlySet<string>>(new Set());
  readonly id = computed(() => this.current.value?.id ?? null);
  readonly generation = computed(() => this.current.value?.generation ?? 0);

  #asked = 0;
  #watching = new AbortController();
  #syncing: Promise<void> | null = null;
  readonly #steps = new Queue(mostWaiting);

  constructor(
    private readonly api: DocumentsApi,
    private readonly status: Pick<Status, 'say'>,
  ) {}

  async loadRecent(): Promise<void> {
    this.recent.value = await this.api.documents();
  }

  /** Opens a file. A later call wins over an earlier one that is still on its way. */
  async open(path: string): Promise<boolean> {
    const mine = ++this.#asked;
    this.opening.value = true;
    this.refusal.value = null;
    try {
      const doc = await this.api.open(path).catch((e: unknown) => this.#apart(e));
      if (mine !== this.#asked) return false;
      this.conflict.value = null;
      this.current.value = doc;
      this.#watch(doc.id);
      return true;
    } catch (e) {
      if (mine === this.#asked) this.refusal.value = refusalOf(e);
      return false;
    } finally {
      if (mine === this.#asked) this.opening.value = false;
    }
  }

  /** A document whose file went another way than its history is shown as it is known; the watch tells of the conflict. */
  async #apart(e: unknown): Promise<Doc> {
    const r = refusalOf(e);
    const id = r.detail['document'];
    if (r.code !== 'outside_change' || typeof id !== 'string') throw e;
    return this.api.document(id);
  }

  /** Shows what the gateway says of the document, unless something newer is known. */
  take(doc: Doc): void {
    const now = this.current.value;
    if (now === null || now.id !== doc.id || doc.stateRev < now.stateRev) return;
    if (doc.stateRev === now.stateRev && doc.ahead === now.ahead && doc.generation === now.generation) return;
    this.current.value = doc;
  }

  /** Follows what other windows, commands and programs do to the document and its file. */
  #watch(id: string): void {
    this.#watching.abort();
    const mine = (this.#watching = new AbortController());
    this.api
      .watch(id, {
        signal: mine.signal,
        onEvent: (e) => {
          if (mine.signal.aborted) return;
          if (e.event === 'document') this.take(JSON.parse(e.data) as Doc);
          else if (e.event === 'file') this.#file(JSON.parse(e.data) as FileState);
        },
      })
      .catch((e: unknown) => {
        if (!mine.signal.aborted) this.status.say(refusalText(refusalOf(e)), 'bad');
      });
  }

  #file(f: FileState): void {
    // The watch only says that there is a conflict; asking for it gives its places.
    if (f.state === 'conflict') void this.sync();
    else if (f.state !== '') {
      this.conflict.value = null;
      if (f.state === 'imported') this.status.say(t('state.outside.taken'));
    } else if (f.error !== undefined) this.status.say(refusalText(f.error), 'bad');
  }

  /** Which of the newest changes still stand. */
  async loadFates(): Promise<void> {
    const id = this.id.value;
    if (id === null) return;
    try {
      const list = await this.api.changes(id, undefined, 50);
      if (this.id.value !== id) return;
      this.takenBack.value = new Set(list.filter((c) => !c.inForce).map((c) => c.id));
    } catch {
      // The next version asks again.
    }
  }

  async refresh(): Promise<void> {
    const id = this.id.value;
    if (id === null) return;
    try {
      this.take(await this.api.document(id));
    } catch {
      // The next beat asks again; that the gateway is lost is told by its state.
    }
  }

  /**
   * Brings file and history in step. Without a choice, only what loses nothing is
   * done; where both sides changed, the conflict is shown.
   */
  async sync(choice: SyncChoice = ''): Promise<void> {
    while (this.#syncing !== null) await this.#syncing;
    this.#syncing = this.#sync(choice).finally(() => (this.#syncing = null));
    return this.#syncing;
  }

  async #sync(choice: SyncChoice): Promise<void> {
    const id = this.id.value;
    if (id === null) return;
    try {
      const done = await this.api.sync(id, choice);
      if (this.id.value !== id) return;
      this.take(done.document);
      this.conflict.value = done.state === 'conflict' ? done : null;
    } catch (e) {
      const r = refusalOf(e);
      if (choice !== '' && !r.isLost) this.status.say(refusalText(r), 'bad');
    }
  }

  /** Takes back the newest change that is in force and is no taking back itself. */
  async undo(): Promise<void> {
    const id = this.id.value;
    if (id === null) return;
    await this.#make(
      id,
      async () => {
        const change = newestInForce(await this.api.changes(id, undefined, 100));
        if (change === undefined) {
          this.status.say(t('undo.nothing'));
          return null;
        }
        return await this.api.revert(id, change.id);
      },
      'undo.done',
    );
  }

  async undoChange(change: string, note = 0): Promise<boolean> {
    const id = this.id.value;
    if (id === null) return false;
    return this.#make(id, () => this.api.revert(id, change, note), 'undo.done');
  }

  async redo(): Promise<void> {
    const id = this.id.value;
    if (id === null) return;
    await this.#make(id, () => this.api.redo(id), 'redo.done');
  }

  async restore(version: string): Promise<boolean> {
    const id = this.id.value;
    if (id === null) return false;
    return this.#make(id, () => this.api.restore(id, version), 'redo.done');
  }

  /** Shows what a step made, and says what could not be written. */
  made(m: Made): void {
    this.take(m.document);
    if (m.writeError !== undefined) {
      this.status.say(t('card.notwritten', { why: refusalText(m.writeError) }), 'bad');
      if (m.writeError.code === 'outside_change') void this.sync();
    }
  }

  /** Makes one step behind those that were asked for before; none of them is lost, and none overtakes another. */
  async #make(id: string, step: () => Promise<Made | null>, word: 'undo.done' | 'redo.done'): Promise<boolean> {
    if (this.#steps.full) return false;
    this.working.value = true;
    return this.#steps
      .add(async () => {
        if (this.id.value !== id) return false; // it was meant for the document that was open then
        try {
          const m = await step();
          if (m === null) return false;
          this.status.say(t(word, { n: m.document.generation }), 'good');
          this.made(m);
          return true;
        } catch (e) {
          const r = refusalOf(e);
          this.status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
          return false;
        }
      })
      .finally(() => (this.working.value = this.#steps.waiting > 0));
  }
}

/** What undo takes back: the newest change that stands and was not itself a taking back. */
export function newestInForce(list: readonly ListedChange[]): ListedChange | undefined {
  return list.find((c) => c.inForce && c.source !== 'revert' && c.source !== 'import' && c.source !== 'outside');
}
