// The relay in front of a headless Chromium, for the gateway's tests: a page of a
// browser context of its own stands where the app has a view. It prints its address
// and token in one line, and ends with its standard input. "crash FRAME" there kills a page.
// Arguments: the browser's path.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { startRelay } from '../src/relay/relay.node';
import type { Stage, StagedSurface, SurfaceOptions } from '../src/relay/stage.std';

const [browser = ''] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'chromiumstage-'));
const flags = [
  '--remote-debugging-pipe',
  `--user-data-dir=${profile}`,
  '--headless',
  '--hide-scrollbars',
  '--disable-gpu',
  '--no-first-run',
  '--no-startup-window',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-extensions',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-features=BackForwardCache,Prerender2,Translate',
  '--force-color-profile=srgb',
  '--deny-permission-prompts',
  '--dns-prefetch-disable',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  ...(process.getuid?.() === 0 ? ['--no-sandbox', '--test-type'] : []),
];
const chromium = spawn(browser, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
const [to, from] = [chromium.stdio[3] as Writable, chromium.stdio[4] as Readable];

interface Answer {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

const waiting = new Map<number, (a: Answer) => void>();
const sessions = new Map<string, (method: string, params: unknown) => void>();
const pages = new Map<string, (reason: string) => void>(); // by target
const byFrame = new Map<string, string>(); // the session of each page, to let it crash
let next = 0;
let rest: Buffer[] = [];

from.on('data', (chunk: Buffer) => {
  let begin = 0;
  for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, begin)) {
    rest.push(chunk.subarray(begin, end));
    message(JSON.parse(Buffer.concat(rest).toString()) as Answer);
    rest = [];
    begin = end + 1;
  }
  rest.push(chunk.subarray(begin));
});

function message(m: Answer): void {
  if (m.id !== undefined) {
    waiting.get(m.id)?.(m);
    waiting.delete(m.id);
  } else if (m.sessionId !== undefined) {
    sessions.get(m.sessionId)?.(m.method ?? '', m.params);
  } else if (m.method === 'Target.targetDestroyed' || m.method === 'Target.targetCrashed') {
    pages.get(String(m.params?.['targetId']))?.(m.method);
  } else if (m.method === 'Target.attachedToTarget') {
    const { sessionId, targetInfo } = m.params as unknown as Attached;
    if (targetInfo.openerId !== undefined) turnAway(sessionId, targetInfo.targetId);
    else void call('Runtime.runIfWaitingForDebugger', {}, sessionId).catch(() => undefined);
  }
}

interface Attached {
  sessionId: string;
  targetInfo: { targetId: string; openerId?: string };
}

/** Closes a page that a page has opened, before its first request is made, as Electron does with a window. */
function turnAway(session: string, target: string): void {
  const close = () => void call('Target.closeTarget', { targetId: target }).catch(() => undefined);
  sessions.set(session, (method, params) => {
    if (method !== 'Fetch.requestPaused') return;
    const { requestId } = params as { requestId: string };
    call('Fetch.failRequest', { requestId, errorReason: 'Aborted' }, session).then(close, close);
  });
  const held = call('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, session);
  held.then(() => call('Runtime.runIfWaitingForDebugger', {}, session)).catch(() => undefined);
  setTimeout(close, 1000);
}

function call(method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> {
  const id = ++next;
  to.write(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }) + '\0');
  return new Promise((resolve, reject) => {
    waiting.set(id, (a) => (a.error ? reject(new Error(a.error.message)) : resolve(a.result ?? {})));
  });
}

async function open(o: SurfaceOptions): Promise<StagedSurface> {
  const { browserContextId } = await call('Target.createBrowserContext', {
    disposeOnDetach: true,
    proxyServer: `http://127.0.0.1:${new URL(o.origin).port}`,
    proxyBypassList: '<-loopback>',
  });
  await call('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId });
  const size = { width: o.width, height: o.height };
  const { targetId } = await call('Target.createTarget', { url: 'about:blank', browserContextId, ...size });
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  const [session, target] = [String(sessionId), String(targetId)];
  if (o.place === 'preview') {
    // The window's room gives it this size and the focus, with nothing that the gateway does.
    await call('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false }, session);
    await call('Emulation.setFocusEmulationEnabled', { enabled: true }, session);
  }
  byFrame.set(target, session);
  const close = () => {
    sessions.delete(session);
    pages.delete(target);
    byFrame.delete(target);
    void call('Target.disposeBrowserContext', { browserContextId }).catch(() => undefined);
  };
  return {
    debuggee: {
      sendCommand: (method, params) => call(method, params, session),
      onMessage: (listener) => void sessions.set(session, listener),
    },
    frameId: target,
    onGone: (listener) => void pages.set(target, listener),
    inspecting: () => undefined,
    close,
  };
}

async function main(): Promise<void> {
  await call('Target.setDiscoverTargets', { discover: true });
  await call('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter: [{ type: 'page' }],
  });
  const { product } = await call('Browser.getVersion', {});
  const stage: Stage = { open };
  const relay = await startRelay({ stage, product: 'Electron/0.0.0', browser: String(product) });
  process.stdout.write(JSON.stringify({ url: relay.url, token: relay.token }) + '\n');
  process.stdin.on('data', (said: Buffer) => {
    const [, frame = ''] = /crash (\S+)/.exec(said.toString()) ?? [];
    const session = byFrame.get(frame);
    if (session) call('Page.crash', {}, session).catch(() => undefined);
  });
  process.stdin.on('end', () => void relay.close().then(() => to.destroy()));
  chromium.on('exit', () => {
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    process.exit(0);
  });
}

await main();
