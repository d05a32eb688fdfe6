// Three texts: what both sides began with, theirs and mine. Whatever only one side
// changed is taken as it is; the places both changed are for a person to decide.

import { diff, type Change } from './diff';

/** A place that both sides changed in different ways. */
export interface Conflict {
  base: string;
  theirs: string;
  mine: string;
  /** The line of base it begins in, from 1. */
  line: number;
  /** What will stand before and behind it in its line, whatever is chosen. */
  before: string;
  after: string;
}

/** Text that is decided, or a conflict. */
export type Piece = { text: string } | { conflict: number };

export interface Merge {
  pieces: Piece[];
  conflicts: Conflict[];
}

/** Changes of both sides to one stretch of base, and what each made of it. */
interface Region {
  from: number;
  to: number;
  theirs: string;
  mine: string;
  /** Which sides changed it. */
  sides: 'theirs' | 'mine' | 'both';
}

/** Conflicts that are this near to each other in a line are shown as one. */
const NEAR = 24;

export function merge3(base: string, theirs: string, mine: string): Merge {
  const out: Merge = { pieces: [], conflicts: [] };
  let at = 0;
  let line = 1;
  for (const r of joinLines(base, joinNear(base, regions(base, theirs, mine)))) {
    push(out.pieces, base.slice(at, r.from));
    line += count(base, at, r.from);
    if (r.sides === 'theirs') push(out.pieces, r.theirs);
    else if (r.sides === 'mine' || r.theirs === r.mine) push(out.pieces, r.mine);
    else {
      out.pieces.push({ conflict: out.conflicts.length });
      out.conflicts.push({
        base: base.slice(r.from, r.to),
        theirs: r.theirs,
        mine: r.mine,
        line,
        before: '',
        after: '',
      });
    }
    line += count(base, r.from, r.to);
    at = r.to;
  }
  push(out.pieces, base.slice(at));
  return surrounded(out);
}

/** Stretches that no change leads out of. Changes that touch are in one. */
function regions(base: string, theirs: string, mine: string): Region[] {
  const a = diff(base, theirs);
  const b = diff(base, mine);
  const out: Region[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const from = Math.min(a[i]?.fromA ?? Infinity, b[j]?.fromA ?? Infinity);
    let to = from;
    const [firstA, firstB] = [i, j];
    for (let grown = true; grown;) {
      grown = false;
      for (let c = a[i]; c && c.fromA <= to; c = a[++i]) [to, grown] = [Math.max(to, c.toA), true];
      for (let c = b[j]; c && c.fromA <= to; c = b[++j]) [to, grown] = [Math.max(to, c.toA), true];
    }
    out.push({
      from,
      to,
      theirs: applied(base, theirs, from, to, a.slice(firstA, i)),
      mine: applied(base, mine, from, to, b.slice(firstB, j)),
      sides: i === firstA ? 'mine' : j === firstB ? 'theirs' : 'both',
    });
  }
  return out;
}

// Words that two rewritten sentences happen to share would part one conflict into
// many that say nothing.
function joinNear(base: string, list: readonly Region[]): Region[] {
  const out: Region[] = [];
  for (const r of list) {
    const last = out.at(-1);
    const gap = last ? base.slice(last.to, r.from) : '';
    const near = last && gap.length <= NEAR && !/[\r\n]/.test(gap);
    if (!near || !(inConflict(last) || inConflict(r))) {
      out.push({ ...r });
      continue;
    }
    last.to = r.to;
    last.theirs += gap + r.theirs;
    last.mine += gap + r.mine;
    last.sides = 'both';
  }
  return out;
}

// The two bounds are those of the gateway's merge, so that both show the same places.

/** Conflicts that are further apart are two places, though they are in one line: of a minified page, say. */
const FAR = 240;
/** Words between conflicts of neighbouring lines that keep them apart. */
const APART = 3;

/** Whether conflicts with this between them are one place to a person: in one line, or almost. */
function isOnePlace(gap: string): boolean {
  if (gap.length > FAR) return false;
  const lines = gap.split(/\r\n|\r|\n/).length;
  return lines === 1 || (lines === 2 && (gap.match(/\S+/g)?.length ?? 0) < APART);
}

