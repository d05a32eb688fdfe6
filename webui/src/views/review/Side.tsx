import { t } from '../../i18n';
import type { Edit, Proposal, SentNote, Verification } from '../../contract/types';
import { sizeOf } from '../../lib/timeline';
import { byteLength } from '../../lib/utf16';
import { Icon } from '../../ui/icons';
import { Num } from '../../ui/states';
import { useApp } from '../context';
import { flagText } from '../flags';
import { short } from '../changes/say';
import { percent } from './Pictures';

/** Flags first, then what was asked for and what came of it, then what was checked. */
export function Side({ proposal, notes }: { proposal: Proposal; notes: readonly SentNote[] }) {
  const { preferences } = useApp();
  const flags = proposal.flags ?? [];
  const edits = proposal.edits ?? [];
  const size = sizeOf(edits, byteLength);
  return (
    <aside class="review-side" aria-label={t('review.side')} tabIndex={0}>
      {flags.length > 0 ? (
        <section class="flags">
          <h3>
            <Icon name="warn" /> {t('review.flags')}
          </h3>
          <ul>
            {flags.map((f) => (
              <li key={`${f.kind} ${f.detail}`}>{flagText(f.kind, f.detail)}</li>
            ))}
          </ul>
        </section>
      ) : (
        <p class="quiet">{t('review.noflags')}</p>
      )}
      <p class="size">
        {t('changes.size', { inserted: size.inserted, removed: size.removed, places: size.places })}
        {' · '}
        {t('changes.outside')}
      </p>
      {notes.length > 0 && (
        <section>
          <h3>{t('review.notes')}</h3>
          <ul class="review-notes">
            {notes.map((n) => (
              <Note key={n.order} note={n} edits={edits.filter((e) => isFor(e, n.order))} />
            ))}
          </ul>
        </section>
      )}
      {proposal.summary !== '' && (
        <section>
          <h3>{t('review.says')}</h3>
          <p class="summary">{proposal.summary}</p>
        </section>
      )}
      {proposal.verification !== null && <Checks v={proposal.verification} />}
      {!preferences.review.value && <p class="quiet">{t('review.once', { each: t('menu.review') })}</p>}
    </aside>
  );
}

function isFor(e: Edit, order: number): boolean {
  return e.note === order || e.notes?.includes(order) === true;
}

function Note({ note, edits }: { note: SentNote; edits: readonly Edit[] }) {
  const { places } = useApp();
  const thread = `order:${note.order}`;
  const lit = places.activeNote.value === thread;
  const size = sizeOf(edits, byteLength);
  return (
    <li>
      <button
        type="button"
        class="note"
        aria-pressed={lit}
        onClick={() => (places.activeNote.value = lit ? null : thread)}
      >
        <Num n={note.order} lit={lit} />
        <span class="grow">
          <span class="said">{note.instruction}</span>
          <span class="fate">
            {edits.length === 0
              ? t('review.note.none')
              : t('review.note.edits', { n: edits.length, inserted: size.inserted, removed: size.removed })}
          </span>
        </span>
      </button>
      {lit && (
        <ul class="edits">
          {edits.map((e, i) => (
            <li key={i}>
              {e.replacement === '' ? (
                t('review.edit.removes', { n: e.span[1] - e.span[0] })
              ) : (
                <code>{short(e.replacement)}</code>
              )}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Checks({ v }: { v: Verification }) {
  const bad: string[] = [];
  const errors = v.newErrors ?? [];
  const missing = v.missingResources ?? [];
  const layout = v.layout ?? [];
  if (!v.treeMatches) bad.push(t('review.check.tree.bad'));
  if (errors.length > 0) bad.push(t('review.check.errors', { n: errors.length, what: errors.join('; ') }));
  if (missing.length > 0) bad.push(t('review.check.missing', { n: missing.length, what: missing.join('; ') }));
  if (layout.length > 0) bad.push(t('review.check.layout', { what: layout.join('; ') }));
  const fine: string[] = [];
  if (v.treeMatches) fine.push(t('review.check.tree'));
  fine.push(t('review.check.pixels', { inside: percent(v.pixelsInside), outside: percent(v.pixelsOutside) }));
  for (const w of v.widths ?? []) {
    const wrong = [...(w.newErrors ?? []), ...(w.layout ?? [])];
    if (wrong.length > 0) bad.push(t('review.check.width', { n: w.width, what: wrong.join('; ') }));
    else fine.push(t('review.check.width.fine', { n: w.width }));
  }
  return (
    <section>
      <h3>{t('review.checks')}</h3>
      <ul class="checks">
        {bad.map((text) => (
          <li key={text} class="bad">
            <Icon name="warn" /> {text}
          </li>
        ))}
        {fine.map((text) => (
          <li key={text}>
            <Icon name="check" /> {text}
          </li>
        ))}
      </ul>
    </section>
  );
}
