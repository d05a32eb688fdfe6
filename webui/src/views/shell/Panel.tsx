import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../i18n';
import { useCover } from '../../ui/cover';
import { Splitter } from '../../ui/splitter';
import { useApp } from '../context';
import { Notes } from '../notes/Notes';
import { Talk } from '../talk/Talk';

/** Bounds of the panel, CSS pixels. */
const panelMin = 280;
const panelMax = 640;

/** The right panel: the notes, and the conversation they lead to. */
export function Panel() {
  const { preferences, places } = useApp();
  const panel = useRef<HTMLElement>(null);
  const drawer = places.drawer.value;
  useCover(panel, drawer);
  useEffect(() => {
    if (!drawer) return;
    // What lies under the drawer is there to be pressed: the press shows it again.
    const main = panel.current?.parentElement?.querySelector('main');
    const close = () => (places.drawer.value = false);
    main?.addEventListener('pointerdown', close);
    return () => main?.removeEventListener('pointerdown', close);
  }, [drawer]);
  return (
    <aside
      ref={panel}
      class="panel"
      aria-label={t('bar.panel')}
      style={{ '--panel': `${preferences.panel.value}px` }}
      onKeyDown={(e) => {
        if (e.key === 'Escape' && places.drawer.value && !e.isComposing) places.drawer.value = false;
      }}
    >
      <Splitter
        label={t('split.label')}
        value={preferences.panel.value}
        min={panelMin}
        max={panelMax}
        onChange={(px) => preferences.set('panel', px)}
      />
      <Notes />
      <Talk />
    </aside>
  );
}
