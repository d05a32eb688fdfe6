import type { Credentials, Fetch } from './host';
import { bodyOf, Refusal, refusalOf } from './refusal';

export interface Ask {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Sends requests with the token, and makes refusals of what is no answer. */
export class Transport {
  /** Told of every answer and every failure, so that the shell knows whether the gateway lives. */
  onAnswer: (alive: boolean) => void = () => undefined;
  /** Told of every refusal before it is thrown. */
  onRefusal: (r: Refusal) => void = () => undefined;

  constructor(
    private readonly fetch: Fetch,
    private readonly credentials: Credentials,
  ) {}

  async json<T>(path: string, ask: Ask = {}): Promise<T> {
    const answer = await this.send(path, ask);
    if (answer.status === 204) return undefined as T;
    try {
      return (await answer.json()) as T;
    } catch (e) {
      if (ask.signal?.aborted === true) throw refusalOf(e);
      throw new Refusal({ code: 'internal', message: 'The gateway broke off its answer.' }, 0);
    }
  }

  /** send gives an answer that is no refusal. A token that has ended is renewed once. */
  async send(path: string, ask: Ask = {}): Promise<Response> {
    try {
      return await this.#once(path, ask);
    } catch (e) {
      const r = refusalOf(e);
      if (r.status === 401 && r.code === 'unauthenticated') return await this.#once(path, ask);
      throw r;
    }
  }

  async #once(path: string, ask: Ask): Promise<Response> {
    let answer: Response;
    let token = '';
    try {
      token = await this.credentials.token();
      const headers: Record<string, string> = { ...ask.headers, Authorization: `Bearer ${token}` };
      const init: RequestInit = { method: ask.method ?? 'GET', headers, cache: 'no-store', redirect: 'error' };
      if (ask.body !== undefined) {
        headers['Content-Type'] = 'application/json';
        init.body = JSON.stringify(ask.body);
      }
      if (ask.signal !== undefined) init.signal = ask.signal;
      answer = await this.fetch(path, init);
    } catch (e) {
      const r = refusalOf(e);
      if (r.isLost) this.onAnswer(false);
      this.onRefusal(r);
      throw r;
    }
    this.onAnswer(true);
    if (answer.ok || answer.status === 304) return answer;
    const body: unknown = await answer.json().catch(() => null);
    const r = new Refusal(
      bodyOf(body) ?? { code: 'internal', message: `The gateway answered ${String(answer.status)}.` },
      answer.status,
    );
    if (r.status === 401) this.credentials.drop(token);
    this.onRefusal(r);
    throw r;
  }
}
