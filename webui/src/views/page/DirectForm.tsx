import { useEffect, useRef, useState } from 'preact/hooks';
import type { DirectDo, Pick } from '../../contract/types';
import { refusalText, t, type Word } from '../../i18n';
import { needs } from '../../state/direct';
import { Button } from '../../ui/button';
import { Progress } from '../../ui/states';
import { useApp } from '../context';
import { flagWord } from '../talk/flags';

const order: readonly [DirectDo, Word][] = [
  ['text', 'direct.text'],
  ['style', 'direct.style'],
  ['attribute', 'direct.attribute'],
  ['removeAttribute', 'direct.removeAttribute'],
  ['addClass', 'direct.addClass'],
  ['removeClass', 'direct.removeClass'],
  ['duplicate', 'direct.duplicate'],
  ['up', 'direct.up'],
  ['down', 'direct.down'],
  ['remove', 'direct.remove'],
];

/** Edits that need no model: tried, looked at, and made one version. */
export function DirectForm({ targets, onDone }: { targets: readonly Pick[]; onDone: () => void }) {
  const { direct, preview } = useApp();
  const [what, setWhat] = useState<DirectDo>('text');
  const [name, setName] = useState('');
  const [value, setValue] = useState(() => targets[0]?.text ?? '');
  // Other targets: what was refused for the old ones is over.
  useEffect(() => direct.reset(), []);
  // It stands before the button that opened it, where the next Tab would not come.
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => first.current?.focus(), []);
  const need = needs[what];
  const apply = async () => {
    const id = preview.id.value;
    if (id === null) return;
    if (await direct.run(id, what, name, need.value ? value : '', targets)) onDone();
  };
  const flags = direct.flags.value;
  return (
    <form
      class="direct"
      aria-label={t('say.direct')}
      onSubmit={(e) => {
        e.preventDefault();
        void apply();
      }}
    >
      <label class="field">
        <span>{t('direct.what')}</span>
        <select
          ref={first}
          class="select"
          value={what}
          onChange={(e) => {
            setWhat(e.currentTarget.value as DirectDo);
            setValue(e.currentTarget.value === 'text' ? (targets[0]?.text ?? '') : '');
            direct.reset();
          }}
        >
          {order.map(([id, word]) => (
            <option key={id} value={id}>
              {t(word)}
            </option>
          ))}
        </select>
      </label>
      {need.name && (
        <label class="field">
          <span>{t('direct.name')}</span>
          <input
            class="input mono"
            value={name}
            placeholder={what === 'style' ? 'color' : 'title'}
            spellcheck={false}
            autocomplete="off"
            onInput={(e) => setName(e.currentTarget.value)}
          />
        </label>
      )}
      {need.value && (
        <label class="field grow">
          <span>{t(what === 'text' ? 'direct.text' : 'direct.value')}</span>
          <input
            class="input"
            value={value}
            autocomplete="off"
            spellcheck={what === 'text'}
            onInput={(e) => setValue(e.currentTarget.value)}
          />
        </label>
      )}
      {flags === null && (
        <Button
          small
          type="submit"
          kind={what === 'remove' ? 'loss' : 'plain'}
          disabled={direct.working.value || (need.name && name.trim() === '')}
        >
          {t('direct.apply')}
        </Button>
      )}
      {direct.working.value && <Progress>{t('direct.working')}</Progress>}
      {flags !== null && (
        <div class="flags" role="alert">
          <p>{t('direct.flags')}</p>
          <ul>
            {flags.map((f, i) => (
              <li key={i}>
                {flagWord(f.kind)} <code>{f.detail}</code>
              </li>
            ))}
          </ul>
          <Button small onClick={() => void direct.approve().then((done) => done && onDone())}>
            {t('direct.approve')}
          </Button>
        </div>
      )}
      {direct.refusal.value !== null && flags === null && (
        <p class="message" role="alert">
          {refusalText(direct.refusal.value)} {direct.refusal.value.hint}
        </p>
      )}
    </form>
  );
}
