// How long to wait before a gateway that died is started again, and when not to.

const first = 500;
const longest = 30_000;
/** A gateway that lived shorter died quickly, in ms. */
const quick = 10_000;
/** One that lived this long starts the waiting from the beginning. */
const steady = 60_000;
const mostQuick = 5;

export class BackOff {
  #wait = first;
  #quickDeaths = 0;

  /** A gateway died after so many ms: how long to wait, null when it is no use any more. */
  next(lived: number): number | null {
    if (lived >= steady) this.#wait = first;
    this.#quickDeaths = lived < quick ? this.#quickDeaths + 1 : 0;
    if (this.#quickDeaths >= mostQuick) return null;
    const wait = this.#wait;
    this.#wait = Math.min(longest, wait * 2);
    return wait;
  }

  /** A person asked to try again. */
  reset(): void {
    this.#wait = first;
    this.#quickDeaths = 0;
  }
}
