/** Runs steps one after the other, in the order they were asked for. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(private readonly most = Infinity) {}

  /** Steps that are not over. */
  get waiting(): number {
    return this.#waiting;
  }

  get full(): boolean {
    return this.#waiting >= this.most;
  }

  add<T>(step: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const mine = this.#last.then(step, step).finally(() => this.#waiting--);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
