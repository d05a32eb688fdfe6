// A unified diff, shaped for the screen: hunks of rows, with what differs inside a
// line, and lines that are too long cut down to that.

import { diffWords } from './diff';

/** A piece of a line; `cut` counts characters that are left out. */
export type Part = { text: string; changed: boolean } | { cut: number };

export interface Line {
  /** From 1. */
  number: number;
  parts: Part[];
  /** What the line ends with, where that is all that differs: shown as a word. */
  end?: 'crlf' | 'lf' | 'none';
}

/** One row of a side-by-side view. The same line on both sides where nothing differs. */
export interface Row {
  kind: 'same' | 'changed' | 'removed' | 'added';
  before: Line | null;
  after: Line | null;
}

export interface Hunk {
  fromLine: number;
  toLine: number;
  rows: Row[];
}

interface RawLine {
  kind: ' ' | '-' | '+';
  text: string;
  end: 'crlf' | 'lf' | 'none';
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Longest line that is shown whole; of a longer one, what is around its changes. */
export const LONG_LINE = 600;
/** Characters around a change in a long line. */
const AROUND = 60;
/** Longest text of one change in a long line. */
const LONG_PART = 1200;

/** Hunks of a unified diff as the gateway writes it. Lines end at LF; a CR belongs to its line. */
export function parseUnified(unified: string): Hunk[] {
  const out: Hunk[] = [];
  let at = 0;
  let hunk: Hunk | null = null;
  let raw: RawLine[] = [];
  let leftBefore = 0;
  let leftAfter = 0;
  const close = () => {
    if (hunk) hunk.rows = rowsOf(raw, hunk.fromLine, hunk.toLine);
    raw = [];
  };
  while (at < unified.length) {
    let next = unified.indexOf('\n', at);
    if (next < 0) next = unified.length;
    const line = unified.slice(at, next);
    at = next + 1;
    if (leftBefore > 0 || leftAfter > 0) {
      const kind = line.charAt(0);
      if (kind === ' ' || kind === '-' || kind === '+') {
        if (kind !== '+') leftBefore--;
        if (kind !== '-') leftAfter--;
        const crlf = line.endsWith('\r');
        raw.push({ kind, text: line.slice(1, crlf ? -1 : undefined), end: crlf ? 'crlf' : 'lf' });
        continue;
      }
    }
    if (line.startsWith('\\')) {
      const last = raw.at(-1);
      if (last) {
        if (last.end === 'crlf') last.text += '\r'; // a lone CR at the very end
        last.end = 'none';
      }
      continue;
    }
    const m = header.exec(line);
    if (!m) continue;
    close();
    leftBefore = Number(m[2] ?? 1);
    leftAfter = Number(m[4] ?? 1);
    // Where a side has no line, its number is that of the line before.
    hunk = {
      fromLine: Number(m[1]) + (leftBefore === 0 ? 1 : 0),
      toLine: Number(m[3]) + (leftAfter === 0 ? 1 : 0),
      rows: [],
    };
    out.push(hunk);
  }
  close();
  return out;
}

function rowsOf(raw: readonly RawLine[], fromLine: number, toLine: number): Row[] {
  const rows: Row[] = [];
  let before = fromLine;
  let after = toLine;
  for (let i = 0; i < raw.length;) {
    const removed: RawLine[] = [];
    const added: RawLine[] = [];
    for (let r = raw[i]; r && r.kind === '-'; r = raw[++i]) removed.push(r);
    for (let r = raw[i]; r && r.kind === '+'; r = raw[++i]) added.push(r);
    for (let n = 0; n < Math.max(removed.length, added.length); n++) {
      rows.push(pair(removed[n], added[n], before + n, after + n));
    }
    before += removed.length;
    after += added.length;
    const same = raw[i];
    if (same?.kind === ' ') {
      const parts = clip([{ text: same.text, changed: false }]);
      rows.push({ kind: 'same', before: { number: before++, parts }, after: { number: after++, parts } });
      i++;
    }
  }
  return rows;
}

function pair(a: RawLine | undefined, b: RawLine | undefined, numberA: number, numberB: number): Row {
  if (!a || !b) {
    return {
      kind: a ? 'removed' : 'added',
      before: a ? { number: numberA, parts: clip([{ text: a.text, changed: false }]) } : null,
      after: b ? { number: numberB, parts: clip([{ text: b.text, changed: false }]) } : null,
    };
  }
  const [partsA, partsB] = inside(a.text, b.text);
  const before: Line = { number: numberA, parts: clip(partsA) };
  const after: Line = { number: numberB, parts: clip(partsB) };
  if (a.end !== b.end) {
    before.end = a.end;
    after.end = b.end;
  }
  return { kind: 'changed', before, after };
}

type Text = { text: string; changed: boolean };

function inside(a: string, b: string): [Text[], Text[]] {
  const changes = diffWords(a, b);
  const partsA: Text[] = [];
  const partsB: Text[] = [];
  let [atA, atB] = [0, 0];
  let same = 0;
  for (const c of changes) {
    add(partsA, a.slice(atA, c.fromA), false);
    add(partsB, b.slice(atB, c.fromB), false);
    same += solid(a.slice(atA, c.fromA));
    // Also where nothing stands on this side: it is the place that a long line is cut around.
    partsA.push({ text: a.slice(c.fromA, c.toA), changed: true });
    partsB.push({ text: b.slice(c.fromB, c.toB), changed: true });
    [atA, atB] = [c.toA, c.toB];
  }
  same += solid(a.slice(atA));
  add(partsA, a.slice(atA), false);
  add(partsB, b.slice(atB), false);
  // Two lines that have next to nothing in common are not one line changed.
  if (changes.length > 0 && same * 5 < Math.min(a.length, b.length)) {
    return [[{ text: a, changed: false }], [{ text: b, changed: false }]];
  }
  return [partsA, partsB];
}

/** Characters that are no blanks. */
function solid(s: string): number {
  return s.replace(/\s+/g, '').length;
}

function add(parts: Text[], text: string, changed: boolean): void {
  if (text !== '') parts.push({ text, changed });
}

/** Leaves out of a long line what is far from its changes. */
function clip(parts: Text[]): Part[] {
  const length = parts.reduce((n, p) => n + p.text.length, 0);
  if (length <= LONG_LINE) return parts.filter((p) => p.text !== '');
  const any = parts.some((p) => p.changed);
  const out: Part[] = [];
  parts.forEach((p, i) => {
    const head = p.changed ? LONG_PART / 2 : i === 0 && any ? 0 : any ? AROUND : LONG_LINE / 2;
    const tail = p.changed ? LONG_PART / 2 : i === parts.length - 1 && any ? 0 : any ? AROUND : 0;
    if (p.text.length <= head + tail + 1) {
      if (p.text !== '') out.push(p);
      return;
    }
    const from = whole(p.text, head);
    const to = whole(p.text, p.text.length - tail);
    if (from > 0) out.push({ text: p.text.slice(0, from), changed: p.changed });
    out.push({ cut: to - from });
    if (to < p.text.length) out.push({ text: p.text.slice(to), changed: p.changed });
  });
  return out;
}

/** An index that parts no surrogate pair. */
function whole(s: string, i: number): number {
  const c = s.charCodeAt(i);
  return c >= 0xdc00 && c <= 0xdfff ? i - 1 : i;
}

/** Rows as a unified view has them: of each stretch, what went before what came. */
export function unifiedRows(rows: readonly Row[]): Row[] {
  const out: Row[] = [];
  let added: Row[] = [];
  const flush = () => {
    out.push(...added);
    added = [];
  };
  for (const r of rows) {
    if (r.kind === 'same') {
      flush();
      out.push(r);
      continue;
    }
    if (r.before) out.push({ kind: 'removed', before: r.before, after: null });
    if (r.after) added.push({ kind: 'added', before: null, after: r.after });
  }
  flush();
  return out;
}

/** The first rows of all hunks, at most so many, and how many are left. */
export function bounded(hunks: readonly Hunk[], most: number): { hunks: Hunk[]; left: number } {
  const out: Hunk[] = [];
  let room = most;
  let left = 0;
  for (const h of hunks) {
    if (room >= h.rows.length) {
      out.push(h);
      room -= h.rows.length;
      continue;
    }
    if (room > 0) out.push({ ...h, rows: h.rows.slice(0, room) });
    left += h.rows.length - room;
    room = 0;
  }
  return { hunks: out, left };
}
