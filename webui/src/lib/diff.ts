// The difference of two texts: by lines first, then by words inside what differs.
// It is for showing and for merging here; what is committed is compared again by
// the gateway.

/** A part of the one text and what stands in its place in the other. */
export interface Change {
  fromA: number;
  toA: number;
  fromB: number;
  toB: number;
}

/** Steps after which two texts are not compared any closer. */
const MOST_STEPS = 1200;

/** Longest texts that are compared by words. */
const MOST_REFINED = 200_000;

/** Changes that lead from a to b, sorted and apart, in UTF-16 units. */
export function diff(a: string, b: string): Change[] {
  if (a === b) return [];
  const out: Change[] = [];
  for (const hunk of byTokens(a, b, splitLines)) {
    if (hunk.toA - hunk.fromA + hunk.toB - hunk.fromB > MOST_REFINED) {
      out.push(trimmed(a, b, hunk));
      continue;
    }
    const inner = byTokens(a.slice(hunk.fromA, hunk.toA), b.slice(hunk.fromB, hunk.toB), splitWords);
    for (const c of inner) {
      out.push({
        fromA: c.fromA + hunk.fromA,
        toA: c.toA + hunk.fromA,
        fromB: c.fromB + hunk.fromB,
        toB: c.toB + hunk.fromB,
      });
    }
  }
  return slid(a, b, out);
}

/** Changes inside two lines or short texts, by words. */
export function diffWords(a: string, b: string): Change[] {
  if (a === b) return [];
  if (a.length + b.length > MOST_REFINED) return [trimmed(a, b, { fromA: 0, toA: a.length, fromB: 0, toB: b.length })];
  return slid(a, b, byTokens(a, b, splitWords));
}

/** How far a change is moved to begin with a tag. */
const FAR = 200;

/**
 * What was put in or taken out alone can often stand in several places: of
 * `><b>` and `<b>>` the second begins with its tag, and is what a person did.
 */
function slid(a: string, b: string, changes: Change[]): Change[] {
  let least = 0;
  for (const c of changes) {
    const put = c.fromA === c.toA;
    if (put || c.fromB === c.toB) {
      const s = put ? b : a;
      const [from, to] = put ? [c.fromB, c.toB] : [c.fromA, c.toA];
      const by = shift(s, from, to, Math.min(FAR, c.fromA - least - 1));
      c.fromA -= by;
      c.toA -= by;
      c.fromB -= by;
      c.toB -= by;
    }
    least = c.toA;
  }
  return changes;
}

function shift(s: string, from: number, to: number, most: number): number {
  if (s.startsWith('<', from)) return 0;
  for (let by = 1; by <= most && s[from - by] === s[to - by]; by++) {
    if (s[from - by] === '<') return by;
  }
  return 0;
}

/** Text with changes made. */
export function applyChanges(a: string, b: string, changes: readonly Change[]): string {
  let out = '';
  let at = 0;
  for (const c of changes) {
    out += a.slice(at, c.fromA) + b.slice(c.fromB, c.toB);
    at = c.toA;
  }
  return out + a.slice(at);
}

function byTokens(a: string, b: string, split: (s: string) => number[]): Change[] {
  const startsA = split(a);
  const startsB = split(b);
  const ids = new Map<string, number>();
  const idsA = intern(a, startsA, ids);
  const idsB = intern(b, startsB, ids);
  return compare(idsA, idsB).map(([fromA, toA, fromB, toB]) => ({
    fromA: startsA[fromA] ?? a.length,
    toA: startsA[toA] ?? a.length,
    fromB: startsB[fromB] ?? b.length,
    toB: startsB[toB] ?? b.length,
  }));
}

/** Starts of the lines, each with its end, and last the text's length. */
function splitLines(s: string): number[] {
  return starts(s, /[^\r\n]*(?:\r\n?|\n|$)/g);
}

