import { useState } from 'preact/hooks';
import { t } from '../../i18n';
import { widths, zooms } from '../../state/preview';
import { Button } from '../../ui/button';
import { Menu } from '../../ui/menu';
import { useApp } from '../context';
import { reload } from './actions';
import { Console } from './Console';
import { PickTools } from './PickTools';

/** The page's tools in the bar: pointing, width, zoom, reload, what the page reports. */
export function PageTools() {
  const app = useApp();
  const { preview, pick, actions, places } = app;
  const [console, setConsole] = useState(false);
  const pointing = pick.mode.value;
  const width = preview.width.value;
  const zoom = preview.zoom.value;
  const messages = preview.messageCount.value;
  return (
    <>
      {pointing && <PickTools />}
      <Button
        icon="point"
        class="point"
        pressed={pointing}
        refused={pick.why.value ?? undefined}
        onClick={() => void pick.toggle()}
      >
        {t(pointing ? 'bar.pointing' : 'bar.point')}
        <kbd>{actions.keyName('page.point')}</kbd>
      </Button>
      {!pointing && places.place.value === 'page' && (
        <>
          {messages > 0 && (
            <Button
              icon="console"
              kind="quiet"
              label={t('console.badge', { n: messages })}
              hasPopup="dialog"
              onClick={() => {
                setConsole(true);
                void preview.loadMessages();
              }}
            >
              {messages}
            </Button>
          )}
          <Menu
            label={t('bar.width')}
            align="end"
            button={{
              kind: 'quiet',
              icon: 'caret',
              class: 'reverse wide-only',
              label: `${t('bar.width')}: ${width === 'fit' ? t('bar.fit') : String(width)}`,
              children: width === 'fit' ? t('bar.fit') : String(width),
            }}
            items={(['fit', ...widths] as const).map((w) => ({
              id: String(w),
              label: w === 'fit' ? t('bar.fit') : `${w} px`,
              checked: w === width,
              run: () => {
                preview.width.value = w;
              },
            }))}
          />
          <Menu
            label={t('bar.zoom')}
            align="end"
            button={{
              kind: 'quiet',
              icon: 'caret',
              class: 'reverse wide-only',
              label: `${t('bar.zoom')}: ${Math.round(zoom * 100)} %`,
              children: `${Math.round(zoom * 100)} %`,
            }}
            items={zooms.map((z) => ({
              id: String(z),
              label: `${Math.round(z * 100)} %`,
              checked: z === zoom,
              run: () => {
                preview.zoom.value = z;
              },
            }))}
          />
          <Button
            icon="reload"
            kind="quiet"
            label={t('bar.reload')}
            keyName={actions.keyName('page.reload')}
            disabled={preview.busy.value}
            onClick={() => void reload(app)}
          />
        </>
      )}
      {console && <Console onClose={() => setConsole(false)} />}
    </>
  );
}
