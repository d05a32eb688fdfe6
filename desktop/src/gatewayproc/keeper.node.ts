import { setTimeout as sleep } from 'node:timers/promises';
import { BackOff } from './backoff.std';
import type { Child } from './child.node';
import type { Ready } from './lines.std';

export interface KeeperOptions {
  /** Starts one gateway with a relay of its own. */
  start: () => Promise<{ child: Pick<Child, 'ended' | 'stop' | 'kill'>; ready: Ready }>;
  up: (r: Ready) => void;
  down: () => void;
  /** It keeps dying: what it said last. True: a person wants another try. */
  gaveUp: (said: string) => Promise<boolean>;
  wait?: (ms: number) => Promise<unknown>;
}

/** Keeps a gateway running, and ends it when the app ends. */
export class Keeper {
  #child: Pick<Child, 'ended' | 'stop' | 'kill'> | null = null;
  #leaving = false;

  constructor(private readonly o: KeeperOptions) {}

  async run(): Promise<void> {
    const pause = new BackOff();
    while (!this.#leaving) {
      const began = Date.now();
      const said = await this.#once();
      if (this.#stopping()) return;
      const wait = pause.next(Date.now() - began);
      if (wait !== null) await (this.o.wait ?? sleep)(wait);
      else if (await this.o.gaveUp(said)) pause.reset();
      else return;
    }
  }

  /** One gateway's life; gives what it said at its end. */
  async #once(): Promise<string> {
    try {
      const { child, ready } = await this.o.start();
      this.#child = child;
      if (this.#leaving) await child.stop();
      else this.o.up(ready);
      const { said } = await child.ended;
      this.#child = null;
      this.o.down();
      return said;
    } catch (e) {
      return e instanceof Error ? e.message : String(e);
    }
  }

  #stopping(): boolean {
    return this.#leaving;
  }

  async stop(): Promise<void> {
    this.#leaving = true;
    await this.#child?.stop();
  }

  /** For an app that waits no longer. */
  kill(): void {
    this.#leaving = true;
    this.#child?.kill();
  }
}
