import { describe, expect, it } from 'vitest';
import { fuzzy } from './fuzzy';

function rank(query: string, texts: string[]): string[] {
  return texts
    .map((text) => ({ text, found: fuzzy(query, text) }))
    .filter((x) => x.found !== null)
    .sort((a, b) => (b.found?.score ?? 0) - (a.found?.score ?? 0))
    .map((x) => x.text);
}

describe('fuzzy', () => {
  it('prefers the letters that begin words', () => {
    expect(rank('gs', ['Undo the last changes', 'Go to Source', 'Langsam'])[0]).toBe('Go to Source');
  });

  it('prefers what stands there as it was typed', () => {
    expect(rank('source', ['Save our centre', 'Show Source', 'Some other urgent recent case e'])[0]).toBe(
      'Show Source',
    );
  });

  it('marks the letters it found', () => {
    expect(fuzzy('gs', 'Go to Source')?.at).toEqual([0, 6]);
    expect(fuzzy('版本', '恢复版本 3')?.at).toEqual([2, 3]);
  });

  it('finds nothing where a letter is missing, and everything by nothing', () => {
    expect(fuzzy('xyz', 'Go to Source')).toBeNull();
    expect(fuzzy('  ', 'anything')).toEqual({ score: 0, at: [] });
  });

  it('does not take a word that leaves no room for the rest', () => {
    expect(fuzzy('abc', 'ab c a b')?.at).toEqual([0, 1, 3]);
    expect(fuzzy('axb', 'a xb x')?.at).toEqual([0, 2, 3]);
  });

  it('has no place to mark where lower case is longer than upper case', () => {
    expect(fuzzy('i', 'İstanbul')).toEqual({ score: 1, at: [] });
  });
});
