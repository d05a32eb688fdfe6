// Starts the real app in a real Electron on a screen of its own, and talks to its
// pages and its main process the way a debugger does.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

export const desktop = join(import.meta.dirname, '..');
export const electron = join(desktop, '.electron/electron');
export const gateway = process.env['PROOFMARK_GATEWAY'] ?? join(desktop, '../bin/proofmark');
/** Whether the app can be run here at all. */
export const canRun =
  existsSync(electron) && existsSync(gateway) && existsSync(join(desktop, 'dist/main.cjs')) && has('Xvfb');

if (!canRun)
  console.warn(
    'SKIPPED, NOT TESTED: the app cannot be run here; it needs desktop/.electron, dist/, a gateway and Xvfb',
  );
if (!canRun && process.env['PROOFMARK_REQUIRE_ELECTRON'] === '1')
  throw new Error('the app cannot be run here, and has to be');

function has(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Waits until something is there. */
export async function until<T>(what: string, look: () => T | Promise<T>, ms = 60_000): Promise<NonNullable<T>> {
  const end = Date.now() + ms;
  let last: unknown;
  for (;;) {
    try {
      const v = await look();
      if (v !== null && v !== undefined && v !== false) return v;
    } catch (e) {
      last = e;
    }
    if (Date.now() > end)
      throw new Error(`waited in vain for ${what}${last instanceof Error ? `: ${last.message}` : ''}`);
    await sleep(30);
  }
}

/** One debugger connection. */
export class Page {
  #next = 1;
  readonly #open = new Map<number, { done: (v: Record<string, unknown>) => void; failed: (e: Error) => void }>();

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const m = JSON.parse(data.toString()) as {
        id?: number;
        result?: Record<string, unknown>;
        error?: { message: string };
      };
      const waiting = this.#open.get(m.id ?? 0);
      if (waiting === undefined) return;
      this.#open.delete(m.id ?? 0);
      if (m.error === undefined) waiting.done(m.result ?? {});
      else waiting.failed(new Error(m.error.message));
    });
    socket.on('close', () => this.#open.forEach((w) => w.failed(new Error('the page is gone'))));
  }

  static async at(url: string): Promise<Page> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Page(socket);
  }

  send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = this.#next++;
    return new Promise((done, failed) => {
      this.#open.set(id, { done, failed });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** The value of an expression; a promise is waited for. */
  async value<T = unknown>(expression: string): Promise<T> {
    const a = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
      includeCommandLineAPI: true,
    });
    const thrown = a['exceptionDetails'] as { exception?: { description?: string }; text: string } | undefined;
    if (thrown !== undefined) throw new Error(thrown.exception?.description ?? thrown.text);
    return (a['result'] as { value: T }).value;
  }

  close(): void {
    this.socket.close();
  }
}

export interface AppOptions {
  args?: string[];
  env?: Record<string, string>;
  /** Of an earlier app: its folder is used again and kept. */
  folder?: string;
  program?: string;
  /** What is loaded; null for a packaged app, which has its own. */
  load?: string | null;
  debug?: boolean;
}

export class App {
  static #screen: { child: ChildProcess; display: string } | null = null;
  said = '';
  exit: number | null | undefined;
  readonly #attached: Page[] = [];
  readonly began = Date.now();

  private constructor(
    readonly child: ChildProcess,
    readonly folder: string,
    private readonly kept: boolean,
  ) {}

