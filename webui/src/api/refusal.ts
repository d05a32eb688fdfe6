import type { RefusalBody } from '../contract/types';

/** The codes the client itself gives, beside the gateway's closed list. */
export const lost = 'no_gateway';
export const aborted = 'cancelled';

/** The one error the API throws: what was refused, why, and what to do next. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly hint: string;
  readonly detail: Record<string, unknown>;
  /** HTTP status, 0 where no answer came. */
  readonly status: number;

  constructor(body: RefusalBody, status: number) {
    super(body.message);
    this.code = body.code;
    this.hint = body.hint ?? '';
    this.detail = body.detail ?? {};
    this.status = status;
  }

  /** The gateway did not answer at all. */
  get isLost(): boolean {
    return this.status === 0 && this.code === lost;
  }

  get isFeatureOff(): boolean {
    return this.code === 'feature_off';
  }
}

function isRecord(v: unknown): v is Record<string, unknown> {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

/** bodyOf reads a refusal's body, whatever it turns out to be. */
export function bodyOf(v: unknown): RefusalBody | null {
  if (!isRecord(v) || !isRecord(v.error)) return null;
  const { code, message, hint, detail } = v.error;
  if (typeof code !== 'string' || typeof message !== 'string') return null;
  return {
    code,
    message,
    ...(typeof hint === 'string' && { hint }),
    ...(isRecord(detail) && { detail }),
  };
}

/** refusalOf makes one of anything that was thrown. */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (thrown instanceof DOMException && thrown.name === 'AbortError') {
    return new Refusal({ code: aborted, message: 'Cancelled.' }, 0);
  }
  if (thrown instanceof TypeError && /fetch|network|load failed/i.test(thrown.message)) {
    return new Refusal({ code: lost, message: 'The gateway does not answer.' }, 0);
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Refusal({ code: 'internal', message }, 0);
}
