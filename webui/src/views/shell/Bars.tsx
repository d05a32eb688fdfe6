import { refusalText, t } from '../../i18n';
import { lackOf } from '../../state/pick';
import { Button } from '../../ui/button';
import { BarNote } from '../../ui/states';
import { useApp } from '../context';

/** What holds for the whole window and a person should know: lost, read-only, switched off, changed outside. */
export function Bars() {
  const { features, documents, places, host } = useApp();
  const lost = !features.alive.value;
  const readOnly = features.readOnly.value;
  // Where the app itself cannot do it, the page's own bar says so.
  const lacks = host.kind === 'desktop' && lackOf(host) !== null;
  const off = features.workbench.value ?? (lacks ? null : features.annotations.value);
  const word = features.workbench.value === null ? 'state.killed.pointing' : 'state.killed.workbench';
  const conflict = documents.conflict.value;
  return (
    <div class="bars">
      {lost && <BarNote tone="bad">{t('state.lost')}</BarNote>}
      {readOnly !== null && <BarNote tone="bad">{t('state.readonly', { why: refusalText(readOnly) })}</BarNote>}
      {off !== null && (
        <BarNote tone="warn">
          {t(word)} {off.reason !== '' && t('state.why', { why: off.reason })}
        </BarNote>
      )}
      {conflict !== null && (
        <BarNote
          tone="warn"
          actions={
            <>
              <Button small onClick={() => places.go('changes')}>
                {t('state.outside.compare')}
              </Button>
              <Button small onClick={() => void documents.sync('theirs')}>
                {t('state.outside.theirs')}
              </Button>
              <Button small onClick={() => void documents.sync('ours')}>
                {t('state.outside.mine')}
              </Button>
            </>
          }
        >
          {t('state.outside')}
        </BarNote>
      )}
    </div>
  );
}
