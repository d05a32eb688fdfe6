import { useEffect, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { Button } from '../../ui/button';
import { useApp } from '../context';

/** The first minute: three hints on the sample page, each ticked off by doing it, gone for ever with one key. A strip stands above the page, in one line: it says the next one. */
export function Hints({ strip = false }: { strip?: boolean }) {
  const { preferences, documents, actions, pick, talk } = useApp();
  const [done, setDone] = useState(0);
  const path = documents.current.value?.path ?? '';
  const show = preferences.loaded.value && !preferences.hintsGone.value && isSample(path);

  const pointed = pick.selection.value.length > 0;
  const changed = talk.turns.value.some((v) => v.turn.value?.result?.status === 'applied');
  const source = documents.current.value?.head.source;
  const stage = source === 'revert' ? 3 : changed ? 2 : pointed ? 1 : 0;
  useEffect(() => {
    if (stage > done) setDone(stage);
  }, [stage]);
  useEffect(() => {
    if (show && done === 3) preferences.set('firstRun', true);
  }, [done, show]);

  if (!show) return null;
  const hints = [
    t('hint.1', { key: actions.keyName('page.point') }),
    t('hint.2', { key: actions.keyName('notes.send'), yes: actions.keyName('review.approve') || 'A' }),
    t('hint.3', { key: actions.keyName('changes.undo') }),
  ];
  return (
    <aside class={strip ? 'hints strip' : 'hints'} aria-label={t('hint.title')}>
      <h2 class={strip ? 'sr' : undefined}>{t('hint.title')}</h2>
      <ol>
        {hints.map((text, i) => (
          <li key={i} class={i < done ? 'done' : i === done ? 'now' : ''}>
            <span class={i <= done ? 'num lit' : 'num'}>{i < done ? '✓' : i + 1}</span>
            {strip && i !== done ? <span class="sr">{text}</span> : text}
          </li>
        ))}
      </ol>
      <Button small kind="quiet" onClick={() => preferences.set('firstRun', true)}>
        {t('hint.gone')} <kbd>{actions.keyName('page.hints')}</kbd>
      </Button>
    </aside>
  );
}

/** The page that `proofmark open` shows without a file. */
function isSample(path: string): boolean {
  return /[\\/]sample[\\/]landing[\\/]index\.html$/.test(path);
}
