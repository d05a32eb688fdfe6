import { useState } from 'preact/hooks';
import { refusalOf } from '../../api/refusal';
import { number, refusalText, t } from '../../i18n';
import type { ListedChange, NoteFate } from '../../contract/types';
import { sizeOf, type Entry } from '../../lib/timeline';
import { byteLength } from '../../lib/utf16';
import { Button } from '../../ui/button';
import { Menu, type MenuItem } from '../../ui/menu';
import { Num } from '../../ui/states';
import { useApp } from '../context';
import { flagText } from '../flags';
import { saveAs } from '../save';
import { Looks } from '../looks/Looks';
import { timeText } from '../when';
import { sentence } from './say';

/** A version as a card: what happened, how large it was, what became of each note, and the way back. */
export function Card({ entry, inFold, onOpen }: { entry: Entry; inFold: boolean; onOpen: () => void }) {
  const { changes, documents } = useApp();
  const { version, change } = entry;
  const what = sentence(version, change, changes.changes.value, documents.current.value?.name ?? '');
  const selected = change !== null && changes.selected.value === change.id;
  const isHead = version.generation === documents.generation.value;
  const taken = change !== null && !change.inForce;
  const open = () => {
    if (change === null) return;
    onOpen();
    void changes.open(change.id);
  };
  return (
    <li
      class={['change', selected && 'selected', taken && 'taken', inFold && 'in-fold'].filter(Boolean).join(' ')}
      data-generation={version.generation}
    >
      {change === null ? (
        <p class="what">{what}</p>
      ) : (
        <button type="button" class="what" aria-current={selected ? 'true' : undefined} onClick={open}>
          {what}
        </button>
      )}
      <p class="meta">
        <span>{t('changes.version', { n: version.generation })}</span>
        {isHead && <span class="tag">{t('changes.head')}</span>}
        {version.name !== undefined && <span class="tag name">{version.name}</span>}
        {taken && <span class="tag">{t('changes.takenback')}</span>}
        <time dateTime={version.at}>{timeText(version.at)}</time>
      </p>
      {change !== null && <Looks generation={version.generation} />}
      {change !== null && <Proof change={change} />}
      {change !== null && selected && <Notes change={change} />}
      <div class="actions">
        {change !== null && (
          <Button
            small
            icon="undo"
            label={t('changes.undo.this', { what })}
            disabled={taken || changes.working.value !== null}
            onClick={() => void changes.undo(change.id)}
          >
            {t('common.undo')}
          </Button>
        )}
        {change !== null && !selected && (
          <Button small kind="quiet" label={t('changes.open.this', { what })} onClick={open}>
            {t('common.open')}
          </Button>
        )}
        <More entry={entry} isHead={isHead} />
      </div>
    </li>
  );
}

function Proof({ change }: { change: ListedChange }) {
  const size = sizeOf(change.edits, byteLength);
  return (
    <p class="proof">
      <span>{t('changes.size', { inserted: size.inserted, removed: size.removed, places: size.places })}</span>
      {' · '}
      <span title={t('changes.checked')}>{t('changes.outside')}</span>
    </p>
  );
}

function Notes({ change }: { change: ListedChange }) {
  const list = change.notes ?? [];
  if (list.length === 0 && (change.flags ?? []).length === 0) return null;
  return (
    <>
      {list.length > 0 && (
        <ul class="change-notes" aria-label={t('changes.notes')}>
          {list.map((n) => (
            <Note key={n.order} note={n} change={change} alone={list.length === 1} />
          ))}
        </ul>
      )}
      {(change.flags ?? []).length > 0 && (
        <p class="flags">
          {t('changes.flags', { flags: (change.flags ?? []).map((f) => flagText(f.kind, f.detail)).join(', ') })}
        </p>
      )}
    </>
  );
}

