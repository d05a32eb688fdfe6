import { t } from '../../i18n';
import { canAllow } from '../../lib/origins';
import { lackOf } from '../../state/pick';
import { Button } from '../../ui/button';
import { useCalm } from '../../ui/calm';
import { BarNote } from '../../ui/states';
import { useApp } from '../context';

/** What the page asked for and did not get. Quiet, and only as long as nobody has said a word about it. */
export function PageBars() {
  const { preview, host, features } = useApp();
  const origins = preview.origins.value;
  // Only what is named is allowed, and only what can be: the page chooses both the names and the time.
  const named = [...origins.filter(canAllow), ...origins.filter((o) => !canAllow(o))].slice(0, mostNamed);
  const allowable = named.filter(canAllow);
  const calm = useCalm(origins.length > 0 ? named.join(' ') : null);
  const missing = preview.missing.value;
  const lack = lackOf(host);
  return (
    <div class="page-bars">
      {origins.length > 0 && (
        <BarNote
          actions={
            <>
              {allowable.length > 0 && (
                <Button small disabled={!calm} onClick={() => void preview.allow(allowable)}>
                  {t('origins.allow')}
                </Button>
              )}
              <Button small onClick={() => preview.stayOffline()}>
                {t('origins.stay')}
              </Button>
            </>
          }
        >
          {t('origins.bar', { n: origins.length, origins: short(origins, named) })}
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
      {lack !== null && (host.kind === 'desktop' || features.annotations.value === null) && <BarNote>{lack}</BarNote>}
    </div>
  );
}

/** Names in one bar; those that are left come up when these are answered. */
const mostNamed = 12;

function short(list: readonly string[], named: readonly string[] = list.slice(0, 3)): string {
  const shown = named.map((s) => s.replace(/^https:\/\//, ''));
  return list.length > shown.length ? `${shown.join(', ')} … +${list.length - shown.length}` : shown.join(', ');
}
