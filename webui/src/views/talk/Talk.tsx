import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../i18n';
import { shownTurns } from '../../state/talk';
import { Button } from '../../ui/button';
import { useApp } from '../context';
import { Composer } from './Composer';
import { TurnItem } from './TurnItem';
import './talk.css';

/** The conversation: what was sent, what is being done, and what came of it. */
export function Talk() {
  const { talk } = useApp();
  const log = useRef<HTMLDivElement>(null);
  const turns = talk.turns.value.filter((v, i, all) => v.turn.value !== null || i >= all.length - shownTurns);
  const last = turns.at(-1);
  const grown = last === undefined ? 0 : last.progress.value.steps.length + last.progress.value.saying.length;

  // What comes is followed, unless one has scrolled up to read. Pictures come later than
  // their places, and the notes above take and leave room: neither is a person's scrolling.
  const near = useRef(true);
  const top = useRef(0);
  const follow = () => {
    const el = log.current;
    if (el !== null && near.current) el.scrollTop = el.scrollHeight;
  };
  useEffect(follow, [turns.length, grown, last?.turn.value]);
  useEffect(() => {
    const el = log.current;
    if (el === null) return;
    const room = new ResizeObserver(follow);
    room.observe(el);
    el.addEventListener('load', follow, true);
    return () => {
      room.disconnect();
      el.removeEventListener('load', follow, true);
    };
  }, []);

  return (
    <section class="talk" aria-label={t('talk.title')}>
      <header>
        <h2>{t('talk.title')}</h2>
      </header>
      <div
        ref={log}
        class="log"
        tabIndex={turns.length > 0 ? 0 : -1}
        role="log"
        aria-label={t('talk.title')}
        onScroll={(e) => {
          const el = e.currentTarget;
          if (el.scrollHeight - el.scrollTop - el.clientHeight < 48) near.current = true;
          else if (el.scrollTop < top.current) near.current = false;
          top.current = el.scrollTop;
        }}
      >
        {turns.length === 0 && <p class="empty">{t('talk.empty')}</p>}
        {talk.older.value > 0 && (
          <Button small kind="quiet" onClick={() => void talk.loadOlder()}>
            {t('talk.old')}
          </Button>
        )}
        {turns.map((view) => (
          <TurnItem key={view.id} view={view} />
        ))}
        {!talk.live.value && <p class="empty">{t('talk.reconnecting')}</p>}
      </div>
      <Composer />
    </section>
  );
}
