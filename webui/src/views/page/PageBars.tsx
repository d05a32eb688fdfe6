import { t } from '../../i18n';
import { Button } from '../../ui/button';
import { BarNote } from '../../ui/states';
import { useApp } from '../context';

/** What the page asked for and did not get. Quiet, and only as long as nobody has said a word about it. */
export function PageBars() {
  const { preview, host } = useApp();
  const origins = preview.origins.value;
  const missing = preview.missing.value;
  return (
    <div class="page-bars">
      {origins.length > 0 && (
        <BarNote
          actions={
            <>
              <Button small onClick={() => void preview.allow()}>
                {t('origins.allow')}
              </Button>
              <Button small onClick={() => preview.stayOffline()}>
                {t('origins.stay')}
              </Button>
            </>
          }
        >
          {t('origins.bar', { n: origins.length, origins: short(origins) })}
        </BarNote>
      )}
      {missing.length > 0 && <BarNote>{t('missing.bar', { n: missing.length, files: short(missing) })}</BarNote>}
      {preview.left.value && (
        <BarNote
          tone="warn"
          actions={
            <Button small onClick={() => void preview.reload()}>
              {t('page.left.again')}
            </Button>
          }
        >
          {t('page.left')}
        </BarNote>
      )}
      {!host.inWindow && <BarNote>{t('common.desktop')}</BarNote>}
    </div>
  );
}

function short(list: readonly string[]): string {
  const shown = list.slice(0, 3).map((s) => s.replace(/^https?:\/\//, ''));
  return list.length > shown.length ? `${shown.join(', ')} … +${list.length - shown.length}` : shown.join(', ');
}
