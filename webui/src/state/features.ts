import { computed, signal } from '@preact/signals';
import type { Api } from '../api/api';
import { refusalOf } from '../api/refusal';
import { featureAnnotations, featureWorkbench, type FeatureState, type Health } from '../contract/types';

/** How often the gateway is asked whether it lives and what is on. */
export const beat = 5_000;

export interface Off {
  reason: string;
  by: string;
}

/**
 * What the operator lets the workbench do, and whether the gateway is there at
 * all. PROOFMARK_FEATURES is read once; where it says false, nothing turns it on.
 * What the host says of itself is in the gateway's answer already.
 */
export class Features {
  readonly health = signal<Health | null>(null);
  readonly alive = signal(true);
  /** Of a refusal, before the next beat says the same. */
  readonly #refused = signal<Record<string, string>>({});

  readonly workbench = computed<Off | null>(() => this.#off(featureWorkbench));
  readonly annotations = computed<Off | null>(() => this.#off(featureAnnotations) ?? this.workbench.value);
  readonly readOnly = computed(() => this.health.value?.readOnly ?? null);

  readonly #denied: ReadonlySet<string>;

  constructor(
    private readonly api: Pick<Api, 'health'>,
    ...said: (Readonly<Record<string, unknown>> | null | undefined)[]
  ) {
    this.#denied = new Set(
      said.flatMap((s) => Object.entries(s ?? {}).flatMap(([name, on]) => (on === false ? [name] : []))),
    );
  }

  async load(): Promise<void> {
    try {
      this.health.value = await this.api.health();
      this.#refused.value = {};
      this.alive.value = true;
    } catch (e) {
      if (refusalOf(e).isLost) this.alive.value = false;
    }
  }

  /** A route was refused with feature_off: what is off is off now, not at the next beat. */
  refused(detail: Record<string, unknown>, message: string): void {
    const name = typeof detail.feature === 'string' ? detail.feature : featureAnnotations;
    this.#refused.value = { ...this.#refused.value, [name]: message };
    void this.load();
  }

  #off(feature: string): Off | null {
    if (this.#denied.has(feature)) return { reason: '', by: 'host' };
    const state: FeatureState | undefined = this.health.value?.features.find((f) => f.feature === feature);
    if (state !== undefined && !state.on) return { reason: state.reason ?? '', by: state.by };
    const refused = this.#refused.value[feature];
    return refused === undefined ? null : { reason: refused, by: 'refused' };
  }
}
