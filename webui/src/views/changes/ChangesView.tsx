import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { refusalText, t } from '../../i18n';
import { dayOf, type Item } from '../../lib/timeline';
import { Button } from '../../ui/button';
import { BarNote, Progress, State } from '../../ui/states';
import { useApp } from '../context';
import { dateText } from '../when';
import { Card } from './Card';
import { Compare } from './Compare';
import { OutsideChange } from './OutsideChange';
import { ReviewFiles } from './ReviewFiles';
import './changes.css';

/** Versions and changes as one line, and what differs between two of them. */
export function ChangesView() {
  const { changes, documents, actions, outside } = useApp();
  /** In a narrow window, the difference lies over the line. */
  const diffOpen = useSignal(false);
  useEffect(() => void changes.load(), [documents.id.value]);
  useEffect(
    () =>
      actions.register(
        {
          id: 'changes.previous',
          group: 'changes',
          title: 'changes.previous',
          keys: ['['],
          repeats: true,
          run: () => changes.step(-1).then(() => showSelected()),
        },
        {
          id: 'changes.next',
          group: 'changes',
          title: 'changes.next',
          keys: [']'],
          repeats: true,
          run: () => changes.step(1).then(() => showSelected()),
        },
      ),
    [],
  );

  const failure = changes.failure.value;
  if (changes.phase.value === 'failed' && failure !== null) {
    return (
      <State bad>
        <p>{t('changes.failed')}</p>
        <p>{refusalText(failure)}</p>
        <Button onClick={() => void changes.load()}>{t('common.retry')}</Button>
      </State>
    );
  }
  if (changes.phase.value !== 'ready') {
    return (
      <State>
        <Progress>{t('changes.loading')}</Progress>
      </State>
    );
  }
  if (outside.comparison.value !== null) return <OutsideChange />;
  const empty = changes.changes.value.length === 0;
  const openDiff = () => {
    diffOpen.value = true;
    requestAnimationFrame(() => {
      // Where it took the place of the line, focus goes along.
      const back = document.querySelector<HTMLElement>('.compare .back');
      if (back !== null && back.offsetParent !== null) back.focus();
    });
  };
  return (
    <div class={diffOpen.value ? 'changes diff-open' : 'changes'}>
      <section class="line" aria-label={t('changes.label')}>
        <header>
          <h2>{t('changes.label')}</h2>
          <Button
            small
            kind="quiet"
            icon="redo"
            label={t('common.redo')}
            keyName={actions.keyName('changes.redo')}
            disabled={changes.working.value !== null}
            onClick={() => void changes.redo()}
          />
          <ReviewFiles />
        </header>
        <OutsideNote />
        <Stuck />
        {empty && <p class="empty">{t('changes.none')}</p>}
        <ol>
          <Line items={changes.items.value} onOpen={openDiff} />
        </ol>
        {changes.more.value && (
          <Button class="older" disabled={changes.loadingMore.value} onClick={() => void changes.loadMore()}>
            {changes.loadingMore.value ? t('changes.loadingmore') : t('changes.more')}
          </Button>
        )}
      </section>
      <Compare
        onBack={() => {
          diffOpen.value = false;
          showSelected(true);
        }}
      />
    </div>
  );
}

function Line({ items, onOpen }: { items: readonly Item[]; onOpen: () => void }) {
  const { changes } = useApp();
  const now = new Date();
  let day = '';
  let folded: ReadonlySet<string> = new Set();
  return (
    <>
      {items.map((item) => {
        const first = item.kind === 'entry' ? item.entry : item.entries[0];
        const key = item.kind === 'entry' ? item.entry.version.id : `fold ${item.key}`;
        const heading = first === undefined ? '' : dayText(first.version.at, now);
        const isNew = heading !== day;
        day = heading;
        const head = isNew ? <DayHeading key={`day ${heading}`} text={heading} /> : null;
        if (item.kind === 'entry') {
          const inFold = folded.has(item.entry.version.id);
          return [head, <Card key={key} entry={item.entry} inFold={inFold} onOpen={onOpen} />];
        }
        const open = changes.unfolded.value.has(item.key);
        if (open) folded = new Set([...folded, ...item.entries.map((e) => e.version.id)]);
        return [
          head,
          <li key={key} class="fold">
            <Button
              small
              kind="quiet"
              icon={open ? 'caret' : 'right'}
              expanded={open}
              onClick={() => changes.toggleFold(item.key)}
            >
              {t('changes.fold', { n: item.entries.length })}
            </Button>
          </li>,
        ];
      })}
    </>
  );
}

function DayHeading({ text }: { text: string }) {
  return (
    <li class="day">
      <h3>{text}</h3>
    </li>
  );
}

function dayText(at: string, now: Date): string {
  const day = dayOf(at, now);
  return day.kind === 'date' ? dateText(day.date, now) : t(`changes.${day.kind}`);
}

/** The file was changed by another program, and the person has put the comparison off. */
function OutsideNote() {
  const { outside, documents } = useApp();
  const failure = outside.failure.value;
  if (documents.conflict.value === null) return null;
  return (
    <BarNote
      tone={failure === null ? 'warn' : 'bad'}
      actions={
        <Button small onClick={() => outside.show()}>
          {t('state.outside.compare')}
        </Button>
      }
    >
      {failure === null ? t('state.outside') : refusalText(failure)}
    </BarNote>
  );
}

/** A change that could not be taken back, and what one can do about it. */
function Stuck() {
  const { changes } = useApp();
  const s = changes.stuck.value;
  if (s === null) return null;
  const { by } = s;
  return (
    <BarNote
      tone="bad"
      actions={
        by !== null && (
          <span class="stuck-actions">
            <Button small onClick={() => void changes.undoBoth()}>
              {t('changes.stuck.both')}
            </Button>
            <Button small onClick={() => void changes.open(by)}>
              {t('changes.stuck.show', { n: s.byGeneration })}
            </Button>
            <Button small kind="quiet" onClick={() => (changes.stuck.value = null)}>
              {t('changes.stuck.leave')}
            </Button>
          </span>
        )
      }
    >
      {by === null ? [s.message, s.hint].filter(Boolean).join(' ') : t('changes.stuck', { n: s.byGeneration })}
    </BarNote>
  );
}

/** Brings the selected card into view; focus goes along where it was in the line. */
function showSelected(focus = false): void {
  requestAnimationFrame(() => {
    const card = document.querySelector<HTMLElement>('.changes .change.selected');
    card?.scrollIntoView({ block: 'nearest' });
    if (focus || document.activeElement?.closest('.changes .change') instanceof Element)
      card?.querySelector<HTMLElement>('.what')?.focus();
  });
}
