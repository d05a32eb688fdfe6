import type { Rect } from '../../contract/types';
import type { App } from '../../state/app';
import { same } from '../../state/pick';

export interface Mark {
  id: string;
  n: number;
  text: string;
  /** What is lit everywhere when it is pressed. */
  thread: string;
  /** Where the elements of the note stand in the page's view, and which of its targets they are. */
  places: readonly { rect: Rect; target: number }[];
}

/** The numbered notes that are seen on the page: the drafts, and those of a turn that works. */
export function marksOf({ notes, talk, pins }: App): Mark[] {
  const places = (id: string) =>
    (pins.notes.value.get(id) ?? []).flatMap(({ rect, target }, i) =>
      rect === null ? [] : [{ rect, target: target ?? i }],
    );
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

/** What is outlined: what is selected, where the arrows stand beside it (Space would add it), and what was refused. */
export function outlinesOf({
  pick,
  pins,
}: App): { key: string; kind: 'selected' | 'cursor' | 'refused'; rect: Rect }[] {
  const selection = pick.selection.value;
  const stands = pick.refused.value === null ? pick.cursor.value : null;
  const cursor = stands !== null && selection.length > 0 && !selection.some((s) => same(s, stands)) ? stands : null;
  const at = (p: { handle: string; rect: Rect }) => pins.picks.value.get(p.handle)?.rect ?? p.rect;
  const refused = pick.refused.value;
  return [
    // What is not visible has no outline; the status line says so.
    ...selection
      .map((p) => ({ key: p.handle, kind: 'selected' as const, rect: at(p) }))
      .filter(({ rect }) => rect.width + rect.height > 0),
    ...(cursor === null ? [] : [{ key: 'cursor', kind: 'cursor' as const, rect: at(cursor) }]),
    ...(refused === null ? [] : [{ key: 'refused', kind: 'refused' as const, rect: refused.rect }]),
  ];
}
