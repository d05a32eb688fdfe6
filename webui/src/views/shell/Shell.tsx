import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../i18n';
import { useCover } from '../../ui/cover';
import { setFocusHome } from '../../ui/focus';
import { useApp } from '../context';
import { lazy } from '../lazy';
import { PageView } from '../page/PageView';
import { Panel } from './Panel';
import { Bar } from './Bar';
import { Bars } from './Bars';
import { OpenDialog, OpenScreen } from './Open';
import { Pair } from './Pair';
import { StatusBar } from './StatusBar';
import './shell.css';

const SourceView = lazy(async () => (await import('../source/SourceView')).SourceView);
const ChangesView = lazy(async () => (await import('../changes/ChangesView')).ChangesView);
const ReviewView = lazy(async () => (await import('../review/ReviewView')).ReviewView);
const LooksDialog = lazy(async () => (await import('../looks/LooksDialog')).LooksDialog);
const Palette = lazy(async () => (await import('../palette/Palette')).Palette);

/** One window: the bar, the place, the panel, the status line, and what floats above. */
export function Shell() {
  const app = useApp();
  const { places, documents, preferences } = app;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    setFocusHome(main.current);
    return () => setFocusHome(null);
  }, []);

  const open = documents.id.value !== null;
  const place = places.place.value;
  const reviewing = places.review.value !== null;
  const floating = places.palette.value || places.sheet.value;
  return (
    <div
      class={['shell', places.drawer.value && 'drawer-open', app.pick.mode.value && 'pointing-mode']
        .filter(Boolean)
        .join(' ')}
    >
      <Bar />
      <Bars />
      <div class="middle">
        <main ref={main} id="place" tabIndex={-1} aria-label={open ? t(`place.${place}`) : t('open.title')}>
          {!open && <OpenScreen />}
          {/* The page stays where it is: its scroll, its scripts and its selection outlive a look at the source. */}
          {open && (
            <div class="place" hidden={place !== 'page'} inert={reviewing || place !== 'page'}>
              <PageView />
            </div>
          )}
          {open && place === 'source' && (
            <div class="place" inert={reviewing}>
              <SourceView />
            </div>
          )}
          {open && place === 'changes' && (
            <div class="place" inert={reviewing}>
              <ChangesView />
            </div>
          )}
          {open && reviewing && (
            <div class="place over">
              <ReviewView />
            </div>
          )}
        </main>
        {open && preferences.panelOpen.value && <Panel />}
      </div>
      <StatusBar />
      {places.opening.value && open && <OpenDialog />}
      {floating && <Palette />}
      {app.looks.compared.value !== null && <LooksDialog />}
      {places.unpaired.value && <PairAgain />}
    </div>
  );
}

function PairAgain() {
  const { host, places, features } = useApp();
  const back = useRef<HTMLDivElement>(null);
  useCover(back);
  return (
    <div ref={back} class="dialog-back">
      <div class="dialog" role="dialog" aria-modal="true" aria-label={t('pair.title')}>
        <Pair
          host={host}
          onPaired={() => {
            places.unpaired.value = false;
            void features.load();
          }}
        />
      </div>
    </div>
  );
}
