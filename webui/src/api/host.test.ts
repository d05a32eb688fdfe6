import { describe, expect, it } from 'vitest';
import { Host, type Fetch } from './host';
import { Refusal } from './refusal';
import { Transport } from './transport';

const json = (body: unknown, status = 200) => Promise.resolve(new Response(JSON.stringify(body), { status }));
const grant = (token: string, ends: number) => ({ token, expires: new Date(ends).toISOString() });

/** A host that answers by path, and remembers what was asked. */
function fake(answers: Record<string, (init: RequestInit) => Promise<Response>>) {
  const asked: { path: string; auth: string }[] = [];
  const fetch: Fetch = (path, init = {}) => {
    const headers = (init.headers ?? {}) as Record<string, string>;
    asked.push({ path, auth: headers.Authorization ?? '' });
    return answers[path]?.(init) ?? json({ error: { code: 'no_route', message: 'no' } }, 404);
  };
  return { fetch, asked };
}

describe('the host', () => {
  it('gives a token in a window, anew before it ends, and to many at once only one', async () => {
    let now = 1_000_000;
    let n = 0;
    const f = fake({
      '/host/hello': () => json({ host: 'window', protocol: 4, features: null }),
      '/host/token': () => json(grant(`t${++n}`, now + 15 * 60_000)),
    });
    const host = new Host(f.fetch, () => now);
    expect((await host.greet())?.host).toBe('window');
    expect(await Promise.all([host.token(), host.token(), host.token()])).toEqual(['t1', 't1', 't1']);
    now += 13 * 60_000;
    expect(await host.token()).toBe('t1');
    now += 90_000; // half a minute before its end
    expect(await host.token()).toBe('t2');
  });

  it('is nobody in a plain browser: a person pairs, and the token is refreshed', async () => {
    let now = 1_000_000;
    const f = fake({
      '/v1/tokens': () => json(grant('paired', now + 15 * 60_000)),
      '/v1/tokens/refresh': () => json(grant('fresh', now + 15 * 60_000)),
    });
    const host = new Host(f.fetch, () => now);
    expect(await host.greet()).toBeNull();
    await expect(host.token()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    await host.pair('  12 34 ');
    expect(f.asked.at(-1)).toEqual({ path: '/v1/tokens', auth: 'Pairing 12 34' });
    expect(await host.token()).toBe('paired');
    now += 14.5 * 60_000;
    expect(await host.token()).toBe('fresh');
    expect(f.asked.at(-1)?.auth).toBe('Bearer paired');
  });

  it('says so when the code is wrong, and does not take a page for a host', async () => {
    const f = fake({
      '/host/hello': () => Promise.resolve(new Response('<html>', { status: 200 })),
      '/v1/tokens': () => json({ error: { code: 'unauthenticated', message: 'no such code', hint: 'look' } }, 401),
    });
    const host = new Host(f.fetch);
    expect(await host.greet()).toBeNull();
    await expect(host.pair('x')).rejects.toMatchObject({ message: 'no such code', hint: 'look', status: 401 });
  });

  it('goes on with a token that is good for a moment while the gateway is busy', async () => {
    let now = 0;
    const f = fake({
      '/v1/tokens': () => json(grant('old', now + 15 * 60_000)),
      '/v1/tokens/refresh': () => json({ error: { code: 'shutting_down', message: 'later' } }, 503),
    });
    const host = new Host(f.fetch, () => now);
    await host.pair('c');
    now += 14.5 * 60_000;
    expect(await host.token()).toBe('old');
    now += 60_000;
    await expect(host.token()).rejects.toBeInstanceOf(Refusal);
  });
});

describe('the transport', () => {
  const credentials = () => {
    const dropped: string[] = [];
    let n = 0;
    let good = '';
    return {
      dropped,
      token: () => Promise.resolve((good ||= `t${++n}`)),
      drop: (t: string) => {
        dropped.push(t);
        if (t === good) good = '';
      },
    };
  };

  it('renews a token that is not taken, once', async () => {
    const c = credentials();
    const seen: string[] = [];
    const t = new Transport((_, init = {}) => {
      const auth = (init.headers as Record<string, string>).Authorization ?? '';
      seen.push(auth);
      return auth === 'Bearer t2' ? json({ ok: 1 }) : json({ error: { code: 'unauthenticated', message: 'x' } }, 401);
    }, c);
    expect(await t.json('/v1/x')).toEqual({ ok: 1 });
    expect(seen).toEqual(['Bearer t1', 'Bearer t2']);
    expect(c.dropped).toEqual(['t1']);
  });

  it('makes a refusal of every other answer, with its facts', async () => {
    const t = new Transport(
      () => json({ error: { code: 'head_moved', message: 'moved', hint: 'again', detail: { now: 3 } } }, 409),
      credentials(),
    );
    const told: string[] = [];
    t.onRefusal = (r) => told.push(r.code);
    await expect(t.json('/v1/x')).rejects.toMatchObject({
      code: 'head_moved',
      message: 'moved',
      hint: 'again',
      detail: { now: 3 },
      status: 409,
    });
    expect(told).toEqual(['head_moved']);
    const odd = new Transport(() => Promise.resolve(new Response('<p>', { status: 502 })), credentials());
    await expect(odd.json('/v1/x')).rejects.toMatchObject({ code: 'internal', status: 502 });
  });

  it('tells a lost gateway from one that refuses', async () => {
    const alive: boolean[] = [];
    const t = new Transport(() => Promise.reject(new TypeError('Failed to fetch')), credentials());
    t.onAnswer = (a) => alive.push(a);
    await expect(t.json('/v1/x')).rejects.toMatchObject({ code: 'no_gateway', status: 0, isLost: true });
    expect(alive).toEqual([false]);
  });

  it('sends no body where there is none, and JSON where there is one', async () => {
    const sent: RequestInit[] = [];
    const t = new Transport((_, init = {}) => {
      sent.push(init);
      return Promise.resolve(new Response(null, { status: 204 }));
    }, credentials());
    await t.json('/v1/a', { method: 'POST' });
    await t.json('/v1/b', { method: 'PUT', body: { a: 1 } });
    expect(sent[0]?.body).toBeUndefined();
    expect(sent[1]?.body).toBe('{"a":1}');
    expect((sent[1]?.headers as Record<string, string>)['Content-Type']).toBe('application/json');
    expect(sent.every((s) => s.redirect === 'error' && s.cache === 'no-store')).toBe(true);
  });
});

describe('the desktop app', () => {
  const ends = 1_000_000 + 15 * 60_000;
  const lends = (protocol: number, n = { tokens: 0 }) => ({
    hello: () => Promise.resolve({ host: 'desktop' as const, protocol, features: null }),
    token: () => Promise.resolve(grant(`t${++n.tokens}`, ends)),
  });

  it('says who it is and lends its token, and nothing is asked over the network', async () => {
    let now = 1_000_000;
    const f = fake({});
    const host = new Host(f.fetch, () => now, lends(4));
    await host.greet();
    expect([host.kind, host.protocol, host.inWindow]).toEqual(['desktop', 4, true]);
    expect(await Promise.all([host.token(), host.token()])).toEqual(['t1', 't1']);
    now += 14.5 * 60_000;
    expect(await host.token()).toBe('t2');
    expect(f.asked).toEqual([]);
  });

  it('shows no page of its own before protocol 4, but needs no code to pair', async () => {
    const host = new Host(fake({}).fetch, () => 1_000_000, lends(3));
    await host.greet();
    expect([host.kind, host.inWindow]).toEqual(['desktop', false]);
    expect(await host.token()).toBe('t1');
  });

  it('that says nothing of itself is one that cannot show the page', async () => {
    const silent = { ...lends(4), hello: () => Promise.reject(new Error('gone')) };
    const host = new Host(fake({}).fetch, () => 1_000_000, silent);
    await host.greet();
    expect([host.kind, host.protocol, host.inWindow]).toEqual(['desktop', 0, false]);
  });

  it('without a token is refused as any host is', async () => {
    const broke = { ...lends(4), token: () => Promise.reject(new Error('gone')) };
    const host = new Host(fake({}).fetch, () => 1_000_000, broke);
    await host.greet();
    await expect(host.token()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  });
});
