import { describe, expect, it } from 'vitest';
import { Offsets, byteLength } from './utf16';

const samples = [
  '',
  'plain',
  'Grüße',
  '価格は十',
  '👩‍👩‍👧 family',
  'a\u0301e\r\n𝒳',
  '\ud83d alone',
  'é'.repeat(5000) + '👍'.repeat(3000),
];

describe('offsets', () => {
  it('agree with what TextEncoder makes, at every code point', () => {
    for (const text of samples) {
      const offsets = new Offsets(text);
      expect(offsets.bytes).toBe(new TextEncoder().encode(text).length);
      expect(byteLength(text)).toBe(offsets.bytes);
      let unit = 0;
      let byte = 0;
      const step = text.length > 1000 ? 97 : 1;
      let n = 0;
      for (const point of text) {
        if (n++ % step === 0) {
          expect(offsets.toByte(unit)).toBe(byte);
          expect(offsets.toUnit(byte)).toBe(unit);
        }
        unit += point.length;
        byte += new TextEncoder().encode(point).length;
      }
    }
  });

  it('never cut a character', () => {
    const offsets = new Offsets('a👍b');
    expect(offsets.toByte(2)).toBe(1); // between the halves of the pair
    expect(offsets.toUnit(3)).toBe(1); // inside its four bytes
    expect(offsets.toUnit(5)).toBe(3);
  });

  it('stay inside the text', () => {
    const offsets = new Offsets('abc');
    expect([offsets.toByte(-1), offsets.toByte(99), offsets.toUnit(-1), offsets.toUnit(99)]).toEqual([0, 3, 0, 3]);
  });
});
