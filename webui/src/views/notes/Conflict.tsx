import type { CardAction } from '../../contract/desktop';
import { t } from '../../i18n';
import type { NoteText } from '../../state/noteText';
import { Button } from '../../ui/button';

export interface ConflictWords {
  lines: string[];
  actions: CardAction[];
  choices: Record<string, () => unknown>;
}

/** The note was changed elsewhere while one typed: both texts stand, and a person decides. Null where it was not. */
export function conflictOf(text: NoteText): ConflictWords | null {
  const theirs = text.theirs.value;
  if (theirs === null) return null;
  return {
    lines: [t('notes.conflict'), t('notes.conflict.theirs', { text: theirs.instruction })],
    actions: [
      { choice: 'mine', label: t('notes.conflict.keep') },
      { choice: 'theirs', label: t('notes.conflict.take') },
    ],
    choices: { mine: () => text.keepMine(), theirs: () => text.takeTheirs() },
  };
}

export function Conflict({ text }: { text: NoteText }) {
  const conflict = conflictOf(text);
  if (conflict === null) return null;
  return (
    <div class="conflict" role="alert">
      {conflict.lines.map((line, i) => (
        <p key={i} class={i > 0 ? 'theirs' : undefined}>
          {line}
        </p>
      ))}
      <div class="row">
        {conflict.actions.map((a) => (
          <Button key={a.choice} small onClick={() => void conflict.choices[a.choice]?.()}>
            {a.label}
          </Button>
        ))}
      </div>
    </div>
  );
}
