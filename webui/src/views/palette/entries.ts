import type { App } from '../../state/app';
import { t, type Word, words } from '../../i18n';
import { fuzzy } from '../../lib/fuzzy';
import { sentence, short } from '../changes/say';
import { commands } from '../shell/commands';

export type Group = 'actions' | 'documents' | 'versions' | 'notes';

export interface Entry {
  id: string;
  group: Group;
  label: string;
  /** Shown at the end of the line: a key, a path. */
  aside: string;
  run: () => unknown;
}

export interface Match extends Entry {
  at: readonly number[];
}

/** The name of an action; an id that has no words is shown as it is. */
export function actionName(title: string): string {
  return title in words ? t(title as Word) : title;
}

/** Everything one can go to or do now. */
export function entries(app: App): Entry[] {
  const { actions, documents, changes, notes, places } = app;
  const out: Entry[] = [];
  const seen = new Set<string>();
  for (const a of actions.list.value.toReversed()) {
    if (seen.has(a.id) || a.id === 'general.palette' || !actions.isOffered(a)) continue;
    seen.add(a.id);
    const run = () => actions.run(a.id);
    out.push({ id: a.id, group: 'actions', label: actionName(a.title), aside: actions.keyName(a.id), run });
  }
  out.reverse();
  // Theme and language are named by their group: "Theme: Dark".
  let of = '';
  for (const c of commands(app)) {
    of = c.group ?? (c.rule === true ? '' : of);
    const label = of === '' ? c.label : t('palette.of', { group: of, what: c.label });
    out.push({ id: c.id, group: 'actions', label, aside: c.checked === true ? '✓' : '', run: () => c.run() });
  }
  for (const d of documents.recent.value) {
    if (d.id === documents.id.value) continue;
    out.push({ id: d.id, group: 'documents', label: d.name, aside: d.path, run: () => documents.open(d.path) });
  }
  const file = documents.current.value?.name ?? '';
  for (const { version: v, change } of changes.entries.value) {
    const what = sentence(v, change, changes.changes.value, file);
    const label =
      v.name === undefined
        ? t('palette.version', { n: v.generation, what })
        : t('palette.version.named', { n: v.generation, name: v.name, what });
    out.push({
      id: v.id,
      group: 'versions',
      label,
      aside: '',
      run: () => {
        if (change !== null) places.showChange(change.id);
        else {
          places.go('changes');
          void changes.compare(v.generation, documents.generation.value);
        }
      },
    });
  }
  for (const n of notes.list.value) {
    out.push({
      id: n.id,
      group: 'notes',
      label: t('palette.note', { n: n.order, what: short(n.instruction) }),
      aside: n.anchors[0]?.name ?? '',
      run: () => {
        places.go('page');
        places.activeNote.value = n.id;
      },
    });
  }
  return out;
}

/** Most entries of each kind that are shown. */
const MOST = { actions: 40, documents: 8, versions: 12, notes: 12 } as const;

const order: readonly Group[] = ['actions', 'documents', 'versions', 'notes'];

/** The entries a query finds, best first within their kind; the kind with the best one first. */
export function find(all: readonly Entry[], query: string): Match[] {
  const groups = order.map((group) => {
    const list: { match: Match; score: number }[] = [];
    for (const e of all) {
      if (e.group !== group) continue;
      const found = fuzzy(query, e.label);
      const aside = found === null && e.aside !== '' && group === 'documents' ? fuzzy(query, e.aside) : null;
      const score = found?.score ?? (aside === null ? null : aside.score / 2);
      if (score !== null) list.push({ match: { ...e, at: found?.at ?? [] }, score });
    }
    if (query.trim() !== '') list.sort((a, b) => b.score - a.score);
    return { list: list.slice(0, MOST[group]), best: list[0]?.score ?? -Infinity };
  });
  if (query.trim() !== '') groups.sort((a, b) => b.best - a.best);
  return groups.flatMap((g) => g.list.map((x) => x.match));
}
