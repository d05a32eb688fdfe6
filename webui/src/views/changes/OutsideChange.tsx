import { t } from '../../i18n';
import { Button } from '../../ui/button';
import { State } from '../../ui/states';
import { useApp } from '../context';
import { Join } from '../source/Join';

/** The file and the newest version both changed: a three-way view of where they differ. */
export function OutsideChange() {
  const { outside, documents } = useApp();
  const c = outside.comparison.value;
  if (c === null) return null;
  const n = c.generation;
  if (c.merge.conflicts.length === 0) {
    return (
      <State>
        <p>{t('state.outside')}</p>
        <p>{t('outside.none', { n })}</p>
        <div class="outside-actions">
          <Button kind="primary" disabled={outside.working.value} onClick={() => void outside.join([])}>
            {t('outside.merge')}
          </Button>
          <Button onClick={() => void documents.sync('theirs')}>{t('state.outside.theirs')}</Button>
          <Button onClick={() => void documents.sync('ours')}>{t('state.outside.mine')}</Button>
          <Button kind="quiet" onClick={() => (outside.comparison.value = null)}>
            {t('join.leave')}
          </Button>
        </div>
      </State>
    );
  }
  return (
    <Join
      conflicts={c.merge.conflicts}
      why={t('join.why.file', { n, m: c.merge.conflicts.length })}
      theirs={t('join.theirs.file')}
      mine={t('join.mine.version', { n })}
      takeTheirs={t('state.outside.theirs')}
      takeMine={t('join.take.version', { n })}
      onSave={(choices) => void outside.join(choices)}
      onLeave={() => (outside.comparison.value = null)}
    />
  );
}
