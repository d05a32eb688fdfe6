import { describe, expect, it } from 'vitest';
import type { ListedChange, Version } from '../contract/types';
import { dayOf, entriesOf, fold, joinPages, sizeOf } from './timeline';
import { byteLength } from './utf16';

function version(generation: number, more: Partial<Version> = {}): Version {
  return {
    id: `rev_${generation}`,
    documentId: 'd',
    generation,
    sha256: '',
    bytes: 1,
    source: 'manual',
    actor: '',
    at: '',
    ...more,
  };
}

function change(generation: number, inForce: boolean): ListedChange {
  return {
    id: `chg_${generation}`,
    documentId: 'd',
    baseId: '',
    resultId: `rev_${generation}`,
    source: 'manual',
    actor: '',
    sha256Before: '',
    sha256After: '',
    edits: [],
    at: '',
    generation,
    inForce,
  };
}

function line(...inForce: boolean[]) {
  const n = inForce.length + 1;
  const versions = Array.from({ length: n }, (_, i) => version(n - i));
  return entriesOf(
    versions,
    inForce.map((x, i) => change(n - i, x)),
  );
}

const said = (items: ReturnType<typeof fold>) =>
  items.map((i) => (i.kind === 'entry' ? i.entry.version.generation : `fold ${i.entries.length}`));

describe('the line of versions', () => {
  it('has for each version the change that made it', () => {
    expect(line(true, true).map((e) => [e.version.generation, e.change?.id ?? null])).toEqual([
      [3, 'chg_3'],
      [2, 'chg_2'],
      [1, null],
    ]);
  });

  it('folds what took itself back, but not a few, and never the newest', () => {
    const gone = [false, false, false, false];
    expect(said(fold(line(true, ...gone, true), new Set()))).toEqual([7, 'fold 4', 2, 1]);
    expect(said(fold(line(true, false, false, false, true), new Set()))).toEqual([6, 5, 4, 3, 2, 1]);
    expect(said(fold(line(...gone), new Set()))).toEqual([5, 4, 3, 2, 1]);
  });

  it('unfolds', () => {
    expect(said(fold(line(true, false, false, false, false), new Set(['rev_2'])))).toEqual([
      6,
      'fold 4',
      5,
      4,
      3,
      2,
      1,
    ]);
  });

  it('keeps a named version out of folds', () => {
    const entries = line(true, false, false, false, false);
    entries[2] = { ...entries[2]!, version: version(4, { name: 'sale' }) };
    expect(said(fold(entries, new Set()))).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('joins pages, newer answers first', () => {
    expect(
      joinPages([version(3), version(2)], [version(2, { name: 'x' }), version(1)]).map((v) => [v.generation, v.name]),
    ).toEqual([
      [3, undefined],
      [2, 'x'],
      [1, undefined],
    ]);
  });

  it('counts bytes', () => {
    expect(
      sizeOf(
        [
          { span: [3, 8], replacement: 'größer' },
          { span: [9, 9], replacement: '' },
        ],
        byteLength,
      ),
    ).toEqual({ removed: 5, inserted: 8, places: 2 });
    expect(sizeOf(null, byteLength).places).toBe(0);
  });

  it('knows days by the clock on the wall', () => {
    const now = new Date(2026, 10, 30, 0, 30);
    expect(dayOf(new Date(2026, 10, 30, 0, 1).toISOString(), now).kind).toBe('today');
    expect(dayOf(new Date(2026, 10, 29, 23, 59).toISOString(), now).kind).toBe('yesterday');
    expect(dayOf(new Date(2026, 10, 28).toISOString(), now).kind).toBe('date');
  });
});
