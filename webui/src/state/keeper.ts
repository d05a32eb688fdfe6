import { signal } from '@preact/signals';
import type { Api } from '../api/api';
import { lost, Refusal, refusalOf } from '../api/refusal';
import type { EditSession } from '../contract/types';

export type KeeperApi = Pick<Api, 'beginEdit' | 'edit' | 'saveEdit' | 'reopenEdit'>;

/** How text that was typed stands: in the gateway already, or on its way, or here alone. */
export type Kept = 'kept' | 'waiting' | 'keeping' | 'lost' | 'refused';

/** A pause in typing this long, or typing this long without one, is when it is kept. */
export const pause = 600;
export const most = 3_000;
/** A request that is not answered for this long counts as lost. */
export const patience = 20_000;
/** After which it is tried again where the gateway did not answer. */
const again = [1_000, 2_000, 5_000, 10_000];

/**
 * Keeps what is typed in an edit session of the gateway. The text is the
 * editor's until the gateway has said that it has it: no refusal drops any.
 */
export class Keeper {
  readonly state = signal<Kept>('kept');
  readonly refusal = signal<Refusal | null>(null);
  /** The session went on elsewhere, and this text goes on in one of its own. */
  readonly parted = signal(false);
  session: EditSession | null = null;

  #timer: ReturnType<typeof setTimeout> | undefined;
  #since = 0;
  #tries = 0;
  #keeping: Promise<boolean> | null = null;
  /** What the gateway has, as far as it said so, and what it may have got without an answer. */
  #sent: string | null = null;
  #tried: string[] = [];
  #ended = false;

  constructor(
    private readonly api: KeeperApi,
    readonly documentId: string,
    /** The version the text began with: its number, or its id. */
    readonly version: string,
    private readonly read: () => string,
    session: EditSession | null = null,
    /** Told when the gateway has all that is typed. */
    private readonly onKept: () => void = () => undefined,
    private readonly now: () => number = Date.now,
  ) {
    this.session = session;
    this.#sent = session?.text ?? null;
  }

  /** Something was typed. */
  touch(): void {
    if (this.#ended) return;
    if (this.state.peek() !== 'waiting') this.#since = this.now();
    this.state.value = 'waiting';
    this.#plan(Math.max(0, Math.min(pause, this.#since + most - this.now())));
  }

  /** Keeps what there is, now; false where the gateway does not have it. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    while (this.#keeping !== null) await this.#keeping;
    if (this.#ended) return false;
    if (this.session !== null && this.read() === this.#sent) {
      this.state.value = 'kept';
      this.onKept();
      return true;
    }
    this.#keeping = this.#keep().finally(() => (this.#keeping = null));
    return this.#keeping;
  }

  /** No more is kept: the session has ended, or another one goes on. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #plan(wait: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), wait);
  }

  async #keep(): Promise<boolean> {
    const text = this.read();
    this.state.value = 'keeping';
    try {
      await inTime(this.#save(text));
    } catch (e) {
      this.#failed(refusalOf(e));
      return false;
    }
    this.#sent = text;
    this.#tried = [];
    this.#tries = 0;
    this.refusal.value = null;
    if (this.#ended) return true;
    if (this.read() === text) {
      this.state.value = 'kept';
      this.onKept();
    } else this.touch();
    return true;
  }

  #failed(r: Refusal): void {
    this.refusal.value = r;
    // What the gateway can not take (no page, too large) it will not take a second later.
    const passes = r.status === 0 || r.status === 429 || r.status >= 500 || r.status === 401;
    this.state.value = passes ? 'lost' : 'refused';
    if (passes && !this.#ended) this.#plan(again[Math.min(this.#tries++, again.length - 1)] ?? 10_000);
  }

  async #save(text: string): Promise<void> {
    if (this.session === null) await this.#begin();
    try {
      await this.#put(text);
    } catch (e) {
      const r = refusalOf(e);
      if (r.code !== 'head_moved' && r.code !== 'not_found' && r.code !== 'stale_source') throw r;
      await this.#recover(r.code === 'not_found');
      await this.#put(text);
    }
  }

  async #put(text: string): Promise<void> {
    const s = this.session;
    if (s === null) return;
    this.#tried = [...this.#tried.slice(-2), text];
    const saved = await this.api.saveEdit(this.documentId, s.id, text, s.updatedAt);
    // One that is answered after another was begun is of no use any more.
    if (this.session === s) this.session = saved;
  }

  async #begin(): Promise<void> {
    this.session = await this.api.beginEdit(this.documentId, this.version);
  }

  /** The session is not what it was: it expired, has ended, or somebody else typed in it. */
  async #recover(gone: boolean): Promise<void> {
    const old = this.session;
    if (old === null) return;
    if (!gone) {
      const now = await this.api.edit(this.documentId, old.id);
      const ours =
        now.text === this.#sent || this.#tried.includes(now.text ?? '') || (this.#sent === null && !now.unsaved);
      if (ours && now.state === 'expired') {
        this.session = await this.api.reopenEdit(this.documentId, old.id);
        return;
      }
      if (ours && now.state === 'open') {
        this.session = now; // an answer of ours was lost on its way
        return;
      }
      this.parted.value = !ours;
    }
    await this.#begin();
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Refusal({ code: lost, message: 'The gateway does not answer.' }, 0)),
      patience,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
