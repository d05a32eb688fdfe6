import { describe, expect, it } from 'vitest';
import { difference, type Pixels } from './pixels';

function plain(width: number, height: number, value: number): Pixels {
  const data = new Uint8ClampedArray(width * height * 4).fill(value);
  for (let i = 3; i < data.length; i += 4) data[i] = 255;
  return { width, height, data };
}

const red = [200, 0, 0] as const;

describe('difference', () => {
  it('is none of equal pictures, and none of what is only drawn a little differently', () => {
    expect(difference(plain(4, 3, 100), plain(4, 3, 106), red)).toMatchObject({ changed: 0, total: 12, box: null });
  });

  it('counts, marks and frames what differs', () => {
    const after = plain(5, 4, 100);
    after.data[(2 * 5 + 1) * 4] = 250;
    after.data[(3 * 5 + 3) * 4] = 250;
    const d = difference(plain(5, 4, 100), after, red);
    expect(d.changed).toBe(2);
    expect(d.box).toEqual({ x: 1, y: 2, width: 3, height: 2 });
    expect([...d.pixels.data.slice((2 * 5 + 1) * 4, (2 * 5 + 1) * 4 + 4)]).toEqual([200, 0, 0, 255]);
    expect(d.pixels.data[0]).toBeGreaterThan(200);
  });

  it('takes what only one picture has for changed', () => {
    const d = difference(plain(4, 4, 9), plain(4, 6, 9), red);
    expect(d).toMatchObject({ changed: 8, total: 24, box: { x: 0, y: 4, width: 4, height: 2 } });
  });
});
