import { computed, signal } from '@preact/signals';
import type { Api } from '../api/api';
import { type Refusal, refusalOf } from '../api/refusal';
import type { StreamEvent } from '../api/sse';
import type { PageCounts, PageHealth, Pick as Picked, Preview } from '../contract/types';
import { refusalText, t } from '../i18n';
import { Lines } from '../lib/lines';
import type { PickedElement } from './picked';
import type { Preferences } from './preferences';
import type { Status } from './status';

export type PreviewApi = Pick<
  Api,
  | 'openPreview'
  | 'reload'
  | 'closePreview'
  | 'previewPicture'
  | 'allowOrigins'
  | 'pageHealth'
  | 'previewEvents'
  | 'source'
>;

/** none → opening → framed (the window's frame stands) → loading → shown; or failed, or gone. */
export type Phase = 'none' | 'opening' | 'framed' | 'loading' | 'shown' | 'failed' | 'gone';

export const widths = [390, 768, 1280, 1440, 1920] as const;
export const zooms = [0.5, 0.75, 0.9, 1, 1.25, 1.5, 2] as const;

/** Where a plain browser has no frame, pictures are taken at this size. */
const stillSize = { width: 1280, height: 800 };

/** The page as it is shown: its frame, or its picture where there is no window. */
export class PreviewStore {
  readonly preview = signal<Preview | null>(null);
  readonly phase = signal<Phase>('none');
  /** Another version is loaded into the frame that stands. */
  readonly busy = signal(false);
  readonly refusal = signal<Refusal | null>(null);
  readonly width = signal<number | 'fit'>('fit');
  readonly zoom = signal(1);
  /** How much room there is for the page, CSS pixels: the view says so. */
  readonly stage = signal(stillSize);
  /** How far the room is scrolled, where the page is larger than it. */
  readonly scrolled = signal({ x: 0, y: 0 });
  /** Where the page begins in the room. */
  readonly origin = computed(() => ({
    x: Math.max(0, (this.stage.value.width - this.size.value.width * this.scale.value) / 2) - this.scrolled.value.x,
    y: -this.scrolled.value.y,
  }));
  /** How large the page is, CSS pixels of its own. */
  readonly size = computed(() => {
    if (!this.host.inWindow) return { width: stillSize.width, height: this.stillHeight.value };
    const { width, height } = this.stage.value;
    const zoom = this.zoom.value;
    // Never larger than its room: scroll bars would take room from it, and go again, for ever.
    const within = (px: number) => Math.max(Math.floor(px / zoom + 1e-6), 1);
    return { width: this.width.value === 'fit' ? within(width) : this.width.value, height: within(height) };
  });
  /** The view a turn looks at its change in: as large as what one sees here. */
  readonly view = computed(() => (this.host.inWindow ? this.size.value : stillSize));
  /** A plain browser shows a picture, which fits by itself. */
  readonly scale = computed(() => {
    if (this.host.inWindow || this.width.value !== 'fit') return this.zoom.value;
    return Math.min(this.stage.value.width / stillSize.width, 1) * this.zoom.value;
  });
  readonly frameStyle = computed(() => ({
    width: `${this.size.value.width}px`,
    height: `${this.size.value.height}px`,
    transform: this.scale.value === 1 ? 'none' : `scale(${this.scale.value})`,
  }));
  readonly sheetStyle = computed(() => ({
    width: `${Math.round(this.size.value.width * this.scale.value)}px`,
    height: `${Math.round(this.size.value.height * this.scale.value)}px`,
  }));
  /** The page replaced itself by another one, which is none of ours. */
  readonly left = signal(false);
  /** How long the picture of the whole page is, in a plain browser. */
  readonly stillHeight = signal(stillSize.height);
  readonly still = signal<Blob | null>(null);
  readonly counts = signal<PageCounts | null>(null);
  readonly messages = signal<PageHealth | null>(null);
  /** Grows when the page scrolled or was laid out anew. */
  readonly moved = signal(0);
  /** Grows with each load: what was picked before is to be found again. */
  readonly loads = signal(0);
  readonly #dismissed = signal<ReadonlySet<string>>(new Set());

