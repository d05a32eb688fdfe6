// The loopback relay: the gateway's way to the pages of this app. A WebSocket on a
// random port of 127.0.0.1, a bearer token in the handshake, one client, and the
// messages of protocol 4.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { turnAway, upgradeStatus, type Door } from './door.node';
import { judge, limits, protocol, refused, Refusal } from './rules.node';
import { Session, type Outlet } from './session.node';
import type { Place, Stage, StagedSurface } from './stage.std';

export interface RelayOptions {
  stage: Stage;
  product: string; // "Electron/33.2.1"
  browser: string; // "Chrome/130.0.6723.137"
}

export interface Relay {
  url: string;
  token: string;
  /** The gateway had come in, and is gone. */
  lost: Promise<void>;
  close(): Promise<void>;
}

/** Starts a relay for one gateway: whoever starts another gateway starts another relay. */
export async function startRelay(o: RelayOptions): Promise<Relay> {
  const door: Door = {
    host: '',
    token: randomBytes(32).toString('hex'),
    path: `/bridge/${randomUUID()}`,
    taken: false,
  };
  const server = createServer({ maxHeaderSize: 8192, headersTimeout: 5000 }, (_, response) => {
    response.writeHead(404, { Connection: 'close' }).end();
  });
  server.maxConnections = 16;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: limits.inBytes, perMessageDeflate: false });
  let client: Client | undefined;
  let gone: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => (gone = resolve));
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const status = upgradeStatus(request, door);
    if (status !== 101) {
      turnAway(socket, status);
      return;
    }
    door.taken = true;
    sockets.handleUpgrade(request, socket, head, (ws) => {
      client = new Client(ws, o);
      ws.on('close', gone);
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  door.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `ws://${door.host}${door.path}`,
    token: door.token,
    lost,
    close: async () => {
      client?.close();
      await closed(server);
    },
  };
}

function closed(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return done;
}

interface Message {
  id: number;
  sessionId?: string;
  method: string;
  params: object;
}

/** The gateway. It says hello first, and nothing that is not a message of the protocol. */
class Client {
  private readonly sessions = new Map<string, Session>();
  private opening = 0;
  private newest = 0; // of the previews that were asked for
  private greeted = false;
  private readonly late: NodeJS.Timeout;

  constructor(
    private readonly ws: WebSocket,
    private readonly o: RelayOptions,
  ) {
    this.late = setTimeout(() => this.close(), limits.commandMs);
    ws.on('message', (data, binary) => this.message(data, binary));
    ws.on('error', () => this.close());
    ws.on('close', () => this.close());
  }

  close(): void {
    clearTimeout(this.late);
    this.ws.terminate();
    this.sessions.forEach((s) => s.close());
    this.sessions.clear();
  }

  private message(data: RawData, binary: boolean): void {
    const m = binary || !Buffer.isBuffer(data) ? undefined : parse(data.toString());
    if (!m || (!this.greeted && (m.method !== 'Bridge.hello' || m.sessionId !== undefined))) {
      this.close();
      return;
    }
    const bytes = (data as Buffer).length;
    const session = m.sessionId === undefined ? undefined : this.sessions.get(m.sessionId);
    if (session) {
      session.command(m, bytes);
      return;
    }
    const out = this.outlet(m.sessionId);
    if (m.sessionId !== undefined) {
      out.refuse(m.id, refused, 'the page is gone');
      return;
    }
    try {
      judge(m.method, m.params, undefined, bytes);
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      out.refuse(m.id, e.code, e.message);
      if (!this.greeted) this.ws.close(1002);
      return;
    }
    this.host(m, out);
  }

  private host(m: Message, out: Outlet): void {
    switch (m.method) {
      case 'Bridge.hello':
        this.greeted = true;
        clearTimeout(this.late);
        out.answer(m.id, { protocol, kind: 'electron', product: this.o.product, browser: this.o.browser });
        return;
      case 'Bridge.close': {
        const { sessionId } = m.params as { sessionId: string };
        this.sessions.get(sessionId)?.close();
        this.sessions.delete(sessionId);
        out.answer(m.id, {});
        return;
      }
      case 'Bridge.open':
        this.open(m.params as OpenParams).then(
          (opened) => out.answer(m.id, opened),
          (e: unknown) => out.refuse(m.id, refused, e instanceof Error ? e.message : String(e)),
        );
    }
  }

  private async open(p: OpenParams): Promise<{ sessionId: string; frameId: string }> {
    const preview = p.place === 'preview';
    const mine = preview ? ++this.newest : 0;
    if (preview) for (const [id, s] of this.sessions) if (s.place === 'preview') this.gone(id, s, 'replaced');
    if (this.sessions.size + this.opening >= limits.sessions) throw new Error('too many pages are open');
    this.opening++;
    let staged: StagedSurface;
    try {
      staged = await within(this.o.stage.open(p), limits.slowMs);
    } finally {
      this.opening--;
    }
    if (this.ws.readyState !== this.ws.OPEN || (preview && mine !== this.newest)) {
      staged.close();
      throw new Error('another page was opened in its place');
    }
    const id = randomUUID();
    const session = new Session(p.place, staged, p.origin, this.outlet(id));
    this.sessions.set(id, session);
    staged.onGone((reason) => this.gone(id, session, reason));
    return { sessionId: id, frameId: staged.frameId };
  }

  /** Tells the gateway of a page that it has not closed itself. */
  private gone(id: string, s: Session, reason: string): void {
    if (!this.sessions.delete(id)) return;
    s.close();
    this.send({ method: 'Bridge.closed', params: { sessionId: id, reason: reason.slice(0, 100) } });
  }

  private outlet(sessionId: string | undefined): Outlet {
    const refuse = (id: number, code: number, message: string) =>
      void this.send({ id, sessionId, error: { code, message: message.slice(0, 1000) } });
    return {
      refuse,
      answer: (id, result) => {
        if (!this.send({ id, sessionId, result: result ?? {} })) refuse(id, refused, 'the answer is too large');
      },
      event: (method, params) => this.send({ sessionId, method, params }),
    };
  }

  /** False where the message is too large. A gateway that does not read any more is let go. */
  private send(message: object): boolean {
    const text = JSON.stringify(message);
    if (text.length > limits.outBytes) return false;
    if (this.ws.bufferedAmount > 2 * limits.outBytes) {
      this.close();
      return false;
    }
    this.ws.send(text);
    return true;
  }
}

interface OpenParams {
  place: Place;
  origin: string;
  width: number;
  height: number;
}

/** Gives undefined for anything but a message of the protocol. */
function parse(text: string): Message | undefined {
  let v: unknown;
  try {
    v = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof v !== 'object' || v === null) return undefined;
  const { id, sessionId, method, params = {}, ...more } = v as Record<string, unknown>;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || typeof method !== 'string') return undefined;
  if (typeof params !== 'object' || params === null || Object.keys(more).length > 0) return undefined;
  if (sessionId === undefined) return { id, method, params };
  return typeof sessionId === 'string' ? { id, sessionId, method, params } : undefined;
}

/** A page that comes too late is closed. */
function within(opening: Promise<StagedSurface>, ms: number): Promise<StagedSurface> {
  const late = sleep(ms, undefined, { ref: false }).then(() =>
    Promise.reject(new Error('the page could not be made in time')),
  );
  return Promise.race([opening, late]).catch((e: unknown) => {
    void opening.then(
      (s) => s.close(),
      () => undefined,
    );
    throw e;
  });
}
