import { t, type Word } from '../../i18n';
import { Dialog } from '../../ui/dialog';
import { useApp } from '../context';

/** What the page reports. Its texts are the page's: data, shown as they are. */
export function Console({ onClose }: { onClose: () => void }) {
  const { preview } = useApp();
  const m = preview.messages.value;
  const groups: [Word, readonly string[]][] = [
    ['console.errors', m?.errors ?? []],
    ['console.missing', m?.missing ?? []],
    ['console.said', m?.console ?? []],
  ];
  const none = groups.every(([, list]) => list.length === 0);
  return (
    <Dialog title={t('console.title')} closeLabel={t('common.close')} wide onClose={onClose}>
      {none && <p>{t('console.none')}</p>}
      {groups.map(
        ([word, list]) =>
          list.length > 0 && (
            <section key={word} class="console-group">
              <h3>{t(word)}</h3>
              <ul tabIndex={0} aria-label={t(word)}>
                {list.map((text, i) => (
                  <li key={i} class="mono">
                    {text}
                  </li>
                ))}
              </ul>
            </section>
          ),
      )}
      {(m?.dropped ?? 0) > 0 && <p>{t('console.dropped', { n: m?.dropped ?? 0 })}</p>}
    </Dialog>
  );
}
