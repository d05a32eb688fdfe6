import type { Rect } from '../../contract/types';
import { t } from '../../i18n';
import { same } from '../../state/pick';
import { useApp } from '../context';
import { NoteBox } from './NoteBox';
import { RefusedCard } from './RefusedCard';

/**
 * What the workbench draws over the page: outlines and numbered pins. It is no part of the page, which cannot reach it, and
 * lets every click through but those on its own controls.
 */
export function Layer() {
  const { pins, pick, notes, places, preview, talk } = useApp();
  const scale = preview.scale.value;
  const at = (r: Rect) => ({
    left: `${Math.round(r.x * scale)}px`,
    top: `${Math.round(r.y * scale)}px`,
    width: `${Math.round(r.width * scale)}px`,
    height: `${Math.round(r.height * scale)}px`,
  });
  const marks = [
    ...notes.list.value.map((n, i) => ({ id: n.id, n: i + 1, text: n.instruction, thread: n.id })),
    ...talk.sent.value.map((n) => ({
      id: n.annotationId,
      n: n.order,
      text: n.instruction,
      thread: `order:${n.order}`,
    })),
  ];
  // Where the arrows stand beside what is selected: Space would add it.
  const selection = pick.selection.value;
  const stands = pick.refused.value === null ? pick.cursor.value : null;
  const cursor = stands !== null && selection.length > 0 && !selection.some((s) => same(s, stands)) ? stands : null;
  const active = places.activeNote.value;
  const taken = new Map<string, number>();

  return (
    <div class="layer">
      {selection.map((p) => {
        const rect = pins.picks.value.get(p.handle)?.rect ?? p.rect;
        // What is not visible has no outline; the status line says so.
        return rect.width + rect.height > 0 && <div key={p.handle} class="outline" style={at(rect)} />;
      })}
      {cursor !== null && (
        <div class="outline cursor" style={at(pins.picks.value.get(cursor.handle)?.rect ?? cursor.rect)} />
      )}
      {pick.refused.value !== null && <div class="outline refused" style={at(pick.refused.value.rect)} />}
      {marks.map((mark) => {
        const lit = active === mark.thread;
        const rects = (pins.notes.value.get(mark.id) ?? []).flatMap((p) => (p.rect === null ? [] : [p.rect]));
        return rects.map((rect, i) => {
          // An element that is scrolled away takes its pin along.
          if (rect.y + rect.height < 0 || rect.x + rect.width < 0) return null;
          // Several notes at one element stand beside each other.
          const spot = `${Math.round(rect.x + rect.width)} ${Math.round(rect.y)}`;
          const nth = taken.get(spot) ?? 0;
          taken.set(spot, nth + 1);
          const x = Math.min(rect.x + rect.width, preview.size.value.width) * scale;
          const style = {
            left: `${Math.max(0, Math.round(x - 12 - nth * 26))}px`,
            top: `${Math.max(0, Math.round(rect.y * scale - 12))}px`,
          };
          return (
            <div key={`${mark.id} ${i}`}>
              {lit && <div class="outline lit" style={at(rect)} />}
              <button
                type="button"
                class="num pin"
                // One stop in the focus order for a note, however many places it has.
                tabIndex={i === 0 ? 0 : -1}
                aria-hidden={i === 0 ? undefined : true}
                aria-pressed={lit}
                aria-label={`${t('notes.note', { n: mark.n })}: ${mark.text}`}
                title={mark.text}
                style={style}
                onClick={() => {
                  places.activeNote.value = lit ? null : mark.thread;
                }}
              >
                {mark.n}
              </button>
            </div>
          );
        });
      })}
    </div>
  );
}

/** The cards of the layer. They may stand beside the page, where it is narrow. */
export function Cards() {
  const { pick, notes } = useApp();
  return (
    <div class="cards">
      {pick.refused.value !== null && <RefusedCard />}
      {notes.box.value !== null && <NoteBox box={notes.box.value} />}
    </div>
  );
}
