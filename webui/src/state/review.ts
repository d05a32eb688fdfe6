import { computed, effect, signal } from '@preact/signals';
import type { Api } from '../api/api';
import { type Refusal, refusalOf } from '../api/refusal';
import type { Proposal, SentNote } from '../contract/types';
import { refusalText, t } from '../i18n';
import { parseUnified } from '../lib/hunks';
import { rowsStep } from './changes';
import type { Documents } from './documents';
import type { Places } from './places';
import type { Status } from './status';

export type ReviewApi = Pick<Api, 'proposal' | 'proposalPicture' | 'turn' | 'reading' | 'decide' | 'again'>;

/** The gateway is told this often that somebody reads. */
export const tell = 4_000;
/** A person who scrolled or typed this lately is reading. */
export const lately = 10_000;

export interface Pictures {
  before: Blob;
  after: Blob;
}

/** What the words and the drafts of a rejected change go back into. */
export interface Composer {
  message: { value: string };
  draftedAgain: (turn: string) => void;
}

/**
 * A change that waits for a person: what it would do, and the decision. Its time
 * stands still while somebody is reading.
 */
export class Reviewing {
  readonly phase = signal<'idle' | 'loading' | 'ready' | 'gone' | 'failed'>('idle');
  readonly failure = signal<Refusal | null>(null);
  readonly proposal = signal<Proposal | null>(null);
  readonly notes = signal<readonly SentNote[]>([]);
  readonly pictures = signal<Pictures | null>(null);
  readonly hunks = computed(() => parseUnified(this.proposal.value?.unified ?? ''));
  readonly rows = signal(rowsStep);
  readonly deciding = signal(false);
  /** Another proposal came in place of the one that was looked at. */
  readonly replaced = signal(false);
  /** Nobody decided in time. */
  readonly expired = signal(false);

  /** Milliseconds until it is dropped; null where that is not known. */
  readonly left = signal<number | null>(null);
  readonly over = signal(false);
  readonly focused = signal(false);
  readonly #last = signal(0);
  readonly #now = signal(0);
  readonly reading = computed(
    () => this.over.value || this.focused.value || this.#now.value - this.#last.value < lately,
  );

  #turn: string | null = null;
  #asked = 0;
  #told = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #expires: number | null = null;

