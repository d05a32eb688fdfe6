import { t } from '../../i18n';
import { rail } from '../../lib/rail';
import { useApp } from '../context';
import { type Mark, marksOf, outlinesOf } from './marks';

/** Height of a pin, and what is left free between two, CSS pixels. */
const pin = 22;
const gap = 2;

/**
 * The pins beside the page, each at the height of its element: where the app shows
 * the page, nothing of the workbench can be drawn over it. The element itself is
 * outlined in the page.
 */
export function Rail() {
  const app = useApp();
  const { places, preview, lit } = app;
  const shown = preview.phase.value === 'shown';
  const scale = preview.scale.value;
  const { y: from } = preview.origin.value;
  const { height } = preview.stage.value;
  const active = places.activeNote.value;
  const marks = shown ? marksOf(app) : [];
  const byStop = new Map<string, { mark: Mark; first: boolean }>();
  const stops = marks.flatMap((mark) =>
    mark.places.map(({ rect: r }, i) => {
      const id = `${mark.id} ${i}`;
      byStop.set(id, { mark, first: i === 0 });
      return { id, top: Math.round(r.y * scale + from), bottom: Math.round((r.y + r.height) * scale + from) };
    }),
  );
  const { at, above, below } = rail(stops, height, pin, gap);
  const press = (mark: Mark) => {
    places.activeNote.value = active === mark.thread ? null : mark.thread;
  };

  const end = (side: 'above' | 'below', ids: readonly string[]) => {
    const away = [...new Set(ids.map((id) => byStop.get(id)?.mark))].filter((m) => m !== undefined);
    const next = away[0];
    if (next === undefined) return null;
    const name = t(`rail.${side}`, { n: away.length, to: next.n });
    return (
      <button
        type="button"
        class={`num pin end ${side}`}
        aria-label={name}
        title={name}
        onClick={() => {
          places.activeNote.value = next.thread;
        }}
      >
        <span aria-hidden="true">
          {side === 'above' ? '↑' : '↓'}
          {away.length}
        </span>
      </button>
    );
  };

  return (
    <div class="rail" role="group" aria-label={t('rail.label')}>
      {shown &&
        outlinesOf(app).map(({ key, kind, rect }) => {
          const top = Math.max(0, Math.round(rect.y * scale + from));
          const bottom = Math.min(height, Math.round((rect.y + rect.height) * scale + from));
          return (
            bottom > top && (
              <div key={key} class={`span ${kind}`} style={{ top: `${top}px`, height: `${bottom - top}px` }} />
            )
          );
        })}
      {end('above', above)}
      {[...at].map(([id, top]) => {
        const stop = byStop.get(id);
        if (stop === undefined) return null;
        const { mark, first } = stop;
        const point = () => {
          lit.pointed.value = mark.id;
        };
        const leave = () => {
          if (lit.pointed.value === mark.id) lit.pointed.value = null;
        };
        return (
          <button
            key={id}
            type="button"
            class="num pin"
            // One stop in the focus order for a note, however many places it has.
            tabIndex={first ? 0 : -1}
            aria-hidden={first ? undefined : true}
            aria-pressed={active === mark.thread}
            aria-label={`${t('notes.note', { n: mark.n })}: ${mark.text}`}
            title={mark.text}
            style={{ top: `${top}px` }}
            onMouseEnter={point}
            onMouseLeave={leave}
            onFocus={point}
            onBlur={leave}
            onClick={() => press(mark)}
          >
            {mark.n}
          </button>
        );
      })}
      {end('below', below)}
    </div>
  );
}