function Note({ note, change, alone }: { note: NoteFate; change: ListedChange; alone: boolean }) {
  const { changes, places } = useApp();
  const thread = `order:${note.order}`;
  const lit = places.activeNote.value === thread;
  const joint = (change.edits ?? []).some((e) => (e.notes?.length ?? 0) > 1 && e.notes?.includes(note.order));
  const out = note.outcome === 'applied' && note.takenBackBy !== undefined;
  return (
    <li class={out ? 'out' : ''}>
      <button
        type="button"
        class="thread"
        aria-label={t('changes.note.light', { n: note.order })}
        aria-pressed={lit}
        onClick={() => (places.activeNote.value = lit ? null : thread)}
      >
        <Num n={note.order} lit={lit} />
      </button>
      <div class="grow">
        <p class="said">{note.instruction}</p>
        <p class="fate">
          {out ? t('changes.takenback') : t(`card.note.${note.outcome}`)}
          {note.edits > 0 &&
            ` · ${t('changes.note.edits', { n: note.edits })} +${number(note.inserted)} −${number(note.removed)}`}
          {note.reason !== undefined && note.reason !== '' && ` · ${note.reason}`}
          {joint && ` · ${t('changes.note.joint')}`}
        </p>
      </div>
      {!alone && !joint && note.edits > 0 && !out && (
        <Button
          small
          kind="quiet"
          icon="undo"
          label={t('changes.note.undo', { n: note.order })}
          disabled={changes.working.value !== null}
          onClick={() => void changes.undo(change.id, note.order)}
        />
      )}
    </li>
  );
}

function More({ entry, isHead }: { entry: Entry; isHead: boolean }) {
  const { changes, documents, places, status, desktop } = useApp();
  const [naming, setNaming] = useState(false);
  const { version, change } = entry;
  const n = version.generation;
  const download = async () => {
    const name = nameOf(documents.current.value?.name ?? 'page.html', n, isHead);
    try {
      if (await saveAs(() => changes.bytes(version), name, desktop)) status.say(t('saved.as', { name }), 'good');
    } catch (e) {
      status.say(refusalText(refusalOf(e)), 'bad');
    }
  };
  const items: MenuItem[] = [
    { id: 'restore', label: t('changes.restore'), disabled: isHead, run: () => void changes.restore(version) },
    {
      id: 'compare',
      label: t('changes.compare.head'),
      disabled: isHead,
      run: () => void changes.compare(n, documents.generation.value),
    },
    {
      id: 'name',
      label: version.name === undefined ? t('changes.name') : t('changes.rename'),
      rule: true,
      run: () => setNaming(true),
    },
    {
      id: 'download',
      label: t('changes.download'),
      run: () => void download(),
    },
  ];
  if (version.name !== undefined) {
    items.splice(3, 0, { id: 'unname', label: t('changes.unname'), run: () => void changes.name(n, '') });
  }
  const at = change?.edits?.[0]?.span[0];
  if (isHead && at !== undefined) {
    items.push({ id: 'source', label: t('changes.source'), run: () => places.showSource([at, at]) });
  }
  if (naming) return <Naming entry={entry} onEnd={() => setNaming(false)} />;
  return (
    <Menu
      align="end"
      label={t('changes.actions', { n })}
      button={{ icon: 'more', small: true, kind: 'quiet', label: t('changes.actions', { n }) }}
      items={items}
    />
  );
}

function Naming({ entry, onEnd }: { entry: Entry; onEnd: () => void }) {
  const { changes } = useApp();
  const n = entry.version.generation;
  const [name, setName] = useState(entry.version.name ?? '');
  const taken = changes.taken.value;
  const done = (move: boolean) =>
    void changes.name(n, name, move).then((ok) => {
      if (ok) onEnd();
    });
  const leave = () => {
    changes.taken.value = null;
    onEnd();
  };
  return (
    <form
      class="naming"
      onSubmit={(e) => {
        e.preventDefault();
        done(false);
      }}
      onKeyDown={(e) => {
        if (e.key === 'Escape' && !e.isComposing) {
          e.stopPropagation();
          leave();
        }
      }}
    >
      <input
        class="input"
        aria-label={t('changes.name.label', { n })}
        value={name}
        maxLength={100}
        ref={(el) => el?.focus()}
        onInput={(e) => setName(e.currentTarget.value)}
      />
      <Button small kind="primary" type="submit">
        {t('common.save')}
      </Button>
      <Button small onClick={leave}>
        {t('common.cancel')}
      </Button>
      {taken?.generation === n && (
        <p role="alert">
          {t('changes.name.taken', { n: taken.has })}{' '}
          <Button small onClick={() => done(true)}>
            {t('changes.name.move')}
          </Button>
        </p>
      )}
    </form>
  );
}

/** "page.v3.html": an older version is not to be taken for the page. */
export function nameOf(file: string, generation: number, isHead: boolean): string {
  if (isHead) return file;
  const dot = file.lastIndexOf('.');
  return dot <= 0 ? `${file}.v${generation}` : `${file.slice(0, dot)}.v${generation}${file.slice(dot)}`;
}
