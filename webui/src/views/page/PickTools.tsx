import { useState } from 'preact/hooks';
import type { Pick } from '../../contract/types';
import { refusalText, t } from '../../i18n';
import { Menu, type MenuItem } from '../../ui/menu';
import { useApp } from '../context';

/** While one points: what lies under the pointer, and pointing by name. */
export function PickTools() {
  const { pick, preview } = useApp();
  const [name, setName] = useState('');
  const count = pick.selection.value.length;
  return (
    <>
      {count > 0 && <span class="selected">{t('pick.selected', { n: count })}</span>}
      <UnderMenu />
      <form
        class="by-name"
        onSubmit={(e) => {
          e.preventDefault();
          if (name.trim() === '') return;
          void pick.at(name.trim(), count > 0 && pick.adding.value).then((p) => {
            if (p === null) return;
            setName('');
            if (p.refusal === undefined) pick.write();
          });
        }}
      >
        <input
          class="input mono"
          aria-label={t('pick.at')}
          title={t('pick.at')}
          placeholder={t('pick.at.hint')}
          value={name}
          disabled={preview.phase.value !== 'shown'}
          spellcheck={false}
          autocomplete="off"
          onInput={(e) => setName(e.currentTarget.value)}
        />
      </form>
    </>
  );
}

function UnderMenu() {
  const { pick } = useApp();
  const under = pick.under.value;
  const item = (p: Pick, i: number, group: 'stack' | 'chain'): MenuItem => ({
    id: `${group}-${i}`,
    label: p.tag ?? p.name,
    ...(i === 0 && { group: t(group === 'stack' ? 'pick.under.stack' : 'pick.under.chain') }),
    ...(p.refusal !== undefined && { note: refusalText(p.refusal) }),
    run: () => pick.take(p, false),
  });
  const items =
    under === null
      ? []
      : [...under.stack.map((p, i) => item(p, i, 'stack')), ...under.chain.map((p, i) => item(p, i, 'chain'))];
  return (
    <Menu
      label={t('pick.under')}
      align="end"
      button={{
        icon: 'layers',
        kind: 'quiet',
        label: t('pick.under'),
        disabled: pick.cursor.value === null,
      }}
      items={
        items.length > 0 ? items : [{ id: 'loading', label: t('page.looking'), disabled: true, run: () => undefined }]
      }
      onOpen={() => void pick.loadUnder()}
    />
  );
}
