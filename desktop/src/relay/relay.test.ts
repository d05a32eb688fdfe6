import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { startRelay, type Relay } from './relay.node';
import { limits } from './rules.node';
import type { Place, StagedSurface } from './stage.std';

const origin = 'http://abc.localhost:4321';

/** A page whose browser is the test. */
class Page implements StagedSurface {
  readonly frameId = 'F';
  readonly sent: [string, object][] = [];
  readonly inspected: boolean[] = [];
  closed = 0;
  tell: (method: string, params: unknown) => void = () => undefined;
  gone: (reason: string) => void = () => undefined;
  answer: (method: string) => Promise<unknown> = () => Promise.resolve({});
  constructor(readonly place: Place) {}
  readonly debuggee = {
    sendCommand: (method: string, params: object) => {
      this.sent.push([method, params]);
      return this.answer(method);
    },
    onMessage: (listener: (method: string, params: unknown) => void) => void (this.tell = listener),
  };
  onGone(listener: (reason: string) => void): void {
    this.gone = listener;
  }
  inspecting(on: boolean): void {
    this.inspected.push(on);
  }
  close(): void {
    this.closed++;
  }
}

interface Answer {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

const relays: Relay[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(relays.splice(0).map((r) => r.close()));
});

async function start(): Promise<{ relay: Relay; pages: Page[] }> {
  const pages: Page[] = [];
  const stage = {
    open: (o: { place: Place }) => {
      const page = new Page(o.place);
      pages.push(page);
      return Promise.resolve(page);
    },
  };
  const relay = await startRelay({ stage, product: 'Electron/33.2.1', browser: 'Chrome/130.0.0.0' });
  relays.push(relay);
  return { relay, pages };
}

class Gateway {
  readonly events: Answer[] = [];
  private id = 0;
  private readonly waiting = new Map<number, (a: Answer) => void>();
  private constructor(readonly ws: WebSocket) {
    ws.on('message', (data: Buffer) => {
      const a = JSON.parse(data.toString()) as Answer;
      if (a.id === undefined) this.events.push(a);
      else this.waiting.get(a.id)?.(a);
    });
  }
  static async dial(r: Relay): Promise<Gateway> {
    const ws = new WebSocket(r.url, { headers: { Authorization: `Bearer ${r.token}` } });
    await once(ws, 'open');
    return new Gateway(ws);
  }
  static async greet(r: Relay): Promise<Gateway> {
    const g = await Gateway.dial(r);
    await g.call('Bridge.hello', { protocol: 4 });
    return g;
  }
  call(method: string, params: object = {}, sessionId?: string): Promise<Answer> {
    const id = ++this.id;
    const answer = new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    this.ws.send(JSON.stringify({ id, method, params, sessionId }));
    return answer;
  }
  async open(place: Place = 'candidate'): Promise<string> {
    const a = await this.call('Bridge.open', { place, origin, width: 800, height: 600 });
    return String(a.result?.['sessionId']);
  }
}

/** Sends an upgrade as it is written, and gives the answer's status. */
async function upgrade(relay: Relay, change: (lines: string[]) => string[]): Promise<number> {
  const u = new URL(relay.url);
  const lines = [
    `GET ${u.pathname} HTTP/1.1`,
    `Host: ${u.host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Authorization: Bearer ${relay.token}`,
  ];
  const socket = connect(Number(u.port), '127.0.0.1');
  socket.write(change(lines).join('\r\n') + '\r\n\r\n');
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1]);
}