// A word, a run of blanks, or one other character.
function splitWords(s: string): number[] {
  return starts(s, /[\p{L}\p{N}_]+|[ \t]+|\r\n|[\s\S]/gu);
}

function starts(s: string, pattern: RegExp): number[] {
  const out: number[] = [];
  for (const m of s.matchAll(pattern)) {
    if (m[0] !== '') out.push(m.index);
  }
  out.push(s.length);
  return out;
}

function intern(s: string, at: number[], ids: Map<string, number>): Int32Array {
  const out = new Int32Array(at.length - 1);
  for (let i = 0; i < out.length; i++) {
    const token = s.slice(at[i], at[i + 1]);
    let id = ids.get(token);
    if (id === undefined) ids.set(token, (id = ids.size));
    out[i] = id;
  }
  return out;
}

type Quad = [fromA: number, toA: number, fromB: number, toB: number];

/** Myers' greedy comparison between equal ends; one change where that takes too long. */
function compare(a: Int32Array, b: Int32Array): Quad[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let endA = a.length;
  let endB = b.length;
  while (endA > head && endB > head && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  if (head === endA && head === endB) return [];
  if (head === endA || head === endB) return [[head, endA, head, endB]];
  const inner = myers(a.subarray(head, endA), b.subarray(head, endB));
  if (!inner) return [[head, endA, head, endB]];
  return inner.map(([p, q, r, s]) => [p + head, q + head, r + head, s + head]);
}

function myers(a: Int32Array, b: Int32Array): Quad[] | null {
  const n = a.length;
  const m = b.length;
  const most = Math.min(n + m, MOST_STEPS);
  const v = new Int32Array(2 * most + 2);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    // Of step d only the diagonals -d to d are read again.
    trace.push(v.slice(most - d, most + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && get(v, most + k - 1) < get(v, most + k + 1));
      let x = down ? get(v, most + k + 1) : get(v, most + k - 1) + 1;
      while (x < n && x - k < m && a[x] === b[x - k]) x++;
      v[most + k] = x;
      if (x >= n && x - k >= m) return backtrack(trace, n, m, d);
    }
  }
  return null;
}

function backtrack(trace: Int32Array[], n: number, m: number, steps: number): Quad[] {
  const out: Quad[] = [];
  let x = n;
  let y = m;
  for (let d = steps; d > 0; d--) {
    const v = trace[d] ?? new Int32Array(0); // index k + d stands for diagonal k
    const k = x - y;
    const down = k === -d || (k !== d && get(v, d + k - 1) < get(v, d + k + 1));
    const before = down ? k + 1 : k - 1;
    const px = get(v, d + before);
    const py = px - before;
    const last = out.at(-1);
    const step: Quad = down ? [px, px, py, py + 1] : [px, px + 1, py, py];
    if (last && last[0] === step[1] && last[2] === step[3]) {
      last[0] = step[0];
      last[2] = step[2];
    } else out.push(step);
    x = px;
    y = py;
  }
  return out.reverse();
}

function get(v: Int32Array, i: number): number {
  return v[i] ?? 0;
}

/** A change without what is the same at both of its ends, cut between characters. */
function trimmed(a: string, b: string, c: Change): Change {
  let { fromA, toA, fromB, toB } = c;
  while (fromA < toA && fromB < toB && a.charCodeAt(fromA) === b.charCodeAt(fromB)) {
    fromA++;
    fromB++;
  }
  while (toA > fromA && toB > fromB && a.charCodeAt(toA - 1) === b.charCodeAt(toB - 1)) {
    toA--;
    toB--;
  }
  if (fromA > c.fromA && isHigh(a, fromA - 1)) {
    fromA--;
    fromB--;
  }
  if (toA < c.toA && isHigh(a, toA - 1)) {
    toA++;
    toB++;
  }
  return { fromA, toA, fromB, toB };
}

function isHigh(s: string, i: number): boolean {
  const c = s.charCodeAt(i);
  return c >= 0xd800 && c < 0xdc00;
}
