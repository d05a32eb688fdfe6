import type { Rect } from '../../contract/types';
import { t } from '../../i18n';
import { useApp } from '../context';
import { marksOf, outlinesOf } from './marks';
import { NoteBox } from './NoteBox';
import { RefusedCard } from './RefusedCard';

/**
 * What the workbench draws over the page: outlines and numbered pins. It is no part of the page, which cannot reach it, and
 * lets every click through but those on its own controls.
 */
export function Layer() {
  const app = useApp();
  const { places, preview } = app;
  const scale = preview.scale.value;
  const at = (r: Rect) => ({
    left: `${Math.round(r.x * scale)}px`,
    top: `${Math.round(r.y * scale)}px`,
    width: `${Math.round(r.width * scale)}px`,
    height: `${Math.round(r.height * scale)}px`,
  });
  const marks = marksOf(app);
  const active = places.activeNote.value;
  const taken = new Map<string, number>();

  return (
    <div class="layer">
      {outlinesOf(app).map(({ key, kind, rect }) => (
        <div key={key} class={kind === 'selected' ? 'outline' : `outline ${kind}`} style={at(rect)} />
      ))}
      {marks.map((mark) => {
        const lit = active === mark.thread;
        return mark.places.map(({ rect }, i) => {
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
