import type { CardWords } from '../../contract/desktop';
import type { Pick, Rect } from '../../contract/types';
import { refusalText, t } from '../../i18n';
import type { App } from '../../state/app';
import type { Box } from '../../state/notes';
import { nearestOf } from '../../state/pick';
import { conflictOf } from '../notes/Conflict';
import { send } from './actions';

/** A card at an element: what it says, and what a person can do with it, whoever draws it. */
export interface CardModel {
  /** Of the element, pixels of the page. */
  rect: Rect;
  words: CardWords;
  /** Another one when the text became another one without being typed in the card. */
  given: string;
  type(text: string): void;
  choose(choice: string): void;
  back(): void;
}

/** Focus goes to the stage, so that the arrow keys step on from here. */
function toStage(): void {
  document.querySelector<HTMLElement>('.stage')?.focus({ preventScroll: true });
}

/** The box in which a note is written. `onDirect` opens the edits that need no model. */
export function noteCard(app: App, box: Box, onDirect: () => void): CardModel | null {
  const { pins, pick, notes, actions, talk } = app;
  const { text, targets } = box;
  const last = targets.at(-1);
  if (last === undefined) return null;
  const empty = text.text.value.trim() === '';
  const conflict = conflictOf(text);
  const keep = async () => {
    if (text.text.value.trim() === '') return;
    if ((await notes.end()) === null) return;
    pick.clear();
    toStage();
  };
  const choices: Record<string, () => unknown> = {
    keep,
    send: () => {
      if (text.text.value.trim() !== '' && !talk.sending.value) return send(app);
      return undefined;
    },
    direct: onDirect,
    ...conflict?.choices,
  };
  return {
    rect: pins.picks.value.get(last.handle)?.rect ?? last.rect,
    given: `${box.id} ${text.given.value}`,
    words: {
      label: targets.length > 1 ? t('say.label.many', { n: targets.length }) : t('say.label'),
      text: text.text.value,
      code: targets.length === 1 ? last.name : '',
      proof: proof(targets),
      saving: saving(text.saving.value),
      alert:
        text.saving.value === 'failed' && text.refusal.value !== null
          ? t('notes.failed', { why: refusalText(text.refusal.value) })
          : '',
      lines: conflict?.lines ?? [],
      actions: [
        ...(conflict?.actions ?? []),
        { choice: 'direct', label: t('say.direct'), quiet: true },
        { choice: 'keep', label: t('say.done'), disabled: empty },
        {
          choice: 'send',
          label: t('say.send'),
          key: actions.keyName('notes.send'),
          primary: true,
          disabled: empty || talk.sending.value,
        },
      ],
    },
    type: (typed) => {
      if (typed === text.text.peek()) return;
      text.type(typed);
      talk.recount();
    },
    choose: (choice) => void choices[choice]?.(),
    back: () => {
      pick.writing.value = false;
      toStage();
    },
  };
}

/** Why an element cannot be edited, said at once, with the nearest one that can. */
export function refusedCard({ pick, actions, pins }: App): CardModel | null {
  const p = pick.refused.value;
  if (p?.refusal === undefined) return null;
  const near = nearestOf(p);
  const why = refusalText(p.refusal);
  return {
    rect: pins.picks.value.get(p.handle)?.rect ?? p.rect,
    given: '',
    words: {
      label: why,
      text: null,
      code: '',
      proof: near !== null ? t('pick.nearest', { tag: `<${near.name}>` }) : (p.refusal.hint ?? ''),
      saving: '',
      alert: '',
      lines: [why],
      actions:
        near === null ? [] : [{ choice: 'nearest', label: t('common.use'), key: actions.keyName('page.nearest') }],
    },
    type: () => undefined,
    choose: (choice) => {
      if (choice === 'nearest') void pick.useNearest();
    },
    back: () => {
      void actions.run('general.back');
      toStage();
    },
  };
}

/** The proof line: how many places in the source, and who shares them. Never silence. */
function proof(targets: readonly Pick[]): string {
  const shared = targets.find((p) => (p.sharedBy ?? 1) > 1);
  const places = new Set(targets.map((p) => p.startTag?.join('-') ?? p.handle)).size;
  if (shared === undefined) return t('proof.exact', { n: places });
  const n = shared.sharedBy ?? 2;
  if (targets.length === 1) return t('proof.shared', { n });
  return `${t('proof.exact', { n: places })} · ${t('proof.shared.short', { n })}`;
}

function saving(state: string): string {
  if (state === 'waiting' || state === 'saving') return t('say.saving');
  if (state === 'saved') return t('say.saved');
  return '';
}
