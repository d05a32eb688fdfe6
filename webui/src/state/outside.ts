import { effect, signal } from '@preact/signals';
import type { Api } from '../api/api';
import { type Refusal, refusalOf } from '../api/refusal';
import type { Synced } from '../contract/types';
import { refusalText, t } from '../i18n';
import { resolved, stated, type Choice, type Merge } from '../lib/merge3';
import { Offsets } from '../lib/utf16';
import { decode } from './baseline';
import type { Documents } from './documents';
import type { Status } from './status';

export type OutsideApi = Pick<Api, 'source' | 'sync' | 'beginEdit' | 'saveEdit' | 'commitEdit' | 'endEdit'>;

export interface Comparison {
  merge: Merge;
  /** The version the file is compared with, and the one both began with. */
  generation: number;
  base: number;
}

/** The file and the newest version both changed: what differs, and joining them place by place. */
export class Outside {
  readonly comparison = signal<Comparison | null>(null);
  readonly failure = signal<Refusal | null>(null);
  readonly working = signal(false);
  #asked = 0;

  constructor(
    private readonly api: OutsideApi,
    private readonly documents: Pick<Documents, 'conflict' | 'sync' | 'made' | 'take'>,
    private readonly status: Pick<Status, 'say'>,
  ) {
    effect(() => void this.#look(this.documents.conflict.value));
  }

  /** Compares again, where it was put off or could not be read. */
  show(): void {
    void this.#look(this.documents.conflict.peek());
  }

  async #look(conflict: Synced | null): Promise<void> {
    const mine = ++this.#asked;
    this.comparison.value = null;
    this.failure.value = null;
    if (conflict === null) return;
    const { id, generation } = conflict.document;
    try {
      const head = decode(await this.api.source(id, String(generation)));
      if (mine !== this.#asked) return;
      const offsets = new Offsets(head);
      const merge = stated(head, conflict.merge?.edits ?? [], conflict.merge?.conflicts ?? [], (span) => [
        offsets.toUnit(span[0]),
        offsets.toUnit(span[1]),
      ]);
      this.comparison.value = { merge, generation, base: conflict.base };
    } catch (e) {
      if (mine === this.#asked) this.failure.value = refusalOf(e);
    }
  }

  /**
   * Joins both sides as they were decided. The file's bytes become a version
   * first, so that both sides stay in the history, and the joined text the next.
   */
  async join(choices: readonly (Choice | undefined)[]): Promise<void> {
    const c = this.comparison.peek();
    const conflict = this.documents.conflict.peek();
    const text = c === null ? null : resolved(c.merge, choices);
    if (c === null || conflict === null || text === null || this.working.peek()) return;
    this.working.value = true;
    const id = conflict.document.id;
    try {
      if (c.merge.conflicts.length === 0) {
        await this.documents.sync('merge');
        return;
      }
      const took = await this.api.sync(id, 'theirs');
      this.documents.take(took.document);
      const session = await this.api.beginEdit(id, String(took.document.generation));
      try {
        await this.api.saveEdit(id, session.id, text, session.updatedAt);
        const done = await this.api.commitEdit(id, session.id);
        this.documents.made(done.made);
        this.status.say(t('source.joined', { n: done.made.document.generation }), 'good');
      } catch (e) {
        // What was decided is all the file's text: there is nothing to add to it.
        if (refusalOf(e).code !== 'no_op') throw e;
        await this.api.endEdit(id, session.id);
      }
      this.documents.conflict.value = null;
    } catch (e) {
      this.status.say(refusalText(refusalOf(e)), 'bad');
      await this.documents.sync();
    } finally {
      this.working.value = false;
    }
  }
}
