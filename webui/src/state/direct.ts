import { signal } from '@preact/signals';
import type { Api } from '../api/api';
import { type Refusal, refusalOf } from '../api/refusal';
import type { DirectDo, DirectTask, Made, Pick as Picked, PolicyFlag } from '../contract/types';
import { refusalText, t } from '../i18n';
import type { Status } from './status';

/** Which edits need a name, and which a value. */
export const needs: Record<DirectDo, { name: boolean; value: boolean }> = {
  text: { name: false, value: true },
  attribute: { name: true, value: true },
  style: { name: true, value: true },
  removeAttribute: { name: true, value: false },
  addClass: { name: false, value: true },
  removeClass: { name: false, value: true },
  remove: { name: false, value: false },
  duplicate: { name: false, value: false },
  up: { name: false, value: false },
  down: { name: false, value: false },
};

/** Edits of picked elements without a model: tried, looked at, and one version. */
export class Direct {
  readonly working = signal(false);
  readonly refusal = signal<Refusal | null>(null);
  /** What a person has to approve before it is done. */
  readonly flags = signal<readonly PolicyFlag[] | null>(null);
  #last: { preview: string; tasks: DirectTask[] } | null = null;

  constructor(
    private readonly api: Pick<Api, 'directEdits'>,
    private readonly made: (m: Made) => void,
    private readonly write: () => boolean,
    private readonly status: Pick<Status, 'say'>,
  ) {}

  async run(preview: string, what: DirectDo, name: string, value: string, picks: readonly Picked[]): Promise<boolean> {
    return this.#do(preview, [{ do: what, name: name.trim(), value, picks: picks.map((p) => p.handle) }], []);
  }

  /** The same once more, with what it adds approved. */
  async approve(): Promise<boolean> {
    if (this.#last === null || this.flags.value === null) return false;
    const kinds = [...new Set(this.flags.value.map((f) => f.kind))];
    return this.#do(this.#last.preview, this.#last.tasks, kinds);
  }

  reset(): void {
    this.refusal.value = null;
    this.flags.value = null;
    this.#last = null;
  }

  async #do(preview: string, tasks: DirectTask[], approve: string[]): Promise<boolean> {
    if (this.working.value) return false;
    this.working.value = true;
    this.reset();
    this.#last = { preview, tasks };
    try {
      const m = await this.api.directEdits(preview, tasks, approve, this.write());
      this.status.say(t('done.places', { n: m.changeSet.edits?.length ?? 0 }), 'good');
      this.made(m);
      return true;
    } catch (e) {
      const r = refusalOf(e);
      this.refusal.value = r;
      if (r.code === 'needs_approval') this.flags.value = flagsOf(r.detail.flags);
      else this.status.say(refusalText(r), 'bad');
      return false;
    } finally {
      this.working.value = false;
    }
  }
}

function flagsOf(v: unknown): PolicyFlag[] {
  if (!Array.isArray(v)) return [];
  return v.flatMap((f: unknown) =>
    typeof f === 'object' && f !== null && 'kind' in f && typeof f.kind === 'string'
      ? [{ kind: f.kind, detail: 'detail' in f && typeof f.detail === 'string' ? f.detail : '' }]
      : [],
  );
}
