import { useState } from 'preact/hooks';
import type { Host } from '../../api/host';
import { refusalOf } from '../../api/refusal';
import { refusalText, t } from '../../i18n';
import { Button } from '../../ui/button';

/** A plain browser has no token until a person types the code of the terminal. */
export function Pair({ host, onPaired }: { host: Host; onPaired: () => void }) {
  const [code, setCode] = useState('');
  const [message, setMessage] = useState('');
  const [busy, setBusy] = useState(false);
  const pair = async () => {
    setBusy(true);
    try {
      await host.pair(code);
      onPaired();
    } catch (e) {
      const r = refusalOf(e);
      setMessage(r.status === 401 || r.status === 403 ? t('pair.wrong') : refusalText(r));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="pair" aria-label={t('pair.title')}>
      <h1>{t('pair.title')}</h1>
      <p>{t('pair.text')}</p>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void pair();
        }}
      >
        <label class="field">
          <span>{t('pair.code')}</span>
          <input
            class="input mono"
            value={code}
            autofocus
            spellcheck={false}
            autocomplete="off"
            aria-describedby="pair-message"
            onInput={(e) => setCode(e.currentTarget.value)}
          />
        </label>
        <Button type="submit" kind="primary" disabled={code.trim() === '' || busy}>
          {t('pair.go')}
        </Button>
      </form>
      <p id="pair-message" class="message" role="alert">
        {message}
      </p>
    </section>
  );
}
