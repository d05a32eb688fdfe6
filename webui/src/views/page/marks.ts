import type { OutlineLook, Rect } from '../../contract/types';
import type { App } from '../../state/app';

export interface Mark {
  id: string;
  n: number;
  text: string;
  /** What is lit everywhere when it is pressed. */
  thread: string;
  /** Where the elements of the note stand in the page's view. */
  places: readonly { rect: Rect }[];
}

/** The numbered notes that are seen on the page: the drafts, and those of a turn that works. */
export function marksOf({ notes, talk, pins }: App): Mark[] {
  const places = (id: string) =>
    (pins.notes.value.get(id) ?? []).flatMap(({ rect }) => (rect === null ? [] : [{ rect }]));
  return [
    ...notes.list.value.map((n, i) => ({
      id: n.id,
      n: i + 1,
      text: n.instruction,
      thread: n.id,
      places: places(n.id),
    })),
    ...talk.sent.value.map((n) => ({
      id: n.annotationId,
      n: n.order,
      text: n.instruction,
      thread: `order:${n.order}`,
      places: places(n.annotationId),
    })),
  ];
}

/** Where to outline what, in the page's view. */
export function outlinesOf({ pick, pins }: App): { key: string; kind: OutlineLook; rect: Rect }[] {
  return pick.outlined.value.flatMap(({ pick: p, look }) => {
    const rect = look === 'refused' ? p.rect : (pins.picks.value.get(p.handle)?.rect ?? p.rect);
    // What is not visible has no outline; the status line says so.
    if (look === 'selected' && rect.width + rect.height <= 0) return [];
    return [{ key: look === 'selected' ? p.handle : look, kind: look, rect }];
  });
}
