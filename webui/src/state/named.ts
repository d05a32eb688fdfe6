import { effect, signal } from '@preact/signals';
import type { Api } from '../api/api';
import type { Documents } from './documents';

/** What is needed of the window. */
export interface Address {
  readonly location: Pick<Location, 'href' | 'hash'>;
  readonly history: Pick<History, 'replaceState'>;
  addEventListener(type: 'hashchange', listener: () => void): void;
}

/**
 * The document that is open stands behind the address's #, as #/d/ID: a window is
 * opened for it like this, and one that is loaded again shows the same.
 */
export async function nameOpen(
  api: Pick<Api, 'document'>,
  documents: Pick<Documents, 'id' | 'open'>,
  win: Address,
): Promise<void> {
  // While what is named there is on its way, the name stays.
  const coming = signal(0);
  const open = async () => {
    const id = /^#\/d\/(\w+)$/.exec(win.location.hash)?.[1];
    if (id === undefined || id === documents.id.peek()) return;
    coming.value++;
    try {
      const doc = await api.document(id);
      await documents.open(doc.path);
    } catch {
      // The open screen is there, and lists what can be opened.
    } finally {
      coming.value--;
    }
  };
  const first = open();
  win.addEventListener('hashchange', () => void open());
  effect(() => {
    const id = documents.id.value;
    if (coming.value > 0) return;
    const url = new URL(win.location.href);
    url.hash = id === null ? '' : `/d/${id}`;
    // Replacing tells nobody of a change, so nothing is opened by it.
    if (url.href !== win.location.href) win.history.replaceState(null, '', url.href);
  });
  await first;
}
