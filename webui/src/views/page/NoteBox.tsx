import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Pick } from '../../contract/types';
import { refusalText, t } from '../../i18n';
import type { Box } from '../../state/notes';
import { Button } from '../../ui/button';
import { useApp } from '../context';
import { Conflict } from '../notes/Conflict';
import { send } from './actions';
import { DirectForm } from './DirectForm';
import { placeCard } from './float';
import { composing } from '../../lib/ime';

/** The box in which a note is written, at its element. Enter keeps it, Esc goes back; every word is a draft already. */
export function NoteBox({ box }: { box: Box }) {
  const app = useApp();
  const { preview, pins, pick, notes, actions, talk } = app;
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

  const targets = box.targets;
  const last = targets.at(-1);
  if (last === undefined) return null;
  const rect = pins.picks.value.get(last.handle)?.rect ?? last.rect;
  const text = box.text;

  const back = () => {
    pick.writing.value = false;
    // Focus goes to the stage, so that the arrow keys step on from here.
    document.querySelector<HTMLElement>('.stage')?.focus({ preventScroll: true });
  };
  const keep = async () => {
    if (text.text.value.trim() === '') return;
    if ((await notes.end()) === null) return;
    pick.clear();
    document.querySelector<HTMLElement>('.stage')?.focus({ preventScroll: true });
  };

  return (
    <div
      ref={card}
      class="card-float note-box"
      role="dialog"
      aria-label={t('say.label')}
      style={placeCard(
        rect,
        { scale: preview.scale.value, origin: preview.origin.value },
        { width: 352, height },
        preview.stage.value,
      )}
      onKeyDown={(e) => {
        if (composing(e)) return;
        if (e.key === 'Escape') {
          e.stopPropagation();
          e.preventDefault();
          back();
        }
      }}
    >
      <textarea
        ref={area}
        class="area"
        rows={2}
        aria-label={targets.length > 1 ? t('say.label.many', { n: targets.length }) : t('say.label')}
        placeholder={targets.length > 1 ? t('say.label.many', { n: targets.length }) : t('say.label')}
        value={text.text.value}
        onInput={(e) => {
          text.type(e.currentTarget.value);
          talk.recount();
        }}
        onBlur={() => void text.flush()}
        onKeyDown={(e) => {
          if (e.key !== 'Enter' || composing(e) || e.shiftKey) return;
          if (e.ctrlKey || e.metaKey) return; // sends, by its own key
          e.preventDefault();
          void keep();
        }}
      />
      <div class="proof-row">
        <Proof targets={targets} />
        <span class="saving">{saving(text.saving.value)}</span>
      </div>
      <Conflict text={text} />
      {text.saving.value === 'failed' && text.refusal.value !== null && (
        <p class="message" role="alert">
          {t('notes.failed', { why: refusalText(text.refusal.value) })}
        </p>
      )}
      {direct && (
        <DirectForm key={targets.map((p) => p.handle).join(' ')} targets={targets} onDone={() => pick.clear()} />
      )}
      <div class="row">
        <Button
          small
          kind="quiet"
          icon="edit"
          expanded={direct}
          onClick={() => {
            setDirect(!direct);
          }}
        >
          {t('say.direct')}
        </Button>
        <span class="grow" />
        <Button small disabled={text.text.value.trim() === ''} onClick={() => void keep()}>
          {t('say.done')}
        </Button>
        <Button
          small
          kind="primary"
          label={t('say.send')}
          keyName={actions.keyName('notes.send')}
          disabled={text.text.value.trim() === '' || talk.sending.value}
          onClick={() => void send(app)}
        >
          {t('say.send')}
        </Button>
      </div>
    </div>
  );
}

/** The proof line: how many places in the source, and who shares them. Never silence. */
function Proof({ targets }: { targets: readonly Pick[] }) {
  const shared = targets.find((p) => (p.sharedBy ?? 1) > 1);
  const places = new Set(targets.map((p) => p.startTag?.join('-') ?? p.handle)).size;
  const first = targets[0];
  return (
    <p class="proof">
      {targets.length === 1 && <code>{first?.name}</code>}
      {targets.length === 1 && ' · '}
      {shared === undefined
        ? t('proof.exact', { n: places })
        : targets.length === 1
          ? t('proof.shared', { n: shared.sharedBy ?? 2 })
          : `${t('proof.exact', { n: places })} · ${t('proof.shared.short', { n: shared.sharedBy ?? 2 })}`}
    </p>
  );
}

function saving(state: string): string {
  if (state === 'waiting' || state === 'saving') return t('say.saving');
  if (state === 'saved') return t('say.saved');
  return '';
}
