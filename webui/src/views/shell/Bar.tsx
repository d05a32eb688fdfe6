import { t } from '../../i18n';
import type { Place } from '../../state/places';
import { Button } from '../../ui/button';
import { Tabs } from '../../ui/tabs';
import { useApp } from '../context';
import { MainMenu } from './MainMenu';
import { togglePanel } from './panel';
import { PageTools } from '../page/PageTools';

const order: readonly Place[] = ['page', 'source', 'changes'];

export function Bar() {
  const app = useApp();
  const { documents, places, preferences, actions, source } = app;
  const doc = documents.current.value;
  return (
    <header class="bar" aria-label={t('bar.label')}>
      <div class="title">
        {doc === null ? (
          <h1>{t('app.name')}</h1>
        ) : (
          <>
            <h1>
              <button
                type="button"
                class="doc"
                title={`${t('bar.documents')}\n${doc.path}`}
                onClick={() => {
                  places.opening.value = true;
                }}
              >
                {doc.name}
              </button>
            </h1>
            {source.unsaved.value && (
              <span class="unsaved" role="img" aria-label={t('source.unsaved')} title={t('source.unsaved')} />
            )}
            <span class="saved">
              {t(doc.ahead ? 'bar.ahead' : 'bar.saved')} · {t('bar.version', { n: doc.generation })}
            </span>
          </>
        )}
      </div>
      {doc !== null && (
        <Tabs
          label={t('place.label')}
          controls="place"
          value={places.place.value}
          onChange={(p) => places.go(p)}
          tabs={order.map((id) => ({ id, label: t(`place.${id}`), keyName: actions.keyName(`view.${id}`) }))}
        />
      )}
      <div class="tools">
        {doc !== null && <PageTools />}
        {doc !== null && (
          <Button
            icon="panel"
            kind="quiet"
            label={t('bar.panel')}
            pressed={preferences.panelOpen.value}
            onClick={() => togglePanel(app)}
          />
        )}
        <MainMenu />
      </div>
    </header>
  );
}
