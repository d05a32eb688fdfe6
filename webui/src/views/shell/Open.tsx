import { useEffect, useRef, useState } from 'preact/hooks';
import { refusalText, t } from '../../i18n';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icons';
import { Progress } from '../../ui/states';
import { useApp } from '../context';

/** Nothing is open: what to do, and what was open before. */
export function OpenScreen() {
  return (
    <div class="open-screen">
      <h2 class="big">{t('open.title')}</h2>
      <p class="begin">{t('open.begin')}</p>
      <OpenForm />
    </div>
  );
}

export function OpenDialog() {
  const { places } = useApp();
  const close = () => {
    places.opening.value = false;
  };
  return (
    <Dialog title={t('open.title')} closeLabel={t('common.close')} onClose={close}>
      <OpenForm onOpened={close} />
    </Dialog>
  );
}

function OpenForm({ onOpened }: { onOpened?: () => void }) {
  const { documents, desktop } = useApp();
  const [path, setPath] = useState('');
  const [note, setNote] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    (choose.current ?? input.current)?.focus();
    void documents.loadRecent().catch(() => undefined);
  }, []);

  const open = async (wanted: string) => {
    const p = wanted.trim().replace(/^["']|["']$/g, '');
    if (!/^(\/|[A-Za-z]:[\\/]|\\\\)/.test(p)) {
      setNote(t('open.absolute'));
      return;
    }
    setNote('');
    if (await documents.open(p)) onOpened?.();
  };

  const refusal = documents.refusal.value;
  const message = note !== '' ? note : refusal === null ? '' : [refusalText(refusal), refusal.hint].join(' ').trim();
  return (
    <div
      class="open-form"
      onDragOver={(e) => {
        if (desktop === null) e.preventDefault();
      }}
      onDrop={(e) => {
        // The app takes it, wherever in the window it is dropped.
        if (desktop !== null) return;
        e.preventDefault();
        const text = e.dataTransfer?.getData('text/uri-list') ?? '';
        if (text.startsWith('file://')) void open(decodeURIComponent(text.trim().slice('file://'.length)));
        else setNote(t('open.drop'));
      }}
    >
      {desktop !== null && (
        <Button buttonRef={choose} class="choose" icon="open" kind="primary" onClick={() => desktop.openDialog()}>
          {t('open.choose')}
        </Button>
      )}
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void open(path);
        }}
      >
        <label class="field">
          <span>{t('open.path')}</span>
          <input
            ref={input}
            class="input mono"
            data-autofocus
            value={path}
            placeholder={t('open.path.hint')}
            spellcheck={false}
            autocomplete="off"
            aria-describedby="open-message"
            onInput={(e) => setPath(e.currentTarget.value)}
          />
        </label>
        <Button
          type="submit"
          kind={desktop === null ? 'primary' : 'plain'}
          disabled={path.trim() === '' || documents.opening.value}
        >
          {t('open.go')}
        </Button>
      </form>
      <p id="open-message" class="message" role="alert">
        {message}
      </p>
      {documents.opening.value && <Progress>{t('state.loading')}</Progress>}
      <h2 id="recent">{t('open.recent')}</h2>
      {documents.recent.value.length === 0 && <p class="none">{t('open.none')}</p>}
      <ul class="recent" aria-labelledby="recent">
        {documents.recent.value.map((doc) => (
          <li key={doc.id}>
            <button type="button" class="row" onClick={() => void open(doc.path)}>
              <Icon name="code" />
              <span class="name">{doc.name}</span>
              <span class="path mono" title={doc.path}>
                {doc.path}
              </span>
              <span class="version">{t('bar.version', { n: doc.generation })}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
