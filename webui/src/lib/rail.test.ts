import { describe, expect, it } from 'vitest';
import { rail, type Stop } from './rail';
import { random } from './random.testing';

const stop = (id: string, top: number, size = 20): Stop => ({ id, top, bottom: top + size });
const lay = (...stops: Stop[]) => rail(stops, 200, 24, 2);

describe('pins along the edge', () => {
  it('stand at the height of their elements', () => {
    expect([...lay(stop('a', 10), stop('b', 120)).at]).toEqual([
      ['a', 10],
      ['b', 120],
    ]);
  });

  it('stand below each other where several are at one height', () => {
    expect([...lay(stop('a', 50), stop('b', 50), stop('c', 60)).at.values()]).toEqual([50, 76, 102]);
  });

  it('stay in the room at its end', () => {
    expect([...lay(stop('a', 190), stop('b', 195)).at.values()]).toEqual([150, 176]);
    expect([...lay(stop('a', -10)).at.values()]).toEqual([0]);
  });

  it('are gathered where the page is scrolled away from them, the nearest first', () => {
    const r = lay(stop('far', -500), stop('near', -40), stop('in', 5), stop('under', 300), stop('deep', 900));
    expect(r.above).toEqual(['near', 'far']);
    expect(r.below).toEqual(['under', 'deep']);
    expect([...r.at]).toEqual([['in', 26]]);
  });

  it('are gathered where there are too many of them', () => {
    const r = lay(...Array.from({ length: 20 }, (_, i) => stop(String(i), i)));
    expect(r.at.size + r.below.length).toBe(20);
    expect(Math.max(...r.at.values())).toBeLessThanOrEqual(200 - 24 - 26);
  });

  it('never lie on each other, whatever there is', () => {
    const next = random(7);
    for (let round = 0; round < 300; round++) {
      const stops = Array.from({ length: 1 + Math.floor(next() * 12) }, (_, i) =>
        stop(String(i), Math.round(next() * 500 - 150), Math.round(next() * 80)),
      );
      const r = lay(...stops);
      const tops = [...r.at.values()].sort((a, b) => a - b);
      expect(r.at.size + r.above.length + r.below.length).toBe(stops.length);
      tops.forEach((y, i) => {
        expect(y).toBeGreaterThanOrEqual(r.above.length > 0 ? 26 : 0);
        expect(y).toBeLessThanOrEqual(200 - 24 - (r.below.length > 0 ? 26 : 0));
        if (i > 0) expect(y - (tops[i - 1] ?? 0)).toBeGreaterThanOrEqual(26);
      });
    }
  });
});
