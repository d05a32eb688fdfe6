import type { Direction } from '../../contract/types';
import type { Word } from '../../i18n';
import type { Action } from '../../lib/actions';
import type { App } from '../../state/app';

const w = (word: Word): string => word;

/** What the keys do on the page: pointing, and going from element to element. */
export function pageActions(app: App): () => void {
  const { actions, pick, notes, talk, places, preferences, documents } = app;
  const onPage = () => places.place.value === 'page' && documents.id.value !== null && places.review.value === null;
  const pointing = () => onPage() && (pick.mode.value || pick.selection.value.length > 0) && !pick.writing.value;
  const step = (id: string, title: Word, key: string, direction: Direction): Action => ({
    id,
    group: 'page',
    title: w(title),
    keys: [key],
    repeats: true,
    when: pointing,
    run: () => pick.step(direction),
  });
  return actions.register(
    {
      id: 'page.point',
      group: 'general',
      title: w('bar.point'),
      keys: ['p'],
      when: () => documents.id.value !== null,
      run: () => pick.toggle(),
    },
    step('page.parent', 'key.parent', 'up', 'up'),
    step('page.child', 'key.child', 'down', 'down'),
    step('page.previous', 'key.previous', 'left', 'prev'),
    step('page.next', 'key.next', 'right', 'next'),
    {
      id: 'page.add',
      group: 'page',
      title: w('key.add'),
      keys: ['space'],
      when: pointing,
      run: () => pick.toggleCursor(),
    },
    {
      id: 'page.write',
      group: 'page',
      title: w('key.write'),
      keys: ['enter'],
      when: pointing,
      run: () => pick.write(),
    },
    {
      id: 'page.nearest',
      group: 'page',
      title: w('key.nearest'),
      keys: ['n'],
      when: () => pointing() && pick.refused.value !== null,
      run: () => pick.useNearest(),
    },
    {
      id: 'page.reload',
      group: 'page',
      title: w('bar.reload'),
      keys: ['mod+r'],
      when: onPage,
      run: () => reload(app),
    },
    {
      id: 'general.back',
      group: 'general',
      title: w('key.back'),
      keys: ['esc'],
      when: () => pick.mode.value || pick.selection.value.length > 0 || places.activeNote.value !== null,
      run: () => {
        if (pick.writing.value) pick.writing.value = false;
        else if (pick.mode.value || pick.selection.value.length > 0) return pick.leave();
        else places.activeNote.value = null;
        return undefined;
      },
    },
    {
      id: 'notes.send',
      group: 'notes',
      title: w('talk.send'),
      keys: ['mod+enter'],
      inText: true,
      when: () => documents.id.value !== null && places.review.value === null && talk.canSend.value,
      run: () => send(app),
    },
    {
      id: 'notes.next',
      group: 'notes',
      title: w('key.note.next'),
      keys: ['j'],
      when: () => notes.list.value.length > 0,
      run: () => light(app, 1),
    },
    {
      id: 'notes.previous',
      group: 'notes',
      title: w('key.note.previous'),
      keys: ['k'],
      when: () => notes.list.value.length > 0,
      run: () => light(app, -1),
    },
    {
      id: 'page.hints',
      group: 'page',
      title: w('hint.gone'),
      keys: ['h'],
      when: () => onPage() && !preferences.hintsGone.value,
      run: () => preferences.set('firstRun', true),
    },
  );
}

/** Loads the page again; one that is gone, or never came, is opened anew. */
export async function reload({ preview, documents }: App): Promise<void> {
  const doc = documents.current.value;
  const phase = preview.phase.value;
  if (doc !== null && (phase === 'gone' || phase === 'failed')) await preview.open(doc.id, doc.generation);
  else await preview.reload();
}

/** Sends what is written. The box closes, and pointing ends: now the page is watched. */
export async function send(app: App): Promise<void> {
  if (!(await app.talk.send())) return;
  app.places.activeNote.value = null;
  await app.pick.leave();
}

function light(app: App, by: number): void {
  const ids = app.notes.list.value.map((n) => n.id);
  const at = ids.indexOf(app.places.activeNote.value ?? '');
  app.places.activeNote.value = ids[(at + by + ids.length) % ids.length] ?? null;
}
