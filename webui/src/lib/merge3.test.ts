import { describe, expect, test } from 'vitest';
import { chosen, merge3, resolved } from './merge3';
import { changed, random } from './random.testing';

const base = '<h1>Report</h1>\n<p>one two three</p>\n<p>four</p>\n';

describe('merge3', () => {
  test('takes what only one side changed', () => {
    const theirs = base.replace('Report', 'Figures');
    const mine = base.replace('four', 'vier');
    const m = merge3(base, theirs, mine);
    expect(m.conflicts).toEqual([]);
    expect(resolved(m, [])).toBe('<h1>Figures</h1>\n<p>one two three</p>\n<p>vier</p>\n');
  });

  test('shows a conflict only where both changed one place', () => {
    const theirs = base.replace('two', 'zwei').replace('Report', 'Figures');
    const mine = base.replace('two', 'deux').replace('four', 'vier');
    const m = merge3(base, theirs, mine);
    expect(m.conflicts).toEqual([{ base: 'two', theirs: 'zwei', mine: 'deux', line: 2 }]);
    expect(resolved(m, [])).toBeNull();
    expect(resolved(m, [{ take: 'mine' }])).toBe('<h1>Figures</h1>\n<p>one deux three</p>\n<p>vier</p>\n');
    expect(resolved(m, [{ text: '2' }])).toContain('one 2 three');
  });

  test('is no conflict where both made the same of it', () => {
    const both = base.replace('two', '2');
    expect(merge3(base, both, both)).toEqual({ pieces: [{ text: both }], conflicts: [] });
  });

  test('takes two rewritten sentences for one conflict', () => {
    const m = merge3('<p>the quick brown fox</p>', '<p>a slow brown bear</p>', '<p>some fast brown cat</p>');
    expect(m.conflicts).toHaveLength(1);
    expect(m.conflicts[0]).toMatchObject({ theirs: 'a slow brown bear', mine: 'some fast brown cat' });
  });

  test('offers both, in either order', () => {
    const c = { base: 'b', theirs: 't', mine: 'm', line: 1 };
    expect(chosen(c, { take: 'theirs+mine' })).toBe('tm');
    expect(chosen(c, { take: 'mine+theirs' })).toBe('mt');
    expect(chosen(c, { take: 'base' })).toBe('b');
  });

  test('gives a side back whole when all of its conflicts are decided for it and the other changed nothing else', () => {
    const rnd = random(3);
    const text = '<ul>\n' + Array.from({ length: 12 }, (_, i) => `  <li>item ${i}</li>\r\n`).join('') + '</ul>';
    for (let i = 0; i < 400; i++) {
      const theirs = changed(rnd, text);
      const mine = changed(rnd, text);
      expect(resolved(merge3(text, theirs, text), [])).toBe(theirs);
      expect(resolved(merge3(text, text, mine), [])).toBe(mine);
      const m = merge3(text, theirs, mine);
      const swapped = merge3(text, mine, theirs);
      expect(swapped.conflicts.map((c) => [c.mine, c.theirs])).toEqual(m.conflicts.map((c) => [c.theirs, c.mine]));
      const out = resolved(
        m,
        m.conflicts.map(() => ({ take: 'mine' })),
      );
      expect(
        resolved(
          swapped,
          m.conflicts.map(() => ({ take: 'theirs' })),
        ),
      ).toBe(out);
    }
  });
});
