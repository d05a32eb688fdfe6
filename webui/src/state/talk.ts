import { computed, signal, type Signal } from '@preact/signals';
import type { Api } from '../api/api';
import { type Refusal, refusalOf } from '../api/refusal';
import type { Count, Model, SceneView, Turn, TurnEvent } from '../contract/types';
import { refusalText } from '../i18n';
import type { Notes } from './notes';
import type { Preferences } from './preferences';
import type { Status } from './status';
import { noProgress, type Progress, reduce } from './steps';

export type TalkApi = Pick<Api, 'send' | 'again' | 'turn' | 'cancel' | 'count' | 'documentEvents' | 'models'>;

/** A turn as it is shown: what the gateway says of it, and what its events told. */
export class TurnView {
  readonly turn: Signal<Turn | null> = signal(null);
  readonly progress: Signal<Progress> = signal(noProgress);
  readonly cancelling = signal(false);
  /** Its notes were made drafts again. */
  readonly drafted = signal(false);

  constructor(readonly id: string) {}

  /** It works, here. */
  readonly busy = computed(() => {
    const t = this.turn.value;
    if (t === null) return false;
    return t.result === undefined && t.running;
  });

  /** It was not ended and nobody works on it. */
  readonly interrupted = computed(() => {
    const t = this.turn.value;
    if (t === null || t.running || t.result !== undefined) return false;
    return t.state === 'accepted' || t.state === 'running';
  });
}

/** What the window knows that goes out with a turn. */
export interface Around {
  scene: () => Omit<SceneView, 'leaveOut'>;
  size: () => { width: number; height: number };
  allowed: () => string[];
}

/** Typing rests this long before what it would come to is counted. */
const countRest = 300;
/** A running turn is looked at this often: that it waits for a person is told by no event. */
const lookEvery = 1_500;
/** How many of the last turns are loaded without being asked for. */
export const shownTurns = 8;

export class Talk {
  readonly turns = signal<readonly TurnView[]>([]);
  readonly live = signal(true);
  readonly message = signal('');
  readonly sending = signal(false);
  readonly refusal = signal<Refusal | null>(null);
  readonly count = signal<Count | null>(null);
  readonly models = signal<readonly Model[]>([]);
  readonly leaveOut = signal<ReadonlySet<string>>(new Set());
  readonly older = signal(0);

  readonly working = computed(() => this.turns.value.filter((v) => v.busy.value));
  /** The notes of turns that work. */
  readonly sent = computed(() => this.working.value.flatMap((v) => v.turn.value?.notes ?? []));
  readonly canSend = computed(
    () =>
      !this.sending.value &&
      (this.message.value.trim() !== '' ||
        this.notes.list.value.length > 0 ||
        (this.notes.box.value?.text.text.value.trim() ?? '') !== ''),
  );

  /** A turn of this window waits for a decision. */
  onWaits: (turn: string) => void = () => undefined;
  /** A turn made a version, or ended. */
  onEnded: (turn: Turn) => void = () => undefined;

  #document = '';
  #stream = new AbortController();
  #counting: AbortController | null = null;
  #countTimer: ReturnType<typeof setTimeout> | undefined;
  #look: ReturnType<typeof setInterval> | undefined;
  #loadTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #stale = new Set<string>();
  readonly #mine = new Set<string>();
  readonly #waiting = new Set<string>();
  /** The first change of a session is reviewed, whatever the setting says. */
  #reviewed = false;
  #request: { id: string; body: string } | null = null;

  constructor(
    private readonly api: TalkApi,
    private readonly session: string,
    private readonly notes: Notes,
    private readonly preferences: Pick<Preferences, 'review' | 'model' | 'write'>,
    private readonly around: Around,
    private readonly status: Pick<Status, 'say'>,
    private readonly newId: () => string = () => crypto.randomUUID(),
  ) {}

