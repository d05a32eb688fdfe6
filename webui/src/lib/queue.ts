/** Runs steps one after the other, in the order they were asked for. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  add<T>(step: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(step, step);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
