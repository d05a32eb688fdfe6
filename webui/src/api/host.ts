import type { Desktop } from '../contract/desktop';
import { bodyOf, Refusal, refusalOf } from './refusal';

// Who the workbench runs in, and its token. A window's host answers two requests
// of the workbench itself (never of the page), and the desktop app two calls; in a
// plain browser nobody does, and a person types the code that `proofmark serve` shows.

export interface Hello {
  host: string;
  protocol: number;
  features: Record<string, boolean> | null;
}

interface Grant {
  token: string;
  expires: string;
}

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** What the transport needs of whoever holds the token. */
export interface Credentials {
  /** A token that is good for a while yet. Throws a Refusal `unauthenticated` where a person has to pair. */
  token(): Promise<string>;
  /** The gateway did not take the token: the next one is to be fresh. */
  drop(token: string): void;
}

export type HostKind = 'window' | 'desktop' | 'none';

/** From this protocol on the desktop app shows the page itself, and one can point at it. */
const pointing = 4;

/** A token is asked for again this long before it ends. */
const margin = 60_000;

export class Host implements Credentials {
  hello: Hello | null = null;
  /** Lives here and nowhere else: not in storage, the DOM or an address. */
  #grant: { token: string; ends: number } | null = null;
  #asking: Promise<string> | null = null;

  constructor(
    private readonly fetch: Fetch,
    private readonly now: () => number = Date.now,
    private readonly desktop: Pick<Desktop, 'hello' | 'token'> | null = null,
  ) {}

  get kind(): HostKind {
    if (this.desktop !== null) return 'desktop';
    return this.hello === null ? 'none' : 'window';
  }

  get protocol(): number {
    return this.hello?.protocol ?? 0;
  }

  /** True where the page itself is shown, and one can point at it. */
  get inWindow(): boolean {
    return this.kind === 'window' || (this.kind === 'desktop' && this.protocol >= pointing);
  }

  /** Finds out who the host is; null in a plain browser. */
  async greet(): Promise<Hello | null> {
    if (this.desktop !== null) {
      // An app that says nothing of itself lends a token all the same, and nothing else.
      return (this.hello = await this.desktop.hello().catch(() => ({ host: 'desktop', protocol: 0, features: null })));
    }
    const answer = await this.fetch('/host/hello', { cache: 'no-store' });
    if (!answer.ok) return (this.hello = null);
    const body: unknown = await answer.json().catch(() => null);
    if (typeof body !== 'object' || body === null || !('host' in body) || typeof body.host !== 'string') {
      return (this.hello = null);
    }
    const said = body as { host: string; protocol?: unknown; features?: unknown };
    this.hello = {
      host: said.host,
      protocol: typeof said.protocol === 'number' ? said.protocol : 0,
      features: said.features as Hello['features'],
    };
    return this.hello;
  }

  /** Exchanges the code a person typed for a token. */
  async pair(code: string): Promise<void> {
    this.#take(await this.#post('/v1/tokens', { Authorization: `Pairing ${code.trim()}` }));
  }

  async token(): Promise<string> {
    if (this.#grant !== null && this.now() < this.#grant.ends - margin) return this.#grant.token;
    this.#asking ??= this.#renew().finally(() => (this.#asking = null));
    return this.#asking;
  }

  drop(token: string): void {
    if (this.#grant?.token === token) this.#grant = null;
  }

  async #renew(): Promise<string> {
    if (this.desktop !== null) {
      return this.#take(
        await this.desktop.token().catch(() => {
          throw new Refusal({ code: 'unauthenticated', message: 'The app gave no token.' }, 401);
        }),
      );
    }
    if (this.kind === 'window') return this.#take(await this.#post('/host/token', {}));
    const old = this.#grant;
    if (old === null || this.now() >= old.ends) {
      throw new Refusal({ code: 'unauthenticated', message: 'This browser is not paired.' }, 401);
    }
    try {
      return this.#take(await this.#post('/v1/tokens/refresh', { Authorization: `Bearer ${old.token}` }));
    } catch (e) {
      const r = refusalOf(e);
      // What is still good for a minute is better than nothing while the gateway is busy.
      if (r.status !== 401 && this.now() < old.ends) return old.token;
      this.#grant = null;
      throw r;
    }
  }

  #take(grant: Grant): string {
    this.#grant = { token: grant.token, ends: Date.parse(grant.expires) };
    return grant.token;
  }

  async #post(path: string, headers: Record<string, string>): Promise<Grant> {
    const answer = await this.fetch(path, { method: 'POST', headers, cache: 'no-store' });
    const body: unknown = await answer.json().catch(() => null);
    if (!answer.ok) {
      throw new Refusal(bodyOf(body) ?? { code: 'unauthenticated', message: 'No token was given.' }, answer.status);
    }
    return body as Grant;
  }
}
