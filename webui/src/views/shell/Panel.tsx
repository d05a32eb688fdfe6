import { t } from '../../i18n';
import { useApp } from '../context';
import { Notes } from '../notes/Notes';
import { Talk } from '../talk/Talk';

/** The right panel: the notes, and the conversation they lead to. */
export function Panel() {
  const { preferences, places } = useApp();
  return (
    <aside
      class="panel"
      aria-label={t('bar.panel')}
      style={{ '--panel': `${preferences.panel.value}px` }}
      onKeyDown={(e) => {
        if (e.key === 'Escape' && places.drawer.value && !e.isComposing) places.drawer.value = false;
      }}
    >
      <Notes />
      <Talk />
    </aside>
  );
}
