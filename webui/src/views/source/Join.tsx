import { useEffect, useRef, useState } from 'preact/hooks';
import { number, t } from '../../i18n';
import { chosen, type Choice, type Conflict } from '../../lib/merge3';
import { Button } from '../../ui/button';
import './join.css';

export interface JoinProps {
  conflicts: readonly Conflict[];
  why: string;
  /** What the two sides are called. */
  theirs: string;
  mine: string;
  takeTheirs: string;
  takeMine: string;
  /** Joining without saving is offered, too. */
  onOnly?: (choices: Choice[]) => void;
  onSave: (choices: Choice[]) => void;
  onLeave: () => void;
}

/** Three columns, only where they differ: what stood there, theirs, mine; and what will stand there. */
export function Join(p: JoinProps) {
  const [choices, setChoices] = useState<readonly (Choice | undefined)[]>(() => p.conflicts.map(() => undefined));
  const first = useRef<HTMLHeadingElement>(null);
  useEffect(() => first.current?.focus(), []);
  const left = p.conflicts.filter((_, i) => choices[i] === undefined).length;
  const set = (at: number, choice: Choice) => setChoices(choices.map((c, i) => (i === at ? choice : c)));
  const all = () => choices.filter((c) => c !== undefined);
  const refused = left > 0 ? t('join.left', { n: left }) : undefined;
  return (
    <section class="join" aria-labelledby="join-title">
      <header>
        <div class="grow">
          <h2 id="join-title" tabIndex={-1} ref={first}>
            {t('join.title', { n: p.conflicts.length })}
          </h2>
          <p>{p.why}</p>
        </div>
        <Button kind="quiet" onClick={p.onLeave}>
          {t('join.leave')}
        </Button>
        {p.onOnly !== undefined && (
          <Button refused={refused} onClick={() => p.onOnly?.(all())}>
            {t('join.only')}
          </Button>
        )}
        <Button kind="primary" refused={refused} onClick={() => p.onSave(all())}>
          {t('join.save')}
        </Button>
      </header>
      <p class="left" role="status">
        {left > 0 ? t('join.left', { n: left }) : ''}
      </p>
      <ol>
        {p.conflicts.map((c, i) => (
          <Place key={i} conflict={c} at={i} of={p} choice={choices[i]} onChoose={(choice) => set(i, choice)} />
        ))}
      </ol>
    </section>
  );
}

interface PlaceProps {
  conflict: Conflict;
  at: number;
  of: JoinProps;
  choice: Choice | undefined;
  onChoose: (c: Choice) => void;
}

function Place({ conflict, at, of, choice, onChoose }: PlaceProps) {
  const take = choice !== undefined && 'take' in choice ? choice.take : null;
  const editing = choice !== undefined && 'text' in choice;
  const title = t('join.place', { i: at + 1, n: of.conflicts.length, line: number(conflict.line) });
  return (
    <li>
      <h3>{title}</h3>
      <div class="columns">
        <Column name={t('join.base')} text={conflict.base} in={conflict} />
        <Column
          name={of.theirs}
          text={conflict.theirs}
          in={conflict}
          lit={take === 'theirs' || take === 'theirs+mine'}
        />
        <Column name={of.mine} text={conflict.mine} in={conflict} lit={take === 'mine' || take === 'theirs+mine'} />
      </div>
      <div class="choices" role="group" aria-label={title}>
        <Button small pressed={take === 'theirs'} onClick={() => onChoose({ take: 'theirs' })}>
          {of.takeTheirs}
        </Button>
        <Button small pressed={take === 'mine'} onClick={() => onChoose({ take: 'mine' })}>
          {of.takeMine}
        </Button>
        <Button small pressed={take === 'theirs+mine'} onClick={() => onChoose({ take: 'theirs+mine' })}>
          {t('join.take.both')}
        </Button>
        <Button
          small
          icon="edit"
          pressed={editing}
          onClick={() => onChoose({ text: chosen(conflict, choice ?? { take: 'mine' }) })}
        >
          {t('join.take.edit')}
        </Button>
      </div>
      {editing && (
        <label class="field">
          <span>{t('join.result')}</span>
          <textarea
            class="area mono"
            spellcheck={false}
            value={choice.text}
            onInput={(e) => onChoose({ text: e.currentTarget.value })}
          />
        </label>
      )}
    </li>
  );
}

interface ColumnProps {
  name: string;
  text: string;
  in: Conflict;
  lit?: boolean;
}

function Column({ name, text, in: around, lit = false }: ColumnProps) {
  return (
    <figure class={lit ? 'lit' : ''}>
      <figcaption>{name}</figcaption>
      <pre tabIndex={0} aria-label={name}>
        <span class="around">{around.before}</span>
        {text === '' ? <span class="nothing">{t('join.nothing')}</span> : <mark>{text}</mark>}
        <span class="around">{around.after}</span>
      </pre>
    </figure>
  );
}
