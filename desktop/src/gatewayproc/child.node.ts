import { spawn, type ChildProcess } from 'node:child_process';
import {
  environmentFor,
  greeting,
  laterGrantOf,
  Lines,
  readyOf,
  Tail,
  type Grant,
  type Ready,
  type RelayAddress,
} from './lines.std';

export interface ChildOptions {
  /** Absolute, and looked at by trustedProgram. */
  program: string;
  relay: RelayAddress;
  env: Record<string, string | undefined>;
  /** A newer token came over the pipe. */
  onGrant: (g: Grant) => void;
}

/** How long a gateway may take to be ready: its store may have to be brought up to date. */
const readyWithin = 30_000;
/** How long one may take to end after it was asked to. */
const endWithin = 5_000;

/** One gateway, which lives as long as its standard input is open: until this program ends, however it ends. */
export class Child {
  readonly ended: Promise<{ lived: number; said: string }>;
  readonly #child: ChildProcess;
  readonly #tail = new Tail(8 << 10);

  private constructor(child: ChildProcess) {
    this.#child = child;
    const began = Date.now();
    child.stderr?.setEncoding('utf8').on('data', (s: string) => this.#tail.add(s));
    child.stdin?.on('error', () => undefined); // it ended before it was told all; its end is news enough
    this.ended = new Promise((resolve) => {
      const end = () => resolve({ lived: Date.now() - began, said: this.#tail.text });
      child.once('close', end);
      child.once('error', (e) => {
        this.#tail.add(e.message);
        end();
      });
    });
  }

  /** Starts a gateway; rejects when it ends or stays silent before it is ready. */
  static async start(o: ChildOptions): Promise<{ child: Child; ready: Ready }> {
    const process = spawn(o.program, ['serve', '--owned', '--bridge'], {
      stdio: 'pipe',
      env: environmentFor(o.env),
      shell: false,
      windowsHide: true,
    });
    const child = new Child(process);
    process.stdin.write(greeting(o.relay));
    try {
      return { child, ready: await child.#ready(o.onGrant) };
    } catch (e) {
      process.kill('SIGKILL');
      throw e;
    }
  }

  #ready(onGrant: (g: Grant) => void): Promise<Ready> {
    return new Promise((resolve, reject) => {
      let ready: Ready | null = null;
      const fail = (why: string) => reject(new Error(why));
      const timer = setTimeout(() => fail('the gateway was not ready in time'), readyWithin);
      const lines = new Lines(
        (text) => {
          if (ready !== null) {
            const g = laterGrantOf(text);
            if (g !== null) onGrant(g);
            return;
          }
          clearTimeout(timer);
          ready = readyOf(text);
          if (ready === null) fail('the gateway did not say that it is ready');
          else resolve(ready);
        },
        () => fail('the gateway says too much'),
      );
      this.#child.stdout?.setEncoding('utf8').on('data', (s: string) => lines.add(s));
      void this.ended.then(({ said }) => {
        clearTimeout(timer);
        fail(said === '' ? 'the gateway ended' : said);
      });
    });
  }

  /** Ends it at once, whatever it does: nobody is left to wait. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Closes its standard input, which ends it, and makes sure that it does. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), endWithin);
    await this.ended;
    clearTimeout(timer);
  }
}