  readonly id = computed(() => this.preview.value?.id ?? null);
  readonly ready = computed(() => this.phase.value === 'shown' && !this.busy.value);
  /** Origins the page asks for, which nobody has said a word about yet. */
  readonly origins = computed(() => this.offline.value.filter((o) => !this.#dismissed.value.has(o)));
  readonly offline = computed(() => this.counts.value?.offline ?? this.preview.value?.offline ?? []);
  readonly missing = computed(() => this.preview.value?.missing ?? []);
  readonly messageCount = computed(() => (this.counts.value?.errors ?? 0) + (this.counts.value?.console ?? 0));

  onHover: (p: Picked | null) => void = () => undefined;
  onPicked: (p: Picked) => void = () => undefined;

  #run = 0;
  #wanted = 0; // generation that is to be shown
  #stream = new AbortController();
  #lines: { documentId: string; generation: number; lines: Promise<Lines> } | null = null;

  constructor(
    private readonly api: PreviewApi,
    private readonly host: { readonly inWindow: boolean },
    private readonly element: PickedElement,
    private readonly status: Pick<Status, 'say'>,
    private readonly allowed: Pick<Preferences, 'allowedFor' | 'allow'>,
  ) {}

  /** Shows a document. Where a frame is to hold it, the view inserts the frame and calls framed(). */
  async open(documentId: string, generation: number): Promise<void> {
    const size = this.host.inWindow ? this.size.peek() : stillSize;
    const allowOrigins = this.allowed.allowedFor(documentId);
    const run = ++this.#run;
    void this.#close();
    this.#wanted = generation;
    this.phase.value = 'opening';
    this.refusal.value = null;
    try {
      const p = await this.api.openPreview(
        documentId,
        this.host.inWindow ? { ...size, place: 'window', allowOrigins } : { ...size, allowOrigins },
      );
      if (run !== this.#run) {
        void this.api.closePreview(p.id).catch(() => undefined);
        return;
      }
      this.#take(p);
      this.phase.value = this.host.inWindow ? 'framed' : 'loading';
      this.#follow(p.id, run);
      if (!this.host.inWindow) await this.#picture(run);
      // The desktop app has a view for it already.
      else if (p.frameUrl === undefined) await this.framed();
    } catch (e) {
      if (run === this.#run) this.#fail(refusalOf(e));
    }
  }

  /** The frame stands in the window: the document is loaded into it. */
  async framed(): Promise<void> {
    if (this.phase.value !== 'framed') return;
    this.phase.value = 'loading';
    await this.reload();
  }

  /** Loads the newest version, at the same place of the page. */
  async reload(): Promise<void> {
    const id = this.id.value;
    const run = this.#run;
    if (id === null || this.busy.value) return;
    this.busy.value = true;
    const wanted = this.#wanted;
    try {
      const p = await this.api.reload(id);
      if (run !== this.#run) return;
      this.#take(p);
      if (!this.host.inWindow) await this.#picture(run);
      this.phase.value = 'shown';
      this.left.value = false;
      this.refusal.value = null;
      this.loads.value++;
    } catch (e) {
      if (run === this.#run) this.#fail(refusalOf(e));
    } finally {
      this.busy.value = false;
    }
    // A newer version came while this one was loaded.
    if (run === this.#run && this.phase.value === 'shown' && this.#wanted > wanted) await this.reload();
  }

  /** A newer version is there. */
  async follow(generation: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, generation);
    const shown = this.preview.value?.generation ?? 0;
    if (this.phase.value === 'shown' && generation > shown) await this.reload();
  }

  /** What the page may reach on the network. */
  readonly reach = computed(() => this.preview.value?.allowedOrigins ?? []);

  /** Allows the origins a person was shown; the page may have asked for others since. */
  async allow(seen: readonly string[]): Promise<void> {
    await this.#allow([...this.reach.value, ...seen]);
  }

  /** Takes back what was allowed. The page asks again. */
  async disallow(): Promise<void> {
    await this.#allow([]);
  }

  async #allow(origins: string[]): Promise<void> {
    const p = this.preview.value;
    if (p === null) return;
    try {
      this.busy.value = true;
      const now = await this.api.allowOrigins(p.id, origins);
      this.#take(now);
      this.allowed.allow(p.documentId, now.allowedOrigins ?? []);
      this.counts.value = null;
      this.loads.value++;
      if (!this.host.inWindow) await this.#picture(this.#run);
    } catch (e) {
      this.status.say(refusalText(refusalOf(e)), 'bad');
    } finally {
      this.busy.value = false;
    }
  }

  stayOffline(): void {
    this.#dismissed.value = new Set([...this.#dismissed.value, ...this.offline.value]);
  }

  async loadMessages(): Promise<void> {
    const id = this.id.value;
    if (id === null) return;
    try {
      this.messages.value = await this.api.pageHealth(id);
    } catch (e) {
      this.status.say(refusalText(refusalOf(e)), 'bad');
    }
  }

  /** Where the lines of the version that is shown begin. */
  async lines(): Promise<Lines | null> {
    const p = this.preview.value;
    if (p === null) return null;
    if (this.#lines?.documentId !== p.documentId || this.#lines.generation !== p.generation) {
      const lines = this.api
        .source(p.documentId, String(p.generation))
        .then((bytes) => new Lines(new Uint8Array(bytes)));
      this.#lines = { documentId: p.documentId, generation: p.generation, lines };
      lines.catch(() => (this.#lines = null));
    }
    return this.#lines.lines.catch(() => null);
  }

  async close(): Promise<void> {
    this.#run++;
    await this.#close();
    this.phase.value = 'none';
  }

  async #close(): Promise<void> {
    this.#stream.abort();
    const old = this.preview.value;
    this.preview.value = null;
    this.element.preview.value = null;
    this.still.value = null;
    this.counts.value = null;
    this.messages.value = null;
    if (old !== null) await this.api.closePreview(old.id).catch(() => undefined);
  }

  #take(p: Preview): void {
    // The frame's address comes with the first answer only.
    const frameUrl = p.frameUrl ?? this.preview.value?.frameUrl;
    this.preview.value = { ...p, ...(frameUrl !== undefined && { frameUrl }) };
    this.element.preview.value = p.id;
  }

  async #picture(run: number): Promise<void> {
    const id = this.id.value;
    if (id === null) return;
    const picture = await this.api.previewPicture(id, true);
    if (run !== this.#run) return;
    this.still.value = picture;
    if (this.phase.value === 'loading') {
      this.phase.value = 'shown';
      this.loads.value++;
    }
  }

  #fail(r: Refusal): void {
    this.refusal.value = r;
    this.phase.value = r.status === 404 || r.code === 'surface_lost' ? 'gone' : 'failed';
  }

  #follow(id: string, run: number): void {
    this.#stream.abort();
    const stream = (this.#stream = new AbortController());
    this.api
      .previewEvents(id, {
        signal: stream.signal,
        onEvent: (e) => {
          if (run === this.#run) this.#event(e);
        },
      })
      .catch((e: unknown) => {
        if (stream.signal.aborted || run !== this.#run) return;
        const r = refusalOf(e);
        // 404 on the stream of a preview that is there: this gateway tells no events.
        if (r.status === 404 && r.code === 'not_found') this.#fail(r);
      });
  }

  #event(e: StreamEvent): void {
    const data: unknown = JSON.parse(e.data);
    switch (e.event) {
      case 'state':
        this.#take(data as Preview);
        break;
      case 'hover':
        this.onHover(data as Picked | null);
        break;
      case 'picked':
        this.onPicked(data as Picked);
        break;
      case 'health':
        this.counts.value = data as PageCounts;
        break;
      case 'moved':
        this.moved.value++;
        break;
      case 'loaded': {
        const { epoch, generation } = data as { epoch: number; generation: number };
        const p = this.preview.value;
        if (p !== null && p.epoch !== epoch) {
          this.#take({ ...p, epoch, generation });
          this.loads.value++;
        }
        this.moved.value++;
        break;
      }
      case 'left':
        this.left.value = true;
        break;
      case 'gone':
        this.phase.value = 'gone';
        this.status.say(t('page.failed'), 'bad');
        break;
    }
  }
}
