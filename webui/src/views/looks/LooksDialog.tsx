import { useState } from 'preact/hooks';
import { t } from '../../i18n';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { useApp } from '../context';
import { Pictures, type PictureView } from '../review/Pictures';
import '../review/review.css';
import './looks.css';

const views: readonly PictureView[] = ['slider', 'sides', 'difference'];

/** The page before and after a version, in large, as in the review of a change. */
export function LooksDialog() {
  const { looks } = useApp();
  const [view, setView] = useState<PictureView>('slider');
  const compared = looks.compared.value;
  if (compared === null) return null;
  return (
    <Dialog
      class="looks-dialog"
      title={t('looks.title', { n: compared.generation })}
      closeLabel={t('common.close')}
      onClose={() => (looks.compared.value = null)}
    >
      <p class="what">{t('looks.what')}</p>
      <div class="review">
        <div class="look">
          <div class="views" role="group" aria-label={t('review.views')}>
            {views.map((v) => (
              <Button key={v} small pressed={v === view} onClick={() => setView(v)}>
                {t(`review.view.${v}`)}
              </Button>
            ))}
          </div>
          <Pictures pictures={compared.pictures} view={view} />
        </div>
      </div>
    </Dialog>
  );
}
