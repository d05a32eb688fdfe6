import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { Button } from '../../ui/button';
import { useApp } from '../context';
import { NoteItem } from './NoteItem';
import './notes.css';

/** The drafts in their order: edit, reorder by keys or by dragging, discard and have back. */
export function Notes() {
  const { notes, features } = useApp();
  const list = notes.list.value;
  const dragged = useRef<string | null>(null);
  const [over, setOver] = useState<number | null>(null);
  return (
    <section class="notes" aria-label={t('notes.title')}>
      <header>
        <h2>{t('notes.title')}</h2>
        {list.length > 0 && <span class="count">{t('notes.drafts', { n: list.length })}</span>}
      </header>
      {list.length === 0 && notes.going.value.length === 0 && features.annotations.value === null && (
        <p class="empty">{t('notes.empty')}</p>
      )}
      {features.annotations.value !== null && <p class="empty">{t('notes.off')}</p>}
      <ol aria-label={t('notes.title')}>
        {list.map((note, i) => (
          <NoteItem
            key={note.id}
            note={note}
            number={i + 1}
            last={i === list.length - 1}
            over={over === i}
            onDrag={(event) => {
              if (event === 'start') dragged.current = note.id;
              else if (event === 'over') setOver(i);
              else {
                if (event === 'drop' && dragged.current !== null) void notes.move(dragged.current, i + 1);
                dragged.current = null;
                setOver(null);
              }
            }}
          />
        ))}
      </ol>
      {notes.going.value.map((note) => (
        <Going key={note.id} text={note.instruction} onRestore={() => notes.restore(note.id)} />
      ))}
    </section>
  );
}

/** A note that was discarded a moment ago. The focus that its buttons had goes to the way back. */
function Going({ text, onRestore }: { text: string; onRestore: () => void }) {
  const undo = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) undo.current?.focus();
  }, []);
  return (
    <div class="going" role="status">
      <span class="what">{t('notes.discarded', { text })}</span>
      <Button small buttonRef={undo} onClick={onRestore}>
        {t('common.undo')}
      </Button>
    </div>
  );
}
