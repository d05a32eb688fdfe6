import type { Rect } from '../ipc/desktop.std';

export const cardWidth = 352;
const gap = 8;

/**
 * Where a card stands at an element: below it, above it where there is no room
 * below, and always inside the room. All in pixels of the window.
 */
export function placeCard(at: Rect, height: number, room: Rect): Rect {
  const width = Math.max(0, Math.min(cardWidth, room.width - 2 * gap));
  const tall = Math.max(0, Math.min(height, room.height - 2 * gap));
  const below = at.y + at.height + gap;
  const above = at.y - gap - tall;
  const y = below + tall > room.y + room.height - gap && above >= room.y + gap ? above : below;
  return {
    x: clamp(at.x, room.x, room.width, width),
    y: clamp(y, room.y, room.height, tall),
    width: Math.round(width),
    height: Math.round(tall),
  };
}

function clamp(v: number, begin: number, whole: number, size: number): number {
  return Math.round(Math.max(begin + gap, Math.min(v, begin + whole - size - gap)));
}