  static async screen(): Promise<string> {
    if (App.#screen === null) {
      // It ends when this process does, however that ends, and takes along what is still shown on it.
      const screen = 'Xvfb -displayfd 3 -screen 0 1400x1000x24 -nolisten tcp & read -r _; kill $!';
      const child = spawn('sh', ['-c', screen], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
      const display = await new Promise<string>((resolve) =>
        (child.stdio[3] as NodeJS.ReadableStream).once('data', (d: Buffer) => resolve(`:${d.toString().trim()}`)),
      );
      App.#screen = { child, display };
    }
    return App.#screen.display;
  }

  static async start(o: AppOptions = {}): Promise<App> {
    const display = await App.screen();
    const folder = o.folder ?? mkdtempSync(join(tmpdir(), 'proofmark-desktop-'));
    const load = o.load === undefined ? desktop : o.load;
    const debug = o.debug === false ? [] : ['--remote-debugging-port=0', '--inspect=127.0.0.1:0'];
    const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const args = [
      ...root,
      '--disable-gpu',
      `--user-data-dir=${folder}/user`,
      ...debug,
      ...(load === null ? [] : [load]),
      ...(o.args ?? []),
    ];
    if (o.debug !== false) rmSync(join(folder, 'user/DevToolsActivePort'), { force: true });
    const child = spawn(o.program ?? electron, args, {
      env: {
        ...process.env,
        DISPLAY: display,
        PROOFMARK_GATEWAY: gateway,
        PROOFMARK_DATA_DIR: join(folder, 'data'),
        ...o.env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const app = new App(child, folder, o.folder !== undefined);
    child.stderr.setEncoding('utf8').on('data', (s: string) => (app.said += s));
    child.once('exit', (code) => (app.exit = code));
    return app;
  }

  /** A page by what its address holds, attached. */
  async page(part: string | RegExp): Promise<Page> {
    const url = await until(`a page at ${String(part)}`, async () => {
      const port = readFileSync(join(this.folder, 'user/DevToolsActivePort'), 'utf8').split('\n')[0] ?? '';
      const list = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
        url: string;
        webSocketDebuggerUrl: string;
      }[];
      return list.find((t) => (typeof part === 'string' ? t.url.includes(part) : part.test(t.url)))
        ?.webSocketDebuggerUrl;
    });
    return this.#attach(url);
  }

  async #attach(url: string): Promise<Page> {
    const p = await Page.at(url);
    this.#attached.push(p);
    return p;
  }

  /** The workbench, once it is loaded. */
  async workbench(): Promise<Page> {
    const p = await this.page(/^http:\/\/127\.0\.0\.1:\d+\//);
    await until('the workbench', () =>
      p.value('document.readyState === "complete" && document.querySelector("#workbench")?.children.length > 0'),
    );
    return p;
  }

  /** The main process. There, `electron` is what a module of the app would get. */
  async main(): Promise<Page> {
    const url = await until(
      'the main process',
      () => /ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]{36}/.exec(this.said.split('Debugger listening on ')[1] ?? '')?.[0],
    );
    const p = await this.#attach(url);
    await until('a window', () =>
      p.value('process.mainModule.require("electron").BaseWindow.getAllWindows().length > 0'),
    );
    await p.value('globalThis.electron = process.mainModule.require("electron"); 1');
    return p;
  }

  /** Processes that have this app's folder on their command line, its gateway apart. */
  #running(): string[] {
    return execFileSync('ps', ['-e', '-o', 'args='], { encoding: 'utf8' })
      .split('\n')
      .filter((l) => l.includes(`${this.folder}/user`));
  }

  /** Its gateways that run now, by process id. */
  gateways(): number[] {
    return descendants(this.child.pid ?? 0)
      .filter(({ args }) => args.includes('serve --owned'))
      .map(({ pid }) => pid);
  }

  async ended(ms = 60_000): Promise<number | null> {
    await until('the end of the app', () => this.exit !== undefined, ms);
    return this.exit ?? null;
  }

  async close(): Promise<void> {
    for (const p of this.#attached) p.close(); // a main process with a debugger does not end
    if (this.exit === undefined) {
      this.child.kill('SIGTERM');
      await this.ended(15_000).catch(() => this.child.kill('SIGKILL'));
    }
    // The last of its processes may still write.
    await until('the end of its processes', () => this.#running().length === 0, 5_000).catch(() => undefined);
    if (!this.kept) rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

interface Process {
  pid: number;
  args: string;
}

function descendants(of: number): Process[] {
  const out = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const rows = [...out.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)].map((m) => ({
    pid: Number(m[1]),
    parent: Number(m[2]),
    args: m[3] ?? '',
  }));
  const below = (p: number): Process[] => rows.filter((r) => r.parent === p).flatMap((r) => [r, ...below(r.pid)]);
  return below(of);
}

/** Whether a process is still there. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
