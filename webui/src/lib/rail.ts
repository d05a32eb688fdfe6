/** Something of the page that a pin stands for: where it begins and ends, in the height of the rail. */
export interface Stop {
  id: string;
  top: number;
  bottom: number;
}

export interface Rail {
  /** Where each pin stands, from the top. */
  at: ReadonlyMap<string, number>;
  /** What the page would have to be scrolled for, the nearest first. */
  above: readonly string[];
  below: readonly string[];
}

/**
 * rail lays pins along an edge: each at the height of its element, one below the
 * other where several would stand at one place, and those that do not show gathered
 * at the end where they are. A gathered end takes the room of one pin.
 */
export function rail(stops: readonly Stop[], height: number, pin: number, gap: number): Rail {
  const byTop = [...stops].sort((a, b) => a.top - b.top);
  const above = byTop.filter((s) => s.bottom < 0).reverse();
  const below = byTop.filter((s) => s.bottom >= 0 && s.top > height);
  const shown = byTop.filter((s) => s.bottom >= 0 && s.top <= height);
  const step = pin + gap;
  const first = above.length > 0 ? step : 0;
  // Those that find no room any more are below the others.
  let last = height - pin - (below.length > 0 ? step : 0);
  if (shown.length * step - gap > last + pin - first) {
    last = height - pin - step;
    const room = Math.max(0, Math.floor((last - first) / step) + 1);
    below.unshift(...shown.splice(room));
  }
  const at = new Map<string, number>();
  const tops: number[] = [];
  for (const s of shown) tops.push(Math.max(s.top, first, (tops.at(-1) ?? -Infinity) + step));
  let limit = last;
  for (let i = tops.length - 1; i >= 0; i--) {
    const top = Math.min(tops[i] ?? 0, limit);
    tops[i] = top;
    limit = top - step;
  }
  shown.forEach((s, i) => at.set(s.id, Math.round(tops[i] ?? 0)));
  return { at, above: above.map((s) => s.id), below: below.map((s) => s.id) };
}
