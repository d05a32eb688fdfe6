import type { Rect } from '../ipc/desktop.std';

export interface WindowState extends Rect {
  maximized: boolean;
}

/** As much of a window's title has to lie on a display, in pixels, that it can be taken hold of. */
const hold = { width: 120, height: 32 };

/** What was kept of a window; null for anything that is not that. */
export function keptState(text: string): WindowState | null {
  try {
    const v = JSON.parse(text) as Partial<Record<keyof WindowState, unknown>> | null;
    const numbers = [v?.x, v?.y, v?.width, v?.height];
    if (!numbers.every((n): n is number => typeof n === 'number' && Number.isInteger(n) && Math.abs(n) < 100_000))
      return null;
    const [x, y, width, height] = numbers as [number, number, number, number];
    return { x, y, width, height, maximized: v?.maximized === true };
  } catch {
    return null;
  }
}

/** Where a window opens: as it was, unless the display it was on is gone; never larger than its display. */
export function openAt(kept: WindowState | null, areas: readonly Rect[]): Partial<Rect> {
  if (kept === null) return {};
  const on = areas.find((a) => {
    const width = Math.min(kept.x + kept.width, a.x + a.width) - Math.max(kept.x, a.x);
    return width >= hold.width && kept.y >= a.y && kept.y + hold.height <= a.y + a.height;
  });
  const { width, height } = kept;
  if (on === undefined) return { width, height };
  return { x: kept.x, y: kept.y, width: Math.min(width, on.width), height: Math.min(height, on.height) };
}
