import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { useCover } from '../../ui/cover';
import { focusOr } from '../../ui/focus';
import { useApp } from '../context';
import { entries, find, type Match } from './entries';
import { laterActions } from './later';
import { ShortcutSheet } from './ShortcutSheet';
import './palette.css';

/** What floats above all: everything one can do and go to, by a few letters; and the keys. */
export function Palette() {
  const { places, actions } = useApp();
  useEffect(() => actions.register(...laterActions), []);
  return (
    <>
      {places.sheet.value && <ShortcutSheet />}
      {places.palette.value && <Finder />}
    </>
  );
}

function Finder() {
  const app = useApp();
  const { places, changes, documents } = app;
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const before = useRef<Element | null>(null);
  const back = useRef<HTMLDivElement>(null);
  useCover(back);
  const id = useId();

  useEffect(() => {
    before.current = document.activeElement;
    input.current?.focus();
    if (documents.id.value !== null) void changes.load();
    void documents.loadRecent().catch(() => undefined);
    return () => {
      places.palette.value = false;
      focusOr(before.current);
    };
  }, []);

  const all = entries(app);
  const found = useMemo(() => find(all, query), [query, all.map((e) => e.id + e.label).join('\n')]);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, found]);

  const close = () => (places.palette.value = false);
  const run = (m: Match | undefined) => {
    if (m === undefined) return;
    close();
    // What has focus again is what the command is about.
    setTimeout(() => void m.run());
  };
  const onKey = (e: KeyboardEvent) => {
    if (e.isComposing) return;
    const last = found.length - 1;
    if (e.key === 'ArrowDown') setAt(chosen >= last ? 0 : chosen + 1);
    else if (e.key === 'ArrowUp') setAt(chosen <= 0 ? last : chosen - 1);
    else if (e.key === 'PageDown') setAt(Math.min(last, chosen + 8));
    else if (e.key === 'PageUp') setAt(Math.max(0, chosen - 8));
    else if (e.key === 'Enter') run(found[chosen]);
    else if (e.key === 'Escape') close();
    else if (e.key !== 'Tab') return;
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <div ref={back} class="dialog-back" onMouseDown={(e) => e.target === e.currentTarget && close()}>
      <div class="palette" role="dialog" aria-modal="true" aria-label={t('palette.label')} onKeyDown={onKey}>
        <input
          ref={input}
          class="palette-input"
          role="combobox"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length === 0 ? undefined : `${id}-${chosen}`}
          aria-label={t('palette.find')}
          placeholder={t('palette.find')}
          value={query}
          spellcheck={false}
          autocomplete="off"
          onInput={(e) => {
            setQuery(e.currentTarget.value);
            setAt(0);
          }}
        />
        <p class="sr" role="status">
          {found.length === 0 ? t('palette.none') : t('palette.count', { n: found.length })}
        </p>
        {found.length === 0 && <p class="palette-none">{t('palette.none')}</p>}
        <div
          class="palette-list"
          role="listbox"
          id={`${id}-list`}
          aria-label={t('palette.label')}
          ref={list}
          tabIndex={-1}
        >
          {found.map((m, i) => (
            <Row
              key={`${m.group} ${m.id}`}
              match={m}
              first={i === 0 || found[i - 1]?.group !== m.group}
              id={`${id}-${i}`}
              selected={i === chosen}
              onPoint={() => setAt(i)}
              onRun={() => run(m)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  match: Match;
  first: boolean;
  id: string;
  selected: boolean;
  onPoint: () => void;
  onRun: () => void;
}

function Row({ match, first, id, selected, onPoint, onRun }: RowProps) {
  return (
    <>
      {first && (
        <div class="palette-group" role="presentation">
          {t(`palette.group.${match.group}`)}
        </div>
      )}
      <div
        id={id}
        role="option"
        class="palette-row"
        aria-selected={selected}
        onMouseMove={selected ? undefined : onPoint}
        onMouseDown={(e) => e.preventDefault()}
        onClick={onRun}
      >
        <span class="grow">
          <Marked text={match.label} at={match.at} />
        </span>
        {match.aside !== '' &&
          (match.group === 'actions' ? <kbd class="kbd">{match.aside}</kbd> : <span class="aside">{match.aside}</span>)}
      </div>
    </>
  );
}

function Marked({ text, at }: { text: string; at: readonly number[] }) {
  if (at.length === 0) return <>{text}</>;
  const marks = new Set(at);
  const runs: { text: string; marked: boolean }[] = [];
  for (let i = 0; i < text.length; i++) {
    const marked = marks.has(i);
    const last = runs.at(-1);
    if (last?.marked === marked) last.text += text.charAt(i);
    else runs.push({ text: text.charAt(i), marked });
  }
  return <>{runs.map((r, i) => (r.marked ? <b key={i}>{r.text}</b> : r.text))}</>;
}
