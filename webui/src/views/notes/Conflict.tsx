import { t } from '../../i18n';
import type { NoteText } from '../../state/noteText';
import { Button } from '../../ui/button';

/** The note was changed elsewhere while one typed: both texts stand, and a person decides. */
export function Conflict({ text }: { text: NoteText }) {
  const theirs = text.theirs.value;
  if (theirs === null) return null;
  return (
    <div class="conflict" role="alert">
      <p>{t('notes.conflict')}</p>
      <p class="theirs">{t('notes.conflict.theirs', { text: theirs.instruction })}</p>
      <div class="row">
        <Button small onClick={() => void text.keepMine()}>
          {t('notes.conflict.keep')}
        </Button>
        <Button small onClick={() => text.takeTheirs()}>
          {t('notes.conflict.take')}
        </Button>
      </div>
    </div>
  );
}
