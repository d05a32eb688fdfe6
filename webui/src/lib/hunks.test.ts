import { describe, expect, it } from 'vitest';
import { bounded, parseUnified, unifiedRows, type Line } from './hunks';

function said(line: Line | null): string {
  if (!line) return '';
  const parts = line.parts.map((p) => ('cut' in p ? `<${p.cut}>` : p.changed ? `[${p.text}]` : p.text)).join('');
  return `${line.number}:${parts}${line.end ? `(${line.end})` : ''}`;
}

function table(unified: string): [string, string, string][] {
  return parseUnified(unified).flatMap((h) =>
    h.rows.map((r): [string, string, string] => [r.kind, said(r.before), said(r.after)]),
  );
}

const one = `--- a
+++ b
@@ -1,4 +1,4 @@
 <h1>Report</h1>
-<p>one two three</p>
+<p>one 2 three</p>
 --- not a header
 end
@@ -10 +10,2 @@
 ten
+eleven
`;

describe('parseUnified', () => {
  it('sets lines side by side and marks the words that differ', () => {
    expect(table(one)).toEqual([
      ['same', '1:<h1>Report</h1>', '1:<h1>Report</h1>'],
      ['changed', '2:<p>one [two] three</p>', '2:<p>one [2] three</p>'],
      ['same', '3:--- not a header', '3:--- not a header'],
      ['same', '4:end', '4:end'],
      ['same', '10:ten', '10:ten'],
      ['added', '', '11:eleven'],
    ]);
  });

  it('says what a line ends with where only that differs', () => {
    expect(table('@@ -1,2 +1,2 @@\n-a\r\n-b\n\\ No newline at end of file\n+a\n+b\n')).toEqual([
      ['changed', '1:a(crlf)', '1:a(lf)'],
      ['changed', '2:b(none)', '2:b(lf)'],
    ]);
  });

  it('does not mark words of two lines that share next to nothing', () => {
    const [row] = table('@@ -1 +1 @@\n-<p>completely different words</p>\n+x = 1 > y\n');
    expect(row).toEqual(['changed', '1:<p>completely different words</p>', '1:x = 1 > y']);
  });

  it('numbers lines behind a side that has none', () => {
    expect(table('@@ -0,0 +1,2 @@\n+a\n+b\n')).toEqual([
      ['added', '', '1:a'],
      ['added', '', '2:b'],
    ]);
    expect(table('@@ -3,1 +2,0 @@\n-gone\n')).toEqual([['removed', '3:gone', '']]);
  });

  it('shows of a long line what is around its changes', () => {
    const [left, right] = ['x '.repeat(20_000), ' y'.repeat(20_000)];
    const [row] = table(`@@ -1 +1 @@\n-${left}one${right}\n+${left}two${right}\n`);
    expect(row?.[1]).toMatch(/^1:<\d+>[x ]{59,60}\[one\][y ]{59,61}<\d+>$/);
    expect(row?.[2]).toContain('[two]');
    const [put] = table(`@@ -1 +1 @@\n-${left}<b>${right}\n+${left}<b>two${right}\n`);
    expect(put?.[1]).toMatch(/^1:<\d+>[x ]{50,60}<b>[y ]{58,62}<\d+>$/);
  });

  it('is nothing of nothing', () => {
    expect(parseUnified('')).toEqual([]);
  });
});

describe('rows', () => {
  it('in one column have all that went before all that came', () => {
    const [h] = parseUnified('@@ -1,3 +1,3 @@\n-a b\n-c d\n+a x\n+c y\n e\n');
    expect(unifiedRows(h!.rows).map((r) => `${r.kind[0]} ${said(r.before ?? r.after)}`)).toEqual([
      'r 1:a [b]',
      'r 2:c [d]',
      'a 1:a [x]',
      'a 2:c [y]',
      's 3:e',
    ]);
  });

  it('are bounded, and the rest is counted', () => {
    const hunks = parseUnified(one);
    expect(bounded(hunks, 5)).toMatchObject({ hunks: [{ rows: { length: 4 } }, { rows: { length: 1 } }], left: 1 });
    expect(bounded(hunks, 4)).toMatchObject({ hunks: [{ rows: { length: 4 } }], left: 2 });
    expect(bounded(hunks, 99).left).toBe(0);
  });
});