// A line that both sides wrote anew is decided as a whole: fragments of it, each
// taken from another side, would be a line that nobody wrote. What only one side
// changed between two conflicts goes with that side.
function joinLines(base: string, list: readonly Region[]): Region[] {
  const out: Region[] = [];
  /** Where the last conflict is in out. */
  let last = -1;
  for (const r of list) {
    out.push({ ...r });
    if (!inConflict(r)) continue;
    const first = out[last];
    if (first !== undefined && isOnePlace(base.slice(first.to, r.from))) {
      for (const x of out.splice(last + 1)) {
        const gap = base.slice(first.to, x.from);
        first.theirs += gap + x.theirs;
        first.mine += gap + x.mine;
        first.to = x.to;
      }
    } else last = out.length - 1;
  }
  return out;
}

function inConflict(r: Region): boolean {
  return r.sides === 'both' && r.theirs !== r.mine;
}

/** What a person chose for one conflict. */
export type Choice = { take: 'theirs' | 'mine' | 'base' | 'theirs+mine' | 'mine+theirs' } | { text: string };

/** The text of one conflict under a choice. */
export function chosen(c: Conflict, choice: Choice): string {
  if ('text' in choice) return choice.text;
  switch (choice.take) {
    case 'theirs':
      return c.theirs;
    case 'mine':
      return c.mine;
    case 'base':
      return c.base;
    case 'theirs+mine':
      return c.theirs + c.mine;
    case 'mine+theirs':
      return c.mine + c.theirs;
  }
}

/** The whole text; null while a conflict is not decided. */
export function resolved(m: Merge, choices: readonly (Choice | undefined)[]): string | null {
  let out = '';
  for (const p of m.pieces) {
    if ('text' in p) {
      out += p.text;
      continue;
    }
    const c = m.conflicts[p.conflict];
    const choice = choices[p.conflict];
    if (!c || !choice) return null;
    out += chosen(c, choice);
  }
  return out;
}

function applied(base: string, side: string, from: number, to: number, changes: readonly Change[]): string {
  let out = '';
  let at = from;
  for (const c of changes) {
    out += base.slice(at, c.fromA) + side.slice(c.fromB, c.toB);
    at = c.toA;
  }
  return out + base.slice(at, to);
}

/** Characters of its line that are shown on each side of a conflict. */
const AROUND = 60;

/** Says of each conflict what is decided around it. */
function surrounded(m: Merge): Merge {
  const text = (at: number): string => {
    const p = m.pieces[at];
    return p !== undefined && 'text' in p ? p.text : '';
  };
  m.pieces.forEach((p, i) => {
    const c = 'conflict' in p ? m.conflicts[p.conflict] : undefined;
    if (c === undefined) return;
    c.before = /[^\r\n]*$/.exec(text(i - 1).slice(-AROUND))?.[0] ?? '';
    c.after = /^[^\r\n]*/.exec(text(i + 1).slice(0, AROUND))?.[0] ?? '';
  });
  return m;
}

function push(pieces: Piece[], text: string): void {
  if (text === '') return;
  const last = pieces.at(-1);
  if (last && 'text' in last) last.text += text;
  else pieces.push({ text });
}

function count(s: string, from: number, to: number): number {
  let n = 0;
  for (let i = from; i < to; i++) {
    const c = s.charCodeAt(i);
    if (c === 10 || (c === 13 && s.charCodeAt(i + 1) !== 10)) n++;
  }
  return n;
}

/** A conflict as the gateway states it: spans of bytes, of which head's are in the newest version. */
export interface Stated {
  head: readonly [number, number];
  baseText: string;
  headText: string;
  mineText: string;
}

/**
 * A merge the gateway worked out, of the newest version with what another program
 * wrote: `theirs` is the file's text, `mine` the version's. The edits lead from
 * the version to the merge, but for its conflicts.
 */
export function stated(
  head: string,
  edits: readonly { span: readonly [number, number]; replacement: string }[],
  conflicts: readonly Stated[],
  toRange: (span: readonly [number, number]) => readonly [number, number],
): Merge {
  const out: Merge = { pieces: [], conflicts: [] };
  const all = [
    ...edits.map((e) => ({ at: toRange(e.span), edit: e.replacement, conflict: null })),
    ...conflicts.map((c) => ({ at: toRange(c.head), edit: '', conflict: c })),
  ].sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1]);
  let at = 0;
  for (const x of all) {
    push(out.pieces, head.slice(at, x.at[0]));
    if (x.conflict === null) push(out.pieces, x.edit);
    else {
      out.pieces.push({ conflict: out.conflicts.length });
      const { baseText: base, mineText: theirs, headText: mine } = x.conflict;
      out.conflicts.push({ base, theirs, mine, line: 1 + count(head, 0, x.at[0]), before: '', after: '' });
    }
    at = Math.max(at, x.at[1]);
  }
  push(out.pieces, head.slice(at));
  return surrounded(out);
}
