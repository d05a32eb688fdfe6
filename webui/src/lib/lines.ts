/** Where the lines of a text begin, by bytes: says which line a byte of the source is in. */
export class Lines {
  readonly #starts: number[] = [0];

  constructor(bytes: Uint8Array) {
    for (let i = bytes.indexOf(10); i >= 0; i = bytes.indexOf(10, i + 1)) this.#starts.push(i + 1);
  }

  /** lineOf gives the line of a byte, from 1. */
  lineOf(byte: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if ((this.#starts[mid] ?? 0) <= byte) low = mid;
      else high = mid - 1;
    }
    return low + 1;
  }
}
