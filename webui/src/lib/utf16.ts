// The one place where offsets change their unit: the API counts UTF-8 bytes,
// editors count UTF-16 code units.

/** How many UTF-8 bytes the code point at text[i] takes, and how many code units. */
function widthAt(text: string, i: number): [bytes: number, units: number] {
  const c = text.charCodeAt(i);
  if (c < 0x80) return [1, 1];
  if (c < 0x800) return [2, 1];
  if (c >= 0xd800 && c < 0xdc00) {
    const d = text.charCodeAt(i + 1);
    if (d >= 0xdc00 && d < 0xe000) return [4, 2];
  }
  return [3, 1]; // a lone surrogate is written as U+FFFD, which takes three, too
}

/** One checkpoint every so many code units, so that a lookup walks at most that far. */
const stride = 1024;

/**
 * Offsets of one text. Building it is one pass; looking up is a binary search
 * and a short walk, so that a selection in a page of 8 MiB costs microseconds.
 */
export class Offsets {
  /** Pairs (byte, unit) at the borders of code points, about a stride apart. */
  readonly #marks: [byte: number, unit: number][] = [[0, 0]];
  readonly bytes: number;

  constructor(readonly text: string) {
    let byte = 0;
    let next = stride;
    for (let i = 0; i < text.length;) {
      if (i >= next) {
        this.#marks.push([byte, i]);
        next = i + stride;
      }
      const [b, u] = widthAt(text, i);
      byte += b;
      i += u;
    }
    this.bytes = byte;
  }

  /** toByte gives the byte offset of a code unit; one inside a pair counts from the pair's start. */
  toByte(unit: number): number {
    if (unit <= 0) return 0;
    if (unit >= this.text.length) return this.bytes;
    let [byte, i] = this.#before(1, unit);
    while (i < unit) {
      const [b, u] = widthAt(this.text, i);
      if (i + u > unit) break;
      byte += b;
      i += u;
    }
    return byte;
  }

  /** toUnit gives the code unit at a byte offset; a byte inside a code point counts from its start. */
  toUnit(at: number): number {
    if (at <= 0) return 0;
    if (at >= this.bytes) return this.text.length;
    let [byte, i] = this.#before(0, at);
    while (byte < at) {
      const [b, u] = widthAt(this.text, i);
      if (byte + b > at) break;
      byte += b;
      i += u;
    }
    return i;
  }

  #before(column: 0 | 1, value: number): [byte: number, unit: number] {
    let low = 0;
    let high = this.#marks.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      const mark = this.#marks[mid];
      if (mark !== undefined && mark[column] <= value) low = mid;
      else high = mid - 1;
    }
    const [byte, unit] = this.#marks[low] ?? [0, 0];
    return [byte, unit];
  }
}

/** byteLength gives the UTF-8 bytes of a text without making them. */
export function byteLength(text: string): number {
  let n = 0;
  for (let i = 0; i < text.length;) {
    const [b, u] = widthAt(text, i);
    n += b;
    i += u;
  }
  return n;
}
