// Two pictures, laid on each other.

export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

export interface Difference {
  pixels: Pixels;
  /** Pixels that differ, of all. */
  changed: number;
  total: number;
  /** The box around all of them. */
  box: { x: number; y: number; width: number; height: number } | null;
}

/** A difference of a colour channel below this is what drawing text twice gives, and no change. */
const NOISE = 8;

/**
 * What differs stands in one colour over a faint grey of the picture after.
 * Where one picture is larger, all that the other one lacks differs.
 */
export function difference(before: Pixels, after: Pixels, colour: readonly [number, number, number]): Difference {
  const width = Math.max(before.width, after.width);
  const height = Math.max(before.height, after.height);
  const data = new Uint8ClampedArray(width * height * 4);
  let changed = 0;
  let left = width;
  let top = height;
  let right = -1;
  let bottom = -1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const a = at(before, x, y);
      const b = at(after, x, y);
      const o = (y * width + x) * 4;
      if (a < 0 || b < 0 || differs(before.data, a, after.data, b)) {
        changed++;
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = y;
        data.set(colour, o);
      } else {
        const d = after.data;
        const grey = 0.299 * (d[b] ?? 0) + 0.587 * (d[b + 1] ?? 0) + 0.114 * (d[b + 2] ?? 0);
        const faint = 255 - (255 - grey) * 0.25;
        data[o] = data[o + 1] = data[o + 2] = faint;
      }
      data[o + 3] = 255;
    }
  }
  const box = changed === 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return { pixels: { width, height, data }, changed, total: width * height, box };
}

function at(p: Pixels, x: number, y: number): number {
  return x < p.width && y < p.height ? (y * p.width + x) * 4 : -1;
}

function differs(a: Uint8ClampedArray, i: number, b: Uint8ClampedArray, j: number): boolean {
  for (let c = 0; c < 4; c++) if (Math.abs((a[i + c] ?? 0) - (b[j + c] ?? 0)) > NOISE) return true;
  return false;
}
