import { number, refusalText, t } from '../../i18n';
import { Button } from '../../ui/button';
import { BarNote } from '../../ui/states';
import { useApp } from '../context';
import { whenText } from '../when';

/** Quiet bars over the editor: what is true of the text, and what one can do about it. */
export function SourceNotes({ plain, off }: { plain: boolean; off: boolean }) {
  const { source, documents } = useApp();
  const keeper = source.keeper.value;
  const state = keeper?.state.value;
  const refusal = keeper?.refusal.value ?? null;
  const saving = source.refusal.value;
  const [found] = source.found.value;
  const more = source.found.value.length - 1;
  return (
    <>
      {off && <BarNote tone="warn">{t('source.off')}</BarNote>}
      {state === 'lost' && (
        <BarNote
          tone="bad"
          actions={
            <Button small onClick={() => void keeper?.flush()}>
              {t('common.retry')}
            </Button>
          }
        >
          {t('source.lost')}
        </BarNote>
      )}
      {state === 'refused' && refusal !== null && (
        <BarNote tone="bad">{t('source.refused', { why: refusalText(refusal) })}</BarNote>
      )}
      {saving !== null && state !== 'lost' && state !== 'refused' && (
        <BarNote
          tone="bad"
          actions={
            <Button small onClick={() => void source.commit()}>
              {t('common.retry')}
            </Button>
          }
        >
          {[refusalText(saving), saving.hint].filter(Boolean).join(' ')}
        </BarNote>
      )}
      {keeper?.parted.value === true && <BarNote tone="warn">{t('source.parted')}</BarNote>}
      {found !== undefined && !source.unsaved.value && (
        <BarNote
          tone="warn"
          actions={
            <>
              {!off && (
                <Button small kind="primary" onClick={() => void source.goOnWith(found)}>
                  {t('source.found.on')}
                </Button>
              )}
              <Button small kind="loss" onClick={() => void source.dropFound(found)}>
                {t('source.found.drop')}
              </Button>
            </>
          }
        >
          {t('source.found', { when: whenText(found.updatedAt) })}
          {more > 0 && ` ${t('source.found.more', { n: number(more) })}`}
        </BarNote>
      )}
      {source.behind.value && source.unsaved.value && (
        <BarNote
          actions={
            <Button small onClick={() => void source.join()}>
              {t('source.behind.join')}
            </Button>
          }
        >
          {t('source.behind', { n: documents.generation.value })}
        </BarNote>
      )}
      {plain && <BarNote>{t('source.long')}</BarNote>}
    </>
  );
}
