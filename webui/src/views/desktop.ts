import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Desktop } from '../contract/desktop';
import { language, refusalText } from '../i18n';
import type { App } from '../state/app';
import { fileItems } from './shell/commands';
import { togglePanel } from './shell/panel';

/** The actions that the app's own menu offers, by their ids. */
const actionIds = [
  'general.open',
  'general.palette',
  'general.keys',
  'view.page',
  'view.source',
  'view.changes',
  'page.point',
  'page.reload',
  'notes.send',
  'changes.undo',
  'changes.redo',
  'source.save',
  'source.find',
] as const;

interface Command {
  id: string;
  /** What it does now; null where it is not offered. */
  run: () => (() => unknown) | null;
}

function commandsOf(app: App): Command[] {
  const { actions, documents } = app;
  const item = (id: string, of: string): Command => ({
    id,
    run: () => fileItems(app).find((i) => i.id === of)?.run ?? null,
  });
  return [
    ...actionIds.map((id): Command => ({
      id,
      run: () => (actions.list.value.some((a) => a.id === id && actions.isOffered(a)) ? () => actions.run(id) : null),
    })),
    { id: 'view.panel', run: () => (documents.id.value === null ? null : () => togglePanel(app)) },
    item('file.download', 'download'),
    item('file.export', 'export'),
  ];
}

/** Whether the system wants dark colours. */
function systemDark(): ReadonlySignal<boolean> {
  const query = window.matchMedia('(prefers-color-scheme: dark)');
  const dark = signal(query.matches);
  query.addEventListener('change', () => (dark.value = query.matches));
  return dark;
}

/** Opens a file the app hands over. What stands in the way is said where one is. */
export async function openFrom(app: App, path: string): Promise<void> {
  const { documents, places, status } = app;
  if (await documents.open(path)) {
    places.opening.value = false;
    places.go('page');
    return;
  }
  const r = documents.refusal.peek();
  if (r !== null) status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
}

/** Stores what was typed and is not stored yet: notes, source, and what was chosen. */
async function storeTyped({ notes, source, preferences }: App): Promise<void> {
  await Promise.allSettled([
    notes.box.peek()?.text.flush(),
    notes.editing.peek()?.flush(),
    source.unsaved.peek() ? source.keeper.peek()?.flush() : undefined,
    preferences.flush(),
  ]);
}

/** deskwork makes the app's menu and its files work, and tells its window what is shown. */
export function deskwork(app: App, desktop: Desktop): () => void {
  const commands = commandsOf(app);
  const dark = systemDark();
  desktop.onCommand((id) => {
    const run = commands.find((c) => c.id === id)?.run();
    void run?.();
  });
  desktop.onLeave(() => storeTyped(app));
  desktop.onOpen((path) => void openFrom(app, path));
  const theme = computed((): 'light' | 'dark' => {
    const chosen = app.preferences.theme.value;
    return chosen === 'light' || chosen === 'dark' ? chosen : dark.value ? 'dark' : 'light';
  });
  let last = '';
  return effect(() => {
    const doc = app.documents.current.value;
    const state = {
      title: doc === null ? 'Proofmark' : `${doc.name} – Proofmark`,
      language: language.value,
      theme: theme.value,
      commands: commands.map((c) => ({ id: c.id, enabled: c.run() !== null })),
    };
    const words = JSON.stringify(state);
    if (words === last) return;
    last = words;
    desktop.state(state);
  });
}
