import { computed, signal } from '@preact/signals';
import type { Api } from '../api/api';
import { refusalOf } from '../api/refusal';
import type { Preferences as Values } from '../contract/types';
import type { Status } from './status';

export const defaults = {
  theme: 'system',
  language: 'system',
  review: false,
  keys: {},
  panel: 360,
  panelOpen: true,
  firstRun: false,
  model: '',
  write: true,
  origins: {},
} as const satisfies Required<Values>;

/** How long typing, dragging and clicking may go on before one save is sent. */
const settle = 400;

/** The workbench's preferences: what is shown changes at once, what is stored follows. */
export class Preferences {
  readonly values = signal<Values>({});
  readonly loaded = signal(false);

  readonly theme = computed(() => this.values.value.theme ?? defaults.theme);
  readonly language = computed(() => this.values.value.language ?? defaults.language);
  readonly review = computed(() => this.values.value.review ?? defaults.review);
  readonly keys = computed<Record<string, string[]>>(() => this.values.value.keys ?? defaults.keys);
  readonly panel = computed(() => this.values.value.panel ?? defaults.panel);
  readonly panelOpen = computed(() => this.values.value.panelOpen ?? defaults.panelOpen);
  readonly hintsGone = computed(() => this.values.value.firstRun === true);
  readonly model = computed(() => this.values.value.model ?? defaults.model);
  readonly write = computed(() => this.values.value.write ?? defaults.write);

  /** How many documents' allowed origins are remembered: the object has a bound. */
  static readonly maxOrigins = 40;

  allowedFor(documentId: string): string[] {
    return this.values.peek().origins?.[documentId] ?? [];
  }

  allow(documentId: string, origins: string[]): void {
    const others = Object.entries(this.values.peek().origins ?? {}).filter(([id]) => id !== documentId);
    const kept: [string, string[]][] = [...others, [documentId, origins]];
    this.set('origins', Object.fromEntries(kept.slice(-Preferences.maxOrigins)));
  }

  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | null = null;
  #dirty = false;

  constructor(
    private readonly api: Pick<Api, 'preferences' | 'savePreferences'>,
    private readonly status: Pick<Status, 'say'>,
  ) {}

  async load(): Promise<void> {
    try {
      const stored = await this.api.preferences();
      // What the person set while this was on its way stands.
      this.values.value = { ...stored, ...(this.#dirty ? this.values.value : {}) };
    } catch (e) {
      const r = refusalOf(e);
      if (!r.isLost && r.status !== 404) this.status.say(r.message, 'bad');
    } finally {
      this.loaded.value = true;
    }
  }

  set<K extends keyof Values>(name: K, value: Values[K]): void {
    if (this.values.value[name] === value) return;
    this.values.value = { ...this.values.value, [name]: value };
    this.#dirty = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), settle);
  }

  /** Sends what is not stored yet, one request at a time. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#saving !== null) await this.#saving;
    if (!this.#dirty) return;
    this.#dirty = false;
    this.#saving = this.#save().finally(() => (this.#saving = null));
    await this.#saving;
  }

  async #save(): Promise<void> {
    try {
      await this.api.savePreferences(this.values.value);
    } catch (e) {
      this.#dirty = true; // the next change, or the next flush, tries again
      const r = refusalOf(e);
      if (!r.isLost) this.status.say(r.message, 'bad');
    }
  }
}
