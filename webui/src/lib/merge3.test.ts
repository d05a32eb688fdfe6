import { describe, expect, it } from 'vitest';
import { chosen, merge3, resolved, stated } from './merge3';
import { Offsets } from './utf16';
import { changed, random, sample } from './random.testing';

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

  it('takes a line that both wrote anew for one place', () => {
    const m = merge3(
      '<h1>Summer menu</h1>\n<p>x</p>\n',
      '<h1>From elsewhere</h1>\n<p>x</p>\n',
      '<h1>Café menu — spring</h1>\n<p>x</p>\n',
    );
    expect(m.conflicts).toEqual([
      {
        base: 'Summer menu',
        theirs: 'From elsewhere',
        mine: 'Café menu — spring',
        line: 1,
        before: '<h1>',
        after: '</h1>',
      },
    ]);
  });

  it('keeps what one side alone changed between two conflicts with that side', () => {
    const gap = ' one two three four five six ';
    const m = merge3(`a${gap}b`, `x${gap}y`, `1${gap.replace('three', 'drei')}2`);
    expect(m.conflicts).toHaveLength(1);
    expect(m.conflicts[0]).toMatchObject({ base: `a${gap}b`, theirs: `x${gap}y` });
    expect(resolved(m, [{ take: 'mine' }])).toBe(`1${gap.replace('three', 'drei')}2`);
  });

  it('shows around a place what will stand there', () => {
    const rest = ', and words that both left alone, ';
    const m = merge3(`<p>a${rest}c</p>`, `<p>x${rest}d</p>`, `<p>y${rest}c</p>`);
    expect(m.conflicts).toMatchObject([{ base: 'a', before: '<p>', after: `${rest}d</p>` }]);
  });

  it('joins neighbouring lines, and neither lines with another between nor ends of a long one', () => {
    const both = (gap: string) => merge3(`a${gap}b`, `x${gap}y`, `1${gap}2`).conflicts.length;
    expect(both('</li>\n<li>')).toBe(1);
    expect(both('</li>\r\n<li>')).toBe(1);
    expect(both('</li> and more\n<li>')).toBe(2);
    expect(both('\n\n')).toBe(2);
    expect(both(' z'.repeat(100) + ' ')).toBe(1);
    expect(both(' z'.repeat(130) + ' ')).toBe(2);
  });

  it('gives either side where only places of conflict were changed, whatever was joined', () => {
    const rnd = random(11);
    for (let i = 0; i < 300; i++) {
      let [was, theirs, mine] = ['', '', ''];
      for (let n = Math.floor(rnd() * 40); n > 0; n--) {
        const w = sample(rnd, 2);
        const both = rnd() < 0.25;
        was += ` old${n} ${w}`;
        theirs += both ? ` theirs${n} ${w}` : ` old${n} ${w}`;
        mine += both ? ` mine${n} ${w}` : ` old${n} ${w}`;
      }
      const m = merge3(was, theirs, mine);
      const all = (take: 'theirs' | 'mine' | 'base') =>
        resolved(
          m,
          m.conflicts.map(() => ({ take })),
        );
      expect(all('theirs')).toBe(theirs);
      expect(all('mine')).toBe(mine);
      expect(all('base')).toBe(was);
    }
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
