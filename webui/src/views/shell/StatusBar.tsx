import { t } from '../../i18n';
import { Icon } from '../../ui/icons';
import { useApp } from '../context';

/** The status line: what the pointer stands on, or what happened last; and how things are. */
export function StatusBar() {
  const { status, features } = useApp();
  const line = status.line.value;
  const alive = features.alive.value;
  return (
    <footer class="statusbar" aria-label={t('status.label')}>
      <span
        class={`line ${line?.tone ?? 'plain'}`}
        role="status"
        aria-live={status.hover.value === null ? 'polite' : 'off'}
      >
        {line?.text}
      </span>
      <span class={alive ? 'end' : 'end bad'}>
        <Icon name={alive ? 'check' : 'warn'} />
        {alive ? t('status.ready') : t('refusal.no_gateway')}
      </span>
    </footer>
  );
}
