import type { Place, Rect } from '../ipc/desktop.std';

/** A rectangle of the workbench in pixels of the window: a person may have enlarged the workbench. */
export function inWindow(r: Rect, zoom: number): Rect {
  const x = Math.round(r.x * zoom);
  const y = Math.round(r.y * zoom);
  return { x, y, width: Math.round((r.x + r.width) * zoom) - x, height: Math.round((r.y + r.height) * zoom) - y };
}

/** Where the page's view goes inside the view that clips it, and how much it is enlarged. */
export function arrange(p: Place, zoom: number): { room: Rect; page: Rect; scale: number } {
  const room = inWindow(p.room, zoom);
  const page = inWindow(p.page, zoom);
  return {
    room,
    page: { ...page, x: page.x - room.x, y: page.y - room.y },
    scale: Math.min(5, Math.max(0.25, p.scale * zoom)),
  };
}
