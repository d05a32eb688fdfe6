import type { Grant, Ready } from './lines.std';

export interface TokenAnswer {
  token: string;
  expires: string;
}

/** A document as the gateway lists it. */
export interface Listed {
  id: string;
  name: string;
  path: string;
}

const within = 5_000;
/** A token is renewed when it has less to live than this, in ms. */
const margin = 5 * 60_000;

/** The shell's own conversation with its gateway, under a token that nobody else sees. */
export class Client {
  readonly origin: string;
  readonly #grant: Grant;
  readonly #timer: NodeJS.Timeout;

  constructor(readonly ready: Ready) {
    this.origin = `http://127.0.0.1:${ready.port}`;
    this.#grant = { token: ready.token, ends: ready.ends };
    this.#timer = setInterval(() => void this.#refresh().catch(() => undefined), 60_000);
    this.#timer.unref();
  }

  /** A newer token of the shell. */
  take(g: Grant): void {
    Object.assign(this.#grant, g);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A token for the workbench. */
  async uiToken(): Promise<TokenAnswer> {
    const a = await this.#call('POST', '/v1/tokens', { scope: 'ui', subject: 'window' });
    return tokenAnswer(a);
  }

  /** Which features are on; null where the gateway does not say. */
  async features(): Promise<Record<string, boolean> | null> {
    const a = await this.#call('GET', '/v1/health');
    if (!Array.isArray(a['features'])) return null;
    const states = a['features'] as { feature?: unknown; on?: unknown }[];
    return Object.fromEntries(states.map((f) => [String(f.feature), f.on === true]));
  }

  async recent(): Promise<Listed[]> {
    const a = await this.#call('GET', '/v1/documents?limit=10');
    return Array.isArray(a['documents']) ? (a['documents'] as unknown[]).flatMap(listed) : [];
  }

  /** Whether the gateway has a document of this id. */
  async knows(id: string): Promise<boolean> {
    return this.#call('GET', `/v1/documents/${encodeURIComponent(id)}`).then(
      () => true,
      () => false,
    );
  }

  /** How many turns work now. */
  async running(): Promise<number> {
    const a = await this.#call('GET', '/v1/turns?running');
    return Array.isArray(a['turns']) ? a['turns'].length : 0;
  }

  async shutdown(): Promise<void> {
    await this.#call('POST', '/v1/shutdown');
  }

  async #refresh(): Promise<void> {
    if (this.#grant.ends - Date.now() > margin) return;
    const a = tokenAnswer(await this.#call('POST', '/v1/tokens/refresh'));
    this.take({ token: a.token, ends: Date.parse(a.expires) });
  }

  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#grant.token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const answer = await fetch(this.origin + path, {
      method,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(within),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the gateway answered ${answer.status} to ${method} ${path}`);
    const said: unknown = text === '' ? {} : JSON.parse(text);
    return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {};
  }
}

function tokenAnswer(a: Record<string, unknown>): TokenAnswer {
  const { token, expires } = a;
  if (typeof token !== 'string' || typeof expires !== 'string') throw new Error('the gateway gave no token');
  return { token, expires };
}

function listed(v: unknown): Listed[] {
  const d = v as { id?: unknown; name?: unknown; path?: unknown };
  if (typeof d.id !== 'string' || typeof d.name !== 'string') return [];
  return [{ id: d.id, name: d.name, path: typeof d.path === 'string' ? d.path : '' }];
}