  open(documentId: string): void {
    this.close();
    this.#document = documentId;
    const stream = (this.#stream = new AbortController());
    this.api
      .documentEvents(documentId, {
        signal: stream.signal,
        onLive: (live) => (this.live.value = live),
        onEvent: (e) => {
          if (!stream.signal.aborted) this.take(JSON.parse(e.data) as TurnEvent);
        },
      })
      .catch((e: unknown) => {
        if (!stream.signal.aborted) this.status.say(refusalText(refusalOf(e)), 'bad');
      });
    this.#look = setInterval(() => {
      for (const v of this.turns.value) if (v.busy.value) void this.load(v.id);
    }, lookEvery);
    void this.loadModels();
    this.recount();
  }

  close(): void {
    this.#stream.abort();
    this.#counting?.abort();
    clearInterval(this.#look);
    clearTimeout(this.#countTimer);
    clearTimeout(this.#loadTimer);
    this.turns.value = [];
    this.older.value = 0;
    this.count.value = null;
    this.refusal.value = null;
    this.#stale.clear();
  }

  take(e: TurnEvent): void {
    const view = this.#view(e.turn);
    view.progress.value = reduce(view.progress.value, e);
    if (e.kind === 'accepted' || e.kind === 'ended' || e.kind === 'committed') this.#loadSoon(e.turn);
  }

  async load(id: string): Promise<void> {
    const view = this.#view(id);
    try {
      const turn = await this.api.turn(id);
      const before = view.turn.value;
      // An answer that was overtaken tells less than what is known.
      if (before?.result !== undefined && turn.result === undefined) return;
      view.turn.value = turn;
      if (turn.waits && !this.#waiting.has(id)) {
        this.#waiting.add(id);
        if (this.#mine.has(id)) this.onWaits(id);
      }
      if (!turn.waits) this.#waiting.delete(id);
      if (turn.result !== undefined && before?.result === undefined) {
        if (this.#mine.has(id) && turn.result.status === 'applied') this.#reviewed = true;
        if (before !== null) this.onEnded(turn);
      }
    } catch {
      // The stream tells when it is there again, and the next look asks.
    }
  }

  async loadOlder(): Promise<void> {
    const missing = this.turns.value.filter((v) => v.turn.value === null).slice(-shownTurns);
    await Promise.all(missing.map((v) => this.load(v.id)));
    this.#countOlder();
  }

  async loadModels(): Promise<void> {
    try {
      this.models.value = await this.api.models();
    } catch {
      // The composer then has the default only.
    }
  }

  /** What would go out is counted a moment after it changed. */
  recount(): void {
    clearTimeout(this.#countTimer);
    this.#countTimer = setTimeout(() => void this.#count(), countRest);
  }

  type(message: string): void {
    this.message.value = message;
    this.recount();
  }

  toggleSection(id: string): void {
    const out = new Set(this.leaveOut.value);
    if (!out.delete(id)) out.add(id);
    this.leaveOut.value = out;
    this.recount();
  }

  /** Sends the message and the drafts. What cannot be sent is kept as it was. */
  async send(approve: string[] = []): Promise<boolean> {
    if (!this.canSend.value) return false;
    this.sending.value = true;
    this.refusal.value = null;
    try {
      if (!(await this.notes.settle())) return false;
      const drafts = this.notes.list.value;
      const message = this.message.value.trim();
      const { width, height } = this.around.size();
      const content = {
        session: this.session,
        message,
        annotations: drafts.map((n) => n.id),
        seen: drafts.map((n) => n.updatedAt),
        model: this.preferences.model.value,
        width,
        height,
        allowOrigins: this.around.allowed(),
        approve,
        review: this.preferences.review.value || !this.#reviewed,
        write: this.preferences.write.value,
        scene: { ...this.around.scene(), leaveOut: [...this.leaveOut.value] },
      };
      // Where nobody knows whether it arrived, the same words go out under the same name.
      const body = JSON.stringify([this.#document, content.annotations, content.seen, message, content.model]);
      if (this.#request?.body !== body) this.#request = { id: this.newId(), body };
      const turn = await this.api.send(this.#document, { ...content, requestId: this.#request.id });
      this.#request = null;
      this.#mine.add(turn.id);
      this.#view(turn.id).turn.value = turn;
      this.message.value = '';
      await this.notes.load();
      this.recount();
      return true;
    } catch (e) {
      const r = refusalOf(e);
      this.refusal.value = r;
      if (!r.isLost) this.#request = null;
      if (r.code === 'request_conflict') await this.notes.load();
      return false;
    } finally {
      this.sending.value = false;
    }
  }

  /** Sends a turn's notes once more, with what it adds approved. */
  async approve(turn: Turn): Promise<void> {
    const kinds = [...new Set((turn.result?.flags ?? []).map((f) => f.kind))];
    if (this.message.value.trim() === '') this.message.value = turn.message;
    await this.again(turn.id);
    await this.send(kinds);
  }

  async cancel(id: string): Promise<void> {
    const view = this.#view(id);
    view.cancelling.value = true;
    try {
      await this.api.cancel(id);
      await this.load(id);
    } catch (e) {
      this.#say(e);
    } finally {
      view.cancelling.value = false;
    }
  }

  /** What a turn did not apply becomes drafts once more. */
  async again(turn: string): Promise<void> {
    try {
      await this.api.again(this.#document, this.session, turn);
      this.draftedAgain(turn);
      await Promise.all([this.notes.load(), this.load(turn)]);
      this.recount();
    } catch (e) {
      this.#say(e);
    }
  }

  /** A turn's notes are drafts again, here or in the review: that is offered once. */
  draftedAgain(turn: string): void {
    this.#view(turn).drafted.value = true;
  }

  #view(id: string): TurnView {
    const there = this.turns.value.find((v) => v.id === id);
    if (there !== undefined) return there;
    const view = new TurnView(id);
    this.turns.value = [...this.turns.value, view];
    return view;
  }

  /** A stream tells all at once at first; only the last turns of it are loaded. */
  #loadSoon(id: string): void {
    this.#stale.add(id);
    clearTimeout(this.#loadTimer);
    this.#loadTimer = setTimeout(() => {
      const recent = new Set(this.turns.value.slice(-shownTurns).map((v) => v.id));
      for (const id of this.#stale) {
        const known = this.turns.value.find((v) => v.id === id)?.turn.value !== null;
        if (recent.has(id) || known) void this.load(id);
      }
      this.#stale.clear();
      this.#countOlder();
    }, 60);
  }

  #countOlder(): void {
    this.older.value = this.turns.value.slice(0, -shownTurns).filter((v) => v.turn.value === null).length;
  }

  async #count(): Promise<void> {
    if (this.#document === '') return;
    this.#counting?.abort();
    const mine = (this.#counting = new AbortController());
    try {
      const count = await this.api.count(
        this.#document,
        {
          session: this.session,
          message: this.message.value,
          annotations: this.notes.list.value.map((n) => n.id),
          scene: { ...this.around.scene(), leaveOut: [...this.leaveOut.value] },
        },
        mine.signal,
      );
      if (!mine.signal.aborted) this.count.value = count;
    } catch {
      // A note was changed meanwhile: the change counts again.
    }
  }

  #say(thrown: unknown): void {
    const r = refusalOf(thrown);
    this.status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
  }
}