  constructor(
    private readonly api: ReviewApi,
    private readonly session: string,
    private readonly documents: Pick<Documents, 'id' | 'refresh'>,
    private readonly places: Pick<Places, 'review'>,
    private readonly composer: Composer,
    private readonly reloadNotes: () => Promise<void>,
    private readonly status: Pick<Status, 'say'>,
    private readonly now: () => number = Date.now,
  ) {
    effect(() => {
      const turn = this.places.review.value;
      if (turn === this.#turn) return;
      if (turn === null) this.#close();
      else void this.open(turn);
    });
  }

  async open(turn: string): Promise<void> {
    this.#close();
    this.#turn = turn;
    this.phase.value = 'loading';
    await this.load();
    if (this.#turn !== turn) return;
    this.#timer = setInterval(() => this.#tick(), 250);
  }

  /** Reads what waits, again where another one took its place. */
  async load(): Promise<void> {
    const turn = this.#turn;
    if (turn === null) return;
    const mine = ++this.#asked;
    this.failure.value = null;
    try {
      const [proposal, t] = await Promise.all([this.api.proposal(turn), this.api.turn(turn)]);
      if (mine !== this.#asked) return;
      this.notes.value = t.notes ?? [];
      this.rows.value = rowsStep;
      this.proposal.value = proposal;
      this.pictures.value = null;
      this.#expireAt(proposal.expiresMs ?? null);
      this.phase.value = 'ready';
      void this.#loadPictures(turn, mine);
    } catch (e) {
      if (mine !== this.#asked) return;
      const r = refusalOf(e);
      if (r.code === 'turn_ended') await this.#gone(turn, mine);
      else {
        this.failure.value = r;
        this.phase.value = 'failed';
      }
    }
  }

  async #loadPictures(turn: string, mine: number): Promise<void> {
    try {
      const [before, after] = await Promise.all([
        this.api.proposalPicture(turn, 'before'),
        this.api.proposalPicture(turn, 'after'),
      ]);
      if (mine === this.#asked) this.pictures.value = { before, after };
    } catch {
      // A turn that took none has none: the difference of the source says it all.
    }
  }

  async #gone(turn: string, mine: number): Promise<void> {
    const ended = await this.api.turn(turn).catch(() => null);
    if (mine !== this.#asked) return;
    this.expired.value = ended?.expired === true;
    this.phase.value = 'gone';
    clearInterval(this.#timer);
  }

  /** Somebody scrolled, typed or moved the pointer over it. */
  touched(): void {
    this.#last.value = this.now();
    this.#now.value = this.now();
  }

  #tick(): void {
    const now = this.now();
    this.#now.value = now;
    if (this.phase.peek() !== 'ready' || this.#expires === null) return;
    if (this.reading.peek()) {
      if (now - this.#told >= tell) void this.#tell(now);
      return; // shown as it stood when reading began
    }
    this.left.value = Math.max(0, this.#expires - now);
    if (this.left.peek() === 0) void this.load();
  }

  async #tell(now: number): Promise<void> {
    const turn = this.#turn;
    const p = this.proposal.peek();
    if (turn === null || p === null) return;
    this.#told = now;
    const mine = this.#asked;
    try {
      const { expiresMs } = await this.api.reading(turn, p.sha256);
      if (mine === this.#asked) this.#expireAt(expiresMs);
    } catch (e) {
      if (mine !== this.#asked) return;
      const code = refusalOf(e).code;
      if (code === 'stale_receipt' || code === 'turn_ended') {
        this.replaced.value = code === 'stale_receipt';
        await this.load();
      }
    }
  }

  #expireAt(ms: number | null): void {
    this.#expires = ms;
    this.left.value = ms === null ? null : Math.max(0, ms - this.now());
  }

  approve(): Promise<boolean> {
    return this.#decide(true);
  }

  reject(): Promise<boolean> {
    return this.#decide(false);
  }

  /** Rejects it, and puts the notes back as drafts with a person's words beside them. */
  async ask(words: string): Promise<boolean> {
    const turn = this.#turn;
    if (turn === null || !(await this.#decide(false))) return false;
    if (words.trim() !== '') this.composer.message.value = words.trim();
    return this.draftAgain(turn);
  }

  /** What was not applied becomes drafts once more. */
  async draftAgain(turn: string | null = this.#turn): Promise<boolean> {
    const document = this.documents.id.peek();
    if (document === null || turn === null) return false;
    try {
      const done = await this.api.again(document, this.session, turn);
      this.composer.draftedAgain(turn);
      await this.reloadNotes();
      this.status.say(t('review.drafts', { n: done.annotations?.length ?? 0 }), 'good');
      this.close();
      return true;
    } catch (e) {
      this.status.say(refusalText(refusalOf(e)), 'bad');
      return false;
    }
  }

  async #decide(commit: boolean): Promise<boolean> {
    const turn = this.#turn;
    const p = this.proposal.peek();
    if (turn === null || p === null || this.deciding.peek() || this.phase.peek() !== 'ready') return false;
    this.deciding.value = true;
    try {
      await this.api.decide(turn, p.sha256, commit);
      this.status.say(t(commit ? 'review.approved' : 'review.rejected'), commit ? 'good' : 'plain');
      this.close();
      void this.documents.refresh();
      return true;
    } catch (e) {
      const r = refusalOf(e);
      if (r.code === 'stale_receipt') {
        this.replaced.value = true;
        await this.load();
      } else if (r.code === 'turn_ended') await this.#gone(turn, this.#asked);
      else this.status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
      return false;
    } finally {
      this.deciding.value = false;
    }
  }

  showMore(): void {
    this.rows.value += rowsStep;
  }

  /** Leaves the review; what waits goes on waiting, and its time runs. */
  close(): void {
    this.places.review.value = null;
  }

  #close(): void {
    clearInterval(this.#timer);
    this.#asked++;
    this.#turn = null;
    this.#expires = null;
    this.#told = 0;
    this.#last.value = 0;
    this.phase.value = 'idle';
    this.proposal.value = null;
    this.pictures.value = null;
    this.notes.value = [];
    this.failure.value = null;
    this.replaced.value = false;
    this.expired.value = false;
    this.left.value = null;
    this.over.value = false;
    this.focused.value = false;
  }
}
