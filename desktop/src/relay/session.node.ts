// One page that the gateway drives: its commands one behind the other within
// bounds, its events as far as the list lets them through.
import { floods, judge, limits, pageEvents, patience, refused, Refusal } from './rules.node';
import type { Place, StagedSurface } from './stage.std';

/** What a session hands on to the gateway. */
export interface Outlet {
  answer(id: number, result: unknown): void;
  refuse(id: number, code: number, message: string): void;
  /** False where the event was not sent: it is too large, or the gateway does not keep up. */
  event(method: string, params: unknown): boolean;
}

interface Command {
  id: number;
  method: string;
  params: object;
}

export class Session {
  private readonly waiting: Command[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private running = 0;
  private over = false;
  private passed = 0; // of the events that can come without end, in this second
  private dropped = 0;
  private readonly second: NodeJS.Timeout;

  constructor(
    readonly place: Place,
    private readonly staged: StagedSurface,
    private readonly origin: string,
    private readonly out: Outlet,
  ) {
    staged.debuggee.onMessage((method, params) => this.event(method, params));
    this.second = setInterval(() => this.nextSecond(), 1000);
  }

  command(c: Command, bytes: number): void {
    try {
      const stub = judge(c.method, c.params, this.origin, bytes);
      if (stub !== undefined) {
        this.out.answer(c.id, stub);
        return;
      }
      if (this.waiting.length >= limits.waiting) throw new Refusal(refused, 'too many commands at once');
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      this.out.refuse(c.id, e.code, e.message);
      return;
    }
    this.waiting.push(c);
    this.next();
  }

  /** Ends the session and its page; what has no answer yet gets none. */
  close(): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.second);
    this.timers.forEach((t) => clearTimeout(t));
    this.waiting.length = 0;
    this.staged.close();
  }

  private next(): void {
    while (!this.over && this.running < limits.inFlight) {
      const c = this.waiting.shift();
      if (!c) return;
      this.run(c);
    }
  }

  private run(c: Command): void {
    this.running++;
    let open = true;
    const finish = (tell: () => void) => {
      if (!open) return; // it came too late
      open = false;
      clearTimeout(timer);
      this.timers.delete(timer);
      this.running--;
      if (this.over) return;
      tell();
      this.next();
    };
    const timer = setTimeout(
      () => finish(() => this.out.refuse(c.id, refused, `${c.method}: the browser did not answer in time`)),
      patience(c.method, c.params),
    );
    this.timers.add(timer);
    const inspect = c.method === 'Overlay.setInspectMode' && 'mode' in c.params ? c.params.mode !== 'none' : undefined;
    if (inspect === true) this.staged.inspecting(true);
    if (c.method === 'Overlay.disable') this.staged.inspecting(false);
    this.staged.debuggee.sendCommand(c.method, c.params).then(
      (result) =>
        finish(() => {
          if (inspect === false) this.staged.inspecting(false);
          this.out.answer(c.id, result);
        }),
      (e: unknown) => finish(() => this.out.refuse(c.id, refused, e instanceof Error ? e.message : String(e))),
    );
  }

  private event(method: string, params: unknown): void {
    if (this.over || !pageEvents.has(method)) return;
    const flood = floods.has(method);
    if ((flood && ++this.passed > limits.floodsASecond) || !this.out.event(method, params)) this.dropped++;
  }

  private nextSecond(): void {
    this.passed = 0;
    if (this.dropped > 0 && this.out.event('Bridge.dropped', { count: this.dropped })) this.dropped = 0;
  }
}
