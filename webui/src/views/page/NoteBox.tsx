import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { composing } from '../../lib/ime';
import type { Box } from '../../state/notes';
import { Button } from '../../ui/button';
import { useApp } from '../context';
import { Conflict } from '../notes/Conflict';
import { noteCard } from './cards';
import { DirectForm } from './DirectForm';
import { placeCard } from './float';

/** The box in which a note is written, at its element. Enter keeps it, Esc goes back; every word is a draft already. */
export function NoteBox({ box }: { box: Box }) {
  const app = useApp();
  const { preview, pick } = app;
  const card = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const [height, setHeight] = useState(150);
  const [direct, setDirect] = useState(false);
  useLayoutEffect(() => {
    if (card.current !== null) setHeight(card.current.offsetHeight);
  });
  useEffect(() => {
    area.current?.focus({ preventScroll: true });
  }, []);

  const { targets, text } = box;
  const model = noteCard(app, box, () => setDirect(!direct));
  if (model === null) return null;
  const { words } = model;
  // What is chosen in a conflict stands with it.
  const buttons = words.actions.filter((a) => a.choice !== 'mine' && a.choice !== 'theirs');

  return (
    <div
      ref={card}
      class="card-float note-box"
      role="dialog"
      aria-label={words.label}
      style={placeCard(
        model.rect,
        { scale: preview.scale.value, origin: preview.origin.value },
        { width: 352, height },
        preview.stage.value,
      )}
      onKeyDown={(e) => {
        if (composing(e)) return;
        if (e.key === 'Escape') {
          e.stopPropagation();
          e.preventDefault();
          model.back();
        }
      }}
    >
      <textarea
        ref={area}
        class="area"
        rows={2}
        aria-label={words.label}
        placeholder={words.label}
        value={words.text ?? ''}
        onInput={(e) => model.type(e.currentTarget.value)}
        onBlur={() => void text.flush()}
        onKeyDown={(e) => {
          if (e.key !== 'Enter' || composing(e) || e.shiftKey) return;
          if (e.ctrlKey || e.metaKey) return; // sends, by its own key
          e.preventDefault();
          model.choose('keep');
        }}
      />
      <div class="proof-row">
        <p class="proof">
          {words.code !== '' && <code>{words.code}</code>}
          {words.code !== '' && ' · '}
          {words.proof}
        </p>
        <span class="saving">{words.saving}</span>
      </div>
      <Conflict text={text} />
      {words.alert !== '' && (
        <p class="message" role="alert">
          {words.alert}
        </p>
      )}
      {direct && (
        <DirectForm key={targets.map((p) => p.handle).join(' ')} targets={targets} onDone={() => pick.clear()} />
      )}
      <div class="row">
        {buttons.map((a) => (
          <>
            {a.choice === 'keep' && <span class="grow" />}
            <Button
              key={a.choice}
              small
              kind={a.primary === true ? 'primary' : a.quiet === true ? 'quiet' : 'plain'}
              {...(a.choice === 'direct' && { icon: 'edit', expanded: direct })}
              {...(a.key !== undefined && { label: a.label, keyName: a.key })}
              disabled={a.disabled === true}
              onClick={() => model.choose(a.choice)}
            >
              {a.label}
            </Button>
          </>
        ))}
      </div>
    </div>
  );
}
