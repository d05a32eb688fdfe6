import { describe, expect, it } from 'vitest';
import { chosen, merge3, resolved, stated } from './merge3';
import { Offsets } from './utf16';
import { changed, random } from './random.testing';

const base = '<h1>Report</h1>\n<p>one two three</p>\n<p>four</p>\n';

describe('merge3', () => {
  it('takes what only one side changed', () => {
    const theirs = base.replace('Report', 'Figures');
    const mine = base.replace('four', 'vier');
    const m = merge3(base, theirs, mine);
    expect(m.conflicts).toEqual([]);
    expect(resolved(m, [])).toBe('<h1>Figures</h1>\n<p>one two three</p>\n<p>vier</p>\n');
  });

  it('shows a conflict only where both changed one place', () => {
    const theirs = base.replace('two', 'zwei').replace('Report', 'Figures');
    const mine = base.replace('two', 'deux').replace('four', 'vier');
    const m = merge3(base, theirs, mine);
    expect(m.conflicts).toEqual([
      { base: 'two', theirs: 'zwei', mine: 'deux', line: 2, before: '<p>one ', after: ' three</p>' },
    ]);
    expect(resolved(m, [])).toBeNull();
    expect(resolved(m, [{ take: 'mine' }])).toBe('<h1>Figures</h1>\n<p>one deux three</p>\n<p>vier</p>\n');
    expect(resolved(m, [{ text: '2' }])).toContain('one 2 three');
  });

  it('is no conflict where both made the same of it', () => {
    const both = base.replace('two', '2');
    expect(merge3(base, both, both)).toEqual({ pieces: [{ text: both }], conflicts: [] });
  });

  it('takes two rewritten sentences for one conflict', () => {
    const m = merge3('<p>the quick brown fox</p>', '<p>a slow brown bear</p>', '<p>some fast brown cat</p>');
    expect(m.conflicts).toHaveLength(1);
    expect(m.conflicts[0]).toMatchObject({ theirs: 'a slow brown bear', mine: 'some fast brown cat' });
  });

  it('offers both, in either order', () => {
    const c = { base: 'b', theirs: 't', mine: 'm', line: 1, before: '', after: '' };
    expect(chosen(c, { take: 'theirs+mine' })).toBe('tm');
    expect(chosen(c, { take: 'mine+theirs' })).toBe('mt');
    expect(chosen(c, { take: 'base' })).toBe('b');
  });

  it('gives a side back whole when all of its conflicts are decided for it and the other changed nothing else', () => {
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

describe('a merge the gateway states', () => {
  it('becomes pieces and conflicts, by its bytes', () => {
    const head = '<p>größer</p>\n<p>zwei</p>\n<p>three</p>\n';
    const offsets = new Offsets(head);
    const at = (text: string): [number, number] => {
      const from = offsets.toByte(head.indexOf(text));
      return [from, from + offsets.toByte(head.indexOf(text) + text.length) - from];
    };
    const m = stated(
      head,
      [{ span: at('three'), replacement: 'drei' }],
      [{ head: at('zwei'), baseText: 'two', headText: 'zwei', mineText: 'deux' }],
      (span) => [offsets.toUnit(span[0]), offsets.toUnit(span[1])],
    );
    expect(m.conflicts).toEqual([{ base: 'two', theirs: 'deux', mine: 'zwei', line: 2, before: '<p>', after: '</p>' }]);
    expect(resolved(m, [{ take: 'theirs' }])).toBe('<p>größer</p>\n<p>deux</p>\n<p>drei</p>\n');
    expect(resolved(m, [{ take: 'mine' }])).toBe('<p>größer</p>\n<p>zwei</p>\n<p>drei</p>\n');
  });
});
