import { useEffect, useRef } from 'preact/hooks';
import type { Annotation } from '../../contract/types';
import { refusalText, t } from '../../i18n';
import type { NoteText } from '../../state/noteText';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icons';
import { useApp } from '../context';
import { Conflict } from './Conflict';
import { composing } from '../../lib/ime';

export interface NoteItemProps {
  note: Annotation;
  number: number;
  last: boolean;
  over: boolean;
  onDrag: (event: 'start' | 'over' | 'drop' | 'end') => void;
}

export function NoteItem({ note, number, last, over, onDrag }: NoteItemProps) {
  const { notes, places, pins, talk, documents } = useApp();
  const item = useRef<HTMLLIElement>(null);
  const lit = places.activeNote.value === note.id;
  const editing = notes.editing.value;
  const mine = editing?.note.value?.id === note.id ? editing : null;
  const target = note.anchors[0];
  const many = note.anchors.length > 1;
  const shared = Math.max(...note.anchors.map((a) => a.sharedBy), 1);
  const found = talk.count.value?.notes?.find((n) => n.annotationId === note.id)?.targets ?? [];
  const lost = found.some((f) => f.resolution === 'contextual');
  const moved = note.revisionId !== documents.current.value?.headId && !lost && found.length > 0;

  const label = lost ? 'proof.context' : moved ? 'proof.again' : shared > 1 ? 'notes.shared' : 'notes.exact';

  useEffect(() => {
    if (lit) item.current?.scrollIntoView({ block: 'nearest' });
  }, [lit]);

  // The button that was pressed moves with its note, and keeps the focus.
  const move = (place: number, e: Event) => {
    const button = e.currentTarget as HTMLElement | null;
    void notes.move(note.id, place);
    requestAnimationFrame(() => button?.focus());
  };

  return (
    <li
      ref={item}
      class={['note', lit && 'lit', over && 'over'].filter(Boolean).join(' ')}
      onDragOver={(e) => {
        e.preventDefault();
        onDrag('over');
      }}
      onDrop={(e) => {
        e.preventDefault();
        onDrag('drop');
      }}
      onKeyDown={(e) => {
        if (!e.altKey || mine !== null) return;
        if (e.key === 'ArrowUp') void notes.move(note.id, number - 1);
        else if (e.key === 'ArrowDown') void notes.move(note.id, number + 1);
        else return;
        e.preventDefault();
        e.stopPropagation();
      }}
    >
      <span
        class="grip"
        draggable
        aria-hidden="true"
        onDragStart={(e) => {
          e.dataTransfer?.setData('text/plain', note.instruction);
          onDrag('start');
        }}
        onDragEnd={() => onDrag('end')}
      >
        <Icon name="grip" />
      </span>
      <button
        type="button"
        class="num"
        aria-pressed={lit}
        aria-label={t('notes.note', { n: number })}
        onClick={() => {
          places.activeNote.value = lit ? null : note.id;
          if (!lit) places.go('page');
        }}
      >
        {number}
      </button>
      <div class="body">
        <p class="target">
          <code>{many ? t('notes.targets', { n: note.anchors.length }) : (target?.name ?? '')}</code>
          {!many && <span class="quote">{target?.quote}</span>}
          <span class={lost ? 'proof lost' : 'proof'} title={moved ? t('proof.moved.found') : undefined}>
            {t(label)}
          </span>
        </p>
        {mine === null ? (
          <button type="button" class="text" title={note.instruction} onClick={() => notes.edit(note)}>
            {note.instruction}
          </button>
        ) : (
          <NoteEditor text={mine} number={number} />
        )}
        {lost && <p class="hint">{t('proof.moved.lost')}</p>}
        {moved && lit && <p class="hint">{t('proof.moved.found')}</p>}
        {!lost && pins.lost.value.has(note.id) && <p class="hint">{t('notes.gone')}</p>}
      </div>
      <div class="tools">
        <Button
          small
          icon="up"
          kind="quiet"
          label={t('notes.up', { n: number })}
          keyName="Alt ↑"
          disabled={number === 1}
          onClick={(e) => move(number - 1, e)}
        />
        <Button
          small
          icon="down"
          kind="quiet"
          label={t('notes.down', { n: number })}
          keyName="Alt ↓"
          disabled={last}
          onClick={(e) => move(number + 1, e)}
        />
        <Button
          small
          icon="trash"
          kind="quiet"
          label={t('notes.discard', { n: number })}
          onClick={() => notes.discard(note.id)}
        />
      </div>
    </li>
  );
}

function NoteEditor({ text, number }: { text: NoteText; number: number }) {
  const { notes } = useApp();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const el = area.current;
    el?.focus();
    el?.setSelectionRange(el.value.length, el.value.length);
  }, []);
  return (
    <>
      <textarea
        ref={area}
        class="area"
        rows={2}
        aria-label={t('notes.edit', { n: number })}
        value={text.text.value}
        onInput={(e) => text.type(e.currentTarget.value)}
        onBlur={(e) => {
          // A click on a choice about this very note does not end its editing.
          const to = e.relatedTarget;
          if (to instanceof Node && e.currentTarget.closest('li')?.contains(to) === true) void text.flush();
          else void notes.endEdit();
        }}
        onKeyDown={(e) => {
          if (composing(e)) return;
          const done = e.key === 'Escape' || (e.key === 'Enter' && !e.shiftKey && !e.ctrlKey && !e.metaKey);
          if (!done) return;
          e.preventDefault();
          e.stopPropagation();
          const item = e.currentTarget.closest('li');
          void notes.endEdit().then(() => item?.querySelector<HTMLElement>('.text')?.focus());
        }}
      />
      <Conflict text={text} />
      {text.saving.value === 'failed' && text.refusal.value !== null && (
        <p class="message" role="alert">
          {t('notes.failed', { why: refusalText(text.refusal.value) })}
        </p>
      )}
    </>
  );
}
