import type { Edit, Turn, TurnResult, Verification } from '../../contract/types';
import { refusalText, t } from '../../i18n';
import { byteLength } from '../../lib/utf16';
import { Button } from '../../ui/button';
import { useApp } from '../context';
import { Looks } from '../looks/Looks';
import { flagWord } from './flags';
import { ThreadButton } from './TurnItem';

/** What a turn came to, in a card: a sentence, the bytes, the notes, and the way back. */
export function ResultCard({ turn, result, drafted }: { turn: Turn; result: TurnResult; drafted: boolean }) {
  const { documents, places, talk } = useApp();
  const edits = result.edits ?? [];
  const applied = result.status === 'applied';
  // A person did not want it: the sentence says so, and no note is at fault.
  const dropped = result.status === 'discarded';
  const change = result.changeSet;
  const gone = change !== undefined && documents.takenBack.value.has(change);
  const unapplied = (result.notes ?? []).some((n) => n.outcome !== 'applied');
  // An answer alone speaks for itself.
  if (result.status === 'answered' && (result.notes ?? []).length === 0) {
    return <p class="usage">{t('card.answered')}</p>;
  }
  return (
    <div class={applied ? 'card good' : 'card'}>
      <p class="sentence">
        {result.status === 'applied' ? t('card.applied', { n: edits.length }) : t(`card.${result.status}`)}
      </p>
      {applied && result.generation !== undefined && <Looks generation={result.generation} />}
      {applied && looksTheSame(result.verification) && <p class="message">{t('card.same')}</p>}
      {applied && <p class="stats">{t('card.stats', { ...stats(edits), n: edits.length })}</p>}
      {(result.notes ?? []).length > 0 && (
        <ul class="outcomes">
          {(result.notes ?? []).map((n) => (
            <li key={n.order}>
              <ThreadButton order={n.order} turn={turn.id} label={n.instruction ?? ''} />
              <span class="outcome">{t(dropped ? 'card.note.dropped' : `card.note.${n.outcome}`)}</span>
              {!dropped && n.reason !== undefined && n.reason !== '' && (
                <span class="reason">{refusalText({ code: n.reason, message: n.reason })}</span>
              )}
            </li>
          ))}
        </ul>
      )}
      {(result.flags ?? []).length > 0 && (
        <ul class="flags">
          {(result.flags ?? []).map((f, i) => (
            <li key={i}>
              {flagWord(f.kind)} <code>{f.detail}</code>
            </li>
          ))}
        </ul>
      )}
      {result.writeError !== undefined && (
        <p class="message">{t('card.notwritten', { why: refusalText(result.writeError) })}</p>
      )}
      <div class="row">
        {applied && change !== undefined && (
          <>
            {gone ? (
              <span class="gone">{t('card.takenback')}</span>
            ) : (
              <Button
                small
                icon="undo"
                disabled={documents.working.value}
                onClick={() => void documents.undoChange(change)}
              >
                {t('common.undo')}
              </Button>
            )}
            <Button small kind="quiet" onClick={() => places.showChange(change)}>
              {t('common.open')}
            </Button>
          </>
        )}
        {result.status === 'needs_approval' && (result.flags ?? []).length > 0 && (
          <Button small onClick={() => void talk.approve(turn)}>
            {t('card.approve')}
          </Button>
        )}
        {!applied && unapplied && !drafted && (
          <Button small onClick={() => void talk.again(turn.id)}>
            {t('talk.again')}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Nothing was to be seen of it, at any width, and all of it was in the picture. */
function looksTheSame(v: Verification | null): boolean {
  return (
    v !== null &&
    (v.outOfPicture ?? 0) === 0 &&
    [v, ...(v.widths ?? [])].every((at) => at.pixelsInside === 0 && at.pixelsOutside === 0)
  );
}

function stats(edits: readonly Edit[]): { in: number; out: number } {
  return {
    in: edits.reduce((n, e) => n + byteLength(e.replacement), 0),
    out: edits.reduce((n, e) => n + e.span[1] - e.span[0], 0),
  };
}
