import { number, refusalText, t } from '../../i18n';
import type { Step } from '../../state/steps';
import type { TurnView } from '../../state/talk';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icons';
import { Progress } from '../../ui/states';
import { useApp } from '../context';
import { ResultCard } from './ResultCard';
import { Seen } from './Seen';

/** One turn. Everything a model says is its own claim, shown as text. */
export function TurnItem({ view }: { view: TurnView }) {
  const { talk, places } = useApp();
  const turn = view.turn.value;
  const p = view.progress.value;
  if (turn === null) return null;
  const notes = turn.notes ?? [];
  const result = turn.result;
  const busy = view.busy.value;
  const text = result?.text !== undefined && result.text !== '' ? result.text : p.said.join('\n\n');
  const doing = p.steps.at(-1);
  const modelled = turn.model !== 'builtin'; // the planner without a model has no tokens
  return (
    <article class="turn" aria-label={turn.message !== '' ? turn.message : t('talk.scene.notes', count(notes))}>
      <div class="asked">
        {turn.message !== '' && <p class="words">{turn.message}</p>}
        {notes.map((n) => (
          <p key={n.annotationId} class="sent">
            <ThreadButton order={n.order} turn={turn.id} label={n.instruction} />
            <span>{n.instruction}</span>
          </p>
        ))}
      </div>
      {p.steps.length > 0 && (
        <details class="steps" open={busy}>
          <summary>{t('talk.steps', { n: p.steps.length })}</summary>
          <ol>
            {p.steps.map((s, i) => {
              // What goes on is then a person's to end, whatever tool the turn calls.
              const waits = turn.waits && s.state === 'running';
              return (
                <li key={i} class={waits ? 'waits' : s.state}>
                  {s.state === 'done' && <Icon name="check" />}
                  {s.state === 'failed' && <Icon name="warn" />}
                  {waits && <Icon name="eye" />}
                  {s.state === 'running' && !waits && <span class="dot" aria-hidden="true" />}
                  <span>{waits ? t('step.waits') : t(s.word, s.values)}</span>
                  {s.tookNs !== undefined && <span class="took">{took(s)}</span>}
                </li>
              );
            })}
          </ol>
        </details>
      )}
      {busy && <Seen turn={turn.id} looks={p.looks} />}
      {p.saying !== '' && (
        <p class="words saying" aria-live="off">
          {p.saying}
        </p>
      )}
      {p.saying === '' && text !== '' && <p class="words">{text}</p>}
      {busy && (
        <div class="busy">
          {turn.waits ? (
            <>
              <strong>{t('talk.waits')}</strong>
              <Button
                small
                kind="primary"
                onClick={() => {
                  places.review.value = turn.id;
                }}
              >
                {t('talk.review')}
              </Button>
            </>
          ) : (
            <Progress>{doing === undefined ? t('talk.sending') : t(doing.word, doing.values)}</Progress>
          )}
          <Button small icon="stop" disabled={view.cancelling.value} onClick={() => void talk.cancel(turn.id)}>
            {t('talk.stop')}
          </Button>
          <p class="keeps">{t('talk.stop.keeps')}</p>
        </div>
      )}
      {view.interrupted.value && (
        <div class="card">
          <p>{t('talk.interrupted')}</p>
          {notes.length > 0 && !view.drafted.value && (
            <Button small onClick={() => void talk.again(turn.id)}>
              {t('talk.again')}
            </Button>
          )}
        </div>
      )}
      {result !== undefined && <ResultCard turn={turn} result={result} drafted={view.drafted.value} />}
      {modelled && result !== undefined && result.usage.calls > 0 && (
        <p class="usage">
          {t('talk.usage', {
            in: number(result.usage.promptTokens),
            out: number(result.usage.completionTokens),
            calls: result.usage.calls,
          })}
        </p>
      )}
      {modelled && result === undefined && p.calls > 0 && (
        <p class="usage">{t('talk.usage', { in: number(p.tokensIn), out: number(p.tokensOut), calls: p.calls })}</p>
      )}
      {/* What a person did not want is no failure; the card has said it. */}
      {result?.error !== undefined && (result.status !== 'discarded' || turn.expired === true) && (
        <p class="message" role="alert">
          {[refusalText(result.error), result.error.hint].filter(Boolean).join(' ')}
        </p>
      )}
    </article>
  );
}

/** A number of the thread: it lights the same note in the list, the page, the plan and the change. */
export function ThreadButton({ order, turn, label }: { order: number; turn: string; label: string }) {
  const { places } = useApp();
  const id = `${turn}:${order}`;
  const lit = places.activeNote.value === id || places.activeNote.value === `order:${order}`;
  return (
    <button
      type="button"
      class="num"
      aria-pressed={lit}
      aria-label={`${t('notes.note', { n: order })}: ${label}`}
      onClick={() => {
        places.activeNote.value = lit ? null : `order:${order}`;
      }}
    >
      {order}
    </button>
  );
}

function count(notes: readonly { targets: readonly unknown[] | null }[]): { n: number; t: number } {
  return { n: notes.length, t: notes.reduce((sum, x) => sum + (x.targets?.length ?? 0), 0) };
}

function took(s: Step): string {
  const ms = (s.tookNs ?? 0) / 1e6;
  return ms < 950 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
