import { EditorState, Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { lineEnds, toDocPosition, toTextIndex, withLineEnd } from './eol';
import { random, sample } from './random.testing';

describe('line ends', () => {
  it('are counted as the gateway counts them', () => {
    expect(lineEnds('a\r\nb\nc\rd\r\n')).toEqual({ lf: 1, crlf: 2, cr: 1, usual: '\r\n', mixed: true });
    expect(lineEnds('a\r\r\n')).toMatchObject({ cr: 1, crlf: 1, mixed: true });
    expect(lineEnds('a')).toMatchObject({ usual: '\n', mixed: false });
    expect(lineEnds('a\rb')).toMatchObject({ usual: '\r', mixed: false });
    expect(withLineEnd('a\r\nb\nc\r', '\r\n')).toBe('a\r\nb\r\nc\r\n');
  });

  it('turn places of the editor into places of the text and back', () => {
    const rnd = random(11);
    for (let i = 0; i < 200; i++) {
      const text = withLineEnd(sample(rnd, 80), (['\n', '\r\n', '\r'] as const)[i % 3] ?? '\n');
      const ends = lineEnds(text);
      const doc = Text.of(text.split(/\r\n?|\n/));
      for (let pos = 0; pos <= doc.length; pos++) {
        const index = toTextIndex(doc, pos, ends);
        expect(toDocPosition(doc, index, ends)).toBe(pos);
        expect(withLineEnd(text.slice(0, index), '\n')).toBe(doc.sliceString(0, pos));
      }
    }
  });

  it('are kept between CR and LF', () => {
    const doc = EditorState.create({ doc: 'ab\r\ncd' }).doc;
    const ends = lineEnds('ab\r\ncd');
    expect([2, 3, 4, 99].map((i) => toDocPosition(doc, i, ends))).toEqual([2, 2, 3, 5]);
  });
});
