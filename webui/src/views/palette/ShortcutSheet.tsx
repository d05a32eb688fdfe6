import { useEffect, useState } from 'preact/hooks';
import { t } from '../../i18n';
import type { Action, ActionGroup } from '../../lib/actions';
import { isPlain, wordsOf } from '../../lib/keys';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Icon } from '../../ui/icons';
import { useApp } from '../context';
import { actionName } from './entries';

const groups: readonly ActionGroup[] = ['general', 'page', 'notes', 'source', 'changes', 'review'];

/** Every key, and a way to choose another one. */
export function ShortcutSheet() {
  const { actions, places } = useApp();
  const [listening, setListening] = useState<string | null>(null);
  useEffect(
    () => () => {
      actions.paused.value = false;
    },
    [],
  );
  const list = [...new Map(actions.list.value.map((a) => [a.id, a])).values()];
  const conflicts = actions.conflicts();
  const listen = (id: string | null) => {
    actions.paused.value = id !== null;
    setListening(id);
  };
  const changed = Object.keys(actions.bindings.value).length > 0;
  return (
    <Dialog
      title={t('keys.title')}
      closeLabel={t('common.close')}
      wide
      class="sheet"
      onClose={() => (places.sheet.value = false)}
    >
      <div class="sheet-head">
        <p>{t('keys.why')}</p>
        {changed && (
          <Button small onClick={() => actions.unbind()}>
            {t('keys.reset.all')}
          </Button>
        )}
      </div>
      <div class="sheet-groups">
        {groups.map((g) => {
          const of = list.filter((a) => a.group === g);
          if (of.length === 0) return null;
          return (
            <div key={g} role="group" class="sheet-group" aria-labelledby={`keys-${g}`}>
              <h3 id={`keys-${g}`}>{t(`keys.group.${g}`)}</h3>
              <ul>
                {of.map((a) => (
                  <Line
                    key={a.id}
                    action={a}
                    listening={listening === a.id}
                    others={othersOf(a, conflicts, list)}
                    onListen={listen}
                  />
                ))}
              </ul>
            </div>
          );
        })}
      </div>
    </Dialog>
  );
}

/** Names of the actions that would take a key from this one. */
function othersOf(a: Action, conflicts: readonly { ids: string[] }[], list: readonly Action[]): string[] {
  const ids = new Set(conflicts.filter((c) => c.ids.includes(a.id)).flatMap((c) => c.ids));
  ids.delete(a.id);
  return list.filter((x) => ids.has(x.id)).map((x) => actionName(x.title));
}

interface LineProps {
  action: Action;
  listening: boolean;
  others: string[];
  onListen: (id: string | null) => void;
}

function Line({ action, listening, others, onListen }: LineProps) {
  const { actions } = useApp();
  const { id } = action;
  const name = actionName(action.title);
  const keys = actions.keysOf(id);
  const shown = keys.map((k) => actions.nameOfKey(k)).join(', ');
  const isChanged = actions.bindings.value[id] !== undefined;
  const dead = action.inText === true && keys.some(isPlain);
  const onKey = (e: KeyboardEvent) => {
    if (!listening || e.isComposing) return;
    const words = wordsOf(e, actions.mac);
    if (words === 'tab' || words === 'shift+tab') {
      onListen(null);
      return;
    }
    e.preventDefault();
    e.stopPropagation();
    if (words === '' || e.repeat) return;
    if (words === 'backspace') actions.bind(id, null);
    else if (words !== 'esc') actions.bind(id, words);
    onListen(null);
  };
  return (
    <li>
      <span class="grow">{name}</span>
      {isChanged && !listening && (
        <Button
          small
          kind="quiet"
          icon="undo"
          label={t('keys.reset.of', { name })}
          onClick={() => actions.unbind(id)}
        />
      )}
      <button
        type="button"
        class={listening ? 'key listening' : 'key'}
        aria-label={
          listening ? t('keys.press') : t('keys.change', { name, key: shown === '' ? t('keys.none') : shown })
        }
        onClick={() => onListen(listening ? null : id)}
        onKeyDown={onKey}
        onBlur={() => listening && onListen(null)}
      >
        {listening ? t('keys.press') : shown === '' ? <span class="no">{t('keys.none')}</span> : shown}
      </button>
      {others.length > 0 && (
        <p class="key-conflict">
          <Icon name="warn" /> {t('keys.conflict', { key: shown, names: others.join(', ') })}
        </p>
      )}
      {dead && (
        <p class="key-conflict">
          <Icon name="warn" /> {t('keys.plain')}
        </p>
      )}
    </li>
  );
}
