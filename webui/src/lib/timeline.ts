// Versions and changes as one line of cards, the newest first.

import type { ListedChange, Version } from '../contract/types';

export interface Entry {
  version: Version;
  /** What made it; null for the first version, which was opened, and while its change is not loaded. */
  change: ListedChange | null;
}

/** An entry, or a stretch of entries that took each other back and left nothing. */
export type Item = { kind: 'entry'; entry: Entry } | { kind: 'fold'; key: string; entries: Entry[] };

/** Entries of a fold at least: fewer are shown as they are. */
const FOLD = 4;

/** Joins the two lists, which are paged apart. */
export function entriesOf(versions: readonly Version[], changes: readonly ListedChange[]): Entry[] {
  const byGeneration = new Map(changes.map((c) => [c.generation, c]));
  return versions.map((version) => ({ version, change: byGeneration.get(version.generation) ?? null }));
}

/** An entry that changed something which does not stand any more. */
function isSpent(e: Entry): boolean {
  return e.change !== null && !e.change.inForce && e.version.name === undefined;
}

/** Folds long stretches of what was taken back, but never the newest version. */
export function fold(entries: readonly Entry[], open: ReadonlySet<string>): Item[] {
  const out: Item[] = [];
  for (let i = 0; i < entries.length;) {
    let end = i;
    while (i > 0 && end < entries.length && isSpent(entries[end] as Entry)) end++;
    const stretch = entries.slice(i, end);
    const key = stretch.at(-1)?.version.id ?? '';
    if (stretch.length >= FOLD) {
      out.push({ kind: 'fold', key, entries: stretch });
      if (open.has(key)) out.push(...stretch.map((entry): Item => ({ kind: 'entry', entry })));
      i = end;
      continue;
    }
    const next = Math.max(end, i + 1);
    for (; i < next; i++) out.push({ kind: 'entry', entry: entries[i] as Entry });
  }
  return out;
}

export interface Size {
  removed: number;
  inserted: number;
  places: number;
}

/** Bytes a change took out and put in. */
export function sizeOf(
  edits: readonly { span: readonly [number, number]; replacement: string }[] | null,
  bytes: (s: string) => number,
): Size {
  const size = { removed: 0, inserted: 0, places: edits?.length ?? 0 };
  for (const e of edits ?? []) {
    size.removed += e.span[1] - e.span[0];
    size.inserted += bytes(e.replacement);
  }
  return size;
}

/** Joins a page to what is loaded; what is there already is taken from the newer answer. */
export function joinPages<T extends { generation: number }>(loaded: readonly T[], page: readonly T[]): T[] {
  const all = new Map<number, T>();
  for (const x of [...loaded, ...page]) all.set(x.generation, x);
  return [...all.values()].sort((a, b) => b.generation - a.generation);
}

/** The day of a point in time, for the headings of the line. */
export function dayOf(at: string, now: Date): { kind: 'today' | 'yesterday' | 'date'; date: Date } {
  const date = new Date(at);
  const days = Math.round((midnight(now) - midnight(date)) / 86_400_000);
  return { kind: days === 0 ? 'today' : days === 1 ? 'yesterday' : 'date', date };
}

function midnight(d: Date): number {
  return new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();
}
