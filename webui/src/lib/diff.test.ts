import { describe, expect, it } from 'vitest';
import { applyChanges, diff, diffWords } from './diff';
import { changed, random, sample } from './random.testing';

describe('diff', () => {
  it('leads from the one text to the other, sorted and apart', () => {
    const rnd = random(7);
    for (let i = 0; i < 800; i++) {
      const a = sample(rnd, 60);
      const b = rnd() < 0.7 ? changed(rnd, a) : sample(rnd, 60);
      for (const f of [diff, diffWords]) {
        const changes = f(a, b);
        expect(applyChanges(a, b, changes)).toBe(b);
        let at = -1;
        for (const c of changes) {
          expect(c.fromA).toBeGreaterThan(at);
          expect(c.toA - c.fromA + c.toB - c.fromB).toBeGreaterThan(0);
          at = c.toA;
        }
      }
    }
  });

  it('finds one word', () => {
    const a = '<h1>\n  Quarterly report\n</h1>\n';
    expect(diff(a, a.replace('report', 'figures'))).toEqual([{ fromA: 17, toA: 23, fromB: 17, toB: 24 }]);
  });

  it('begins with its tag where it can', () => {
    const a = '<title>Tide</title>\n';
    const [c] = diff(a, '<title>Tide</title><!-- a --><!-- b -->\n');
    expect(c).toEqual({ fromA: 19, toA: 19, fromB: 19, toB: 39 });
    expect(diff('<p>x</p><b>y</b>', '<p>x</p>')).toEqual([{ fromA: 8, toA: 16, fromB: 8, toB: 8 }]);
  });

  it('answers for texts that have nothing in common, in time', () => {
    const a = Array.from({ length: 20_000 }, (_, i) => `a${i}`).join('\n');
    const b = Array.from({ length: 20_000 }, (_, i) => `b${i}`).join('\n');
    expect(applyChanges(a, b, diff(a, b))).toBe(b);
  });

  it('cuts no character in two where a change is too large to look into', () => {
    const a = 'x'.repeat(150_000) + '😀' + 'y'.repeat(150_000);
    const b = 'x'.repeat(150_000) + '😁' + 'y'.repeat(150_000);
    const [c] = diff(a, b);
    expect(c && a.slice(c.fromA, c.toA)).toBe('😀');
  });
});
