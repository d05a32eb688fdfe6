import type { App } from '../../state/app';
import type { Word } from '../../i18n';

/** standing registers the actions that are there wherever one is. */
export function standing(app: App): () => void {
  const { actions, places, documents } = app;
  const open = () => documents.id.value !== null;
  const title = (w: Word): string => w;
  return actions.register(
    {
      id: 'view.page',
      group: 'general',
      title: title('place.page'),
      keys: ['1'],
      when: open,
      run: () => places.go('page'),
    },
    {
      id: 'view.source',
      group: 'general',
      title: title('place.source'),
      keys: ['2'],
      when: open,
      run: () => places.go('source'),
    },
    {
      id: 'view.changes',
      group: 'general',
      title: title('place.changes'),
      keys: ['3'],
      when: open,
      run: () => places.go('changes'),
    },
    {
      id: 'general.open',
      group: 'general',
      title: title('open.title'),
      keys: ['mod+o'],
      inText: true,
      // The screen without a page asks for one already.
      run: () => {
        if (open()) places.opening.value = true;
      },
    },
    {
      id: 'general.palette',
      group: 'general',
      title: title('menu.palette'),
      keys: ['mod+k'],
      inText: true,
      run: () => {
        places.palette.value = !places.palette.value;
      },
    },
    {
      id: 'general.keys',
      group: 'general',
      title: title('menu.keys'),
      keys: ['?'],
      run: () => {
        places.sheet.value = !places.sheet.value;
      },
    },
    {
      id: 'changes.undo',
      group: 'general',
      title: title('common.undo'),
      keys: ['z'],
      when: open,
      run: () => documents.undo(),
    },
    {
      id: 'changes.redo',
      group: 'general',
      title: title('common.redo'),
      keys: ['shift+z'],
      when: open,
      run: () => documents.redo(),
    },
  );
}