describe('the door', () => {
  const swap = (of: string, by: string) => (lines: string[]) => lines.map((l) => (l.startsWith(of) ? by : l));
  it('refuses in its order', async () => {
    const { relay } = await start();
    const port = new URL(relay.url).port;
    for (const more of ['Origin: null', 'Origin: http://127.0.0.1:1', `Origin: http://127.0.0.1:${port}`])
      expect(await upgrade(relay, (l) => [...l, more])).toBe(403);
    for (const host of [`Host: localhost:${port}`, 'Host: evil.test', `Host: 127.0.0.1`])
      expect(await upgrade(relay, swap('Host', host))).toBe(421);
    for (const by of [
      'X: y',
      'Authorization: Bearer ',
      'Authorization: Basic x',
      `Authorization: Bearer ${'0'.repeat(64)}`,
    ])
      expect(await upgrade(relay, swap('Authorization', by))).toBe(401);
    expect(await upgrade(relay, (l) => [...l, `Authorization: Bearer ${relay.token}`])).toBe(401);
    expect(await upgrade(relay, swap('GET', 'GET /bridge/other HTTP/1.1'))).toBe(404);
    expect(await upgrade(relay, swap('GET', `GET ${new URL(relay.url).pathname}?token=x HTTP/1.1`))).toBe(404);
    expect(await upgrade(relay, (l) => [...swap('Authorization', 'X: y')(l), 'Origin: null'])).toBe(403);
  });

  it('is no web server', async () => {
    const { relay } = await start();
    for (const path of ['/', '/json/version', new URL(relay.url).pathname])
      expect((await fetch(relay.url.replace('ws:', 'http:').replace(/\/bridge.*/, path))).status).toBe(404);
  });

  it('lets one client in, ever', async () => {
    const { relay } = await start();
    const g = await Gateway.greet(relay);
    expect(await upgrade(relay, (l) => l)).toBe(409);
    g.ws.close();
    await once(g.ws, 'close');
    expect(await upgrade(relay, (l) => l)).toBe(409);
  });
});

