import { describe, expect, it } from 'vitest';
import { codeOf, pieces, straight } from './unseen';

describe('characters that are not seen', () => {
  it('are named where they would turn a sentence around', () => {
    expect(straight('a\u202egnp.exe\u2069')).toBe('a‹U+202E›gnp.exe‹U+2069›');
    expect(straight('שלום \u200f👩\u200d💻')).toBe('שלום \u200f👩\u200d💻');
  });

  it('are set apart from what is', () => {
    expect(pieces('pay\u200bpal \u202ex')).toEqual(['pay', '\u200b', 'pal ', '\u202e', 'x']);
    expect(pieces('plain 👩\u200d💻')).toEqual(['plain 👩\u200d💻']);
    expect(pieces('a\u{e0041}')).toEqual(['a', '\u{e0041}', '']);
    expect(codeOf('\u{e0041}')).toBe('U+E0041');
  });
});
