import type { Rect } from '../../contract/types';

export interface Room {
  width: number;
  height: number;
}

const gap = 8;

/**
 * Where a card of some size stands at an element, in the room there is: below it,
 * or above where there is no room below, or beside the edge; always in view.
 */
export function placeCard(
  rect: Rect,
  page: { scale: number; origin: { x: number; y: number } },
  card: Room,
  room: Room,
): { left: string; top: string } {
  const { scale, origin } = page;
  const x = rect.x * scale + origin.x;
  const top = rect.y * scale + origin.y;
  const bottom = (rect.y + rect.height) * scale + origin.y;
  const below = bottom + gap;
  const above = top - gap - card.height;
  let y = below;
  if (below + card.height > room.height - gap && above >= gap) y = above;
  const clamp = (v: number, size: number, whole: number) => Math.round(Math.max(gap, Math.min(v, whole - size - gap)));
  return { left: `${clamp(x, card.width, room.width)}px`, top: `${clamp(y, card.height, room.height)}px` };
}