describe('the relay', () => {
  it('says what it is, and wants to be greeted first', async () => {
    const { relay } = await start();
    const g = await Gateway.dial(relay);
    const { result } = await g.call('Bridge.hello', { protocol: 4 });
    expect(result).toEqual({ protocol: 4, kind: 'electron', product: 'Electron/33.2.1', browser: 'Chrome/130.0.0.0' });
    const other = await Gateway.dial((await start()).relay);
    void other.call('Bridge.open', { place: 'candidate', origin, width: 1, height: 1 });
    await once(other.ws, 'close');
    const old = await Gateway.dial((await start()).relay);
    expect((await old.call('Bridge.hello', { protocol: 3 })).error?.code).toBe(-32000);
    await once(old.ws, 'close');
  });

  it('says when its gateway is gone', async () => {
    const { relay } = await start();
    const lost = vi.fn();
    void relay.lost.then(lost);
    const g = await Gateway.greet(relay);
    expect(lost).not.toHaveBeenCalled();
    g.ws.terminate();
    await relay.lost;
  });

  it.each([
    'no json',
    '[]',
    '{"id":1}',
    '{"id":"1","method":"x"}',
    '{"id":1,"method":"x","more":1}',
    '{"id":1,"method":"x","params":1}',
  ])('lets go of who sends %s', async (text) => {
    const { relay } = await start();
    const g = await Gateway.greet(relay);
    g.ws.send(text);
    await once(g.ws, 'close');
  });

  it('answers what is denied at once, and sends nothing on', async () => {
    const { relay, pages } = await start();
    const g = await Gateway.greet(relay);
    const id = await g.open();
    expect((await g.call('Page.crash', {}, id)).error?.code).toBe(-32601);
    expect((await g.call('Page.navigate', { url: 'http://evil.test/' }, id)).error?.code).toBe(-32000);
    expect((await g.call('Page.enable', {}, 'nobody')).error?.code).toBe(-32000);
    expect((await g.call('Runtime.evaluate', { expression: 'self' }, id)).result).toBeDefined();
    expect(pages[0]?.sent).toEqual([]);
    expect((await g.call('Page.enable', {}, id)).result).toEqual({});
    expect(pages[0]?.sent).toEqual([['Page.enable', {}]]);
  });

  it('passes a refusal of the browser on, and drops events that are not in the list', async () => {
    const { relay, pages } = await start();
    const g = await Gateway.greet(relay);
    const id = await g.open();
    const [page] = pages as [Page];
    page.answer = () => Promise.reject(new Error('No node with given id found'));
    expect((await g.call('DOM.enable', {}, id)).error?.message).toBe('No node with given id found');
    page.tell('Target.targetCreated', {});
    page.tell('Runtime.bindingCalled', {});
    page.tell('Page.loadEventFired', { timestamp: 1 });
    await vi.waitFor(() => expect(g.events.map((e) => [e.sessionId, e.method])).toEqual([[id, 'Page.loadEventFired']]));
  });

  it('bounds a flood of events and tells how many it kept back', async () => {
    const { relay, pages } = await start();
    const g = await Gateway.greet(relay);
    await g.open();
    for (let i = 0; i < limits.floodsASecond + 700; i++) pages[0]?.tell('Runtime.consoleAPICalled', { i });
    const heard = (method: string) => g.events.filter((e) => e.method === method);
    await vi.waitFor(() => expect(heard('Bridge.dropped').length).toBeGreaterThan(0), 3000);
    const dropped = heard('Bridge.dropped').reduce((n, e) => n + Number(e.params?.['count']), 0);
    expect(dropped).toBeGreaterThan(0);
    expect(heard('Runtime.consoleAPICalled').length + dropped).toBe(limits.floodsASecond + 700);
    expect(heard('Runtime.consoleAPICalled').length).toBeLessThanOrEqual(2 * limits.floodsASecond);
  });

  it('lets the browser work on a bounded number of commands', async () => {
    const { relay, pages } = await start();
    const g = await Gateway.greet(relay);
    const id = await g.open();
    const [page] = pages as [Page];
    const ends: (() => void)[] = [];
    page.answer = () => new Promise((resolve) => ends.push(() => resolve({})));
    const all = Array.from({ length: 200 }, () => g.call('Page.getFrameTree', {}, id));
    await vi.waitFor(() => expect(page.sent.length).toBe(limits.inFlight));
    page.answer = () => Promise.resolve({});
    ends.forEach((end) => end());
    expect((await Promise.all(all)).every((a) => a.error === undefined)).toBe(true);
    expect(page.sent.length).toBe(200);
  });

  it('gives up on a browser that does not answer', async () => {
    const { relay, pages } = await start();
    const g = await Gateway.greet(relay);
    const id = await g.open();
    const [page] = pages as [Page];
    page.answer = () => new Promise(() => undefined);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answer = g.call('Page.enable', {}, id);
    while (page.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(limits.commandMs + 1);
    expect((await answer).error?.message).toContain('in time');
  });

  it('shows one preview at a time', async () => {
    const { relay, pages } = await start();
    const g = await Gateway.greet(relay);
    const first = await g.open('preview');
    const hidden = await g.open();
    await g.open('preview');
    expect(g.events).toEqual([{ method: 'Bridge.closed', params: { sessionId: first, reason: 'replaced' } }]);
    expect(pages.map((p) => p.closed)).toEqual([1, 0, 0]);
    expect((await g.call('Page.enable', {}, hidden)).error).toBeUndefined();
  });

  it('opens a bounded number of pages, and closes them with the gateway', async () => {
    const { relay, pages } = await start();
    const g = await Gateway.greet(relay);
    for (let i = 0; i < limits.sessions; i++) await g.open();
    const more = await g.call('Bridge.open', { place: 'candidate', origin, width: 1, height: 1 });
    expect(more.error?.message).toContain('too many');
    g.ws.terminate();
    await vi.waitFor(() => expect(pages.every((p) => p.closed === 1)).toBe(true));
  });

  it('tells of a page that is gone, and closes one that is not wanted', async () => {
    const { relay, pages } = await start();
    const g = await Gateway.greet(relay);
    const [a, b] = [await g.open(), await g.open()];
    pages[0]?.gone('crashed');
    await vi.waitFor(() =>
      expect(g.events).toEqual([{ method: 'Bridge.closed', params: { sessionId: a, reason: 'crashed' } }]),
    );
    expect((await g.call('Page.enable', {}, a)).error?.message).toBe('the page is gone');
    expect((await g.call('Bridge.close', { sessionId: b })).result).toEqual({});
    expect(pages[1]?.closed).toBe(1);
  });

  it('tells the page when the gateway points at things in it', async () => {
    const { relay, pages } = await start();
    const g = await Gateway.greet(relay);
    const id = await g.open('preview');
    for (const mode of ['searchForNode', 'none'])
      await g.call('Overlay.setInspectMode', { mode, highlightConfig: {} }, id);
    expect(pages[0]?.inspected).toEqual([true, false]);
  });
});
