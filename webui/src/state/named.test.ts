import { computed, signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Doc } from '../contract/types';
import { nameOpen } from './named';
import { deferred, doc, refuse, settled } from './testing';

/** A window with an address, and documents that are opened by path. */
function rig(hash: string) {
  const asked: string[] = [];
  const opened: string[] = [];
  const current = signal<string | null>(null);
  const listeners: (() => void)[] = [];
  let url = new URL(`http://127.0.0.1:7/?x=1${hash}`);
  const api = {
    document: (id: string): Promise<Doc> => {
      asked.push(id);
      return id === 'gone' ? Promise.reject(refuse('not_found')) : Promise.resolve(doc({ id, path: `/${id}` }));
    },
  };
  const documents = {
    id: computed(() => current.value),
    open: (path: string) => {
      opened.push(path);
      current.value = path.slice(1);
      return Promise.resolve(true);
    },
  };
  const win = {
    get location() {
      return { href: url.href, hash: url.hash };
    },
    history: {
      replaceState: (_: unknown, __: string, to?: string | URL | null) => {
        url = new URL(to ?? '', url);
      },
    },
    addEventListener: (_: string, f: () => void) => listeners.push(f),
  };
  const go = async (to: string) => {
    url = new URL(to, url);
    listeners.forEach((f) => f());
    await settled();
  };
  return { asked, opened, current, api, documents, win, go, address: () => url.pathname + url.search + url.hash };
}

describe('the document in the address', () => {
  it('is opened, and stays there', async () => {
    const r = rig('#/d/doc_a');
    await nameOpen(r.api, r.documents, r.win);
    expect(r.opened).toEqual(['/doc_a']);
    expect(r.address()).toBe('/?x=1#/d/doc_a');
  });

  it('is the one that is open, whatever opened it, and nothing is opened by it', async () => {
    const r = rig('');
    await nameOpen(r.api, r.documents, r.win);
    expect(r.address()).toBe('/?x=1');
    r.current.value = 'doc_b';
    expect(r.address()).toBe('/?x=1#/d/doc_b');
    r.current.value = 'doc_c';
    await settled();
    expect(r.address()).toBe('/?x=1#/d/doc_c');
    r.current.value = null;
    expect(r.address()).toBe('/?x=1');
    expect(r.asked).toEqual([]);
  });

  it('is opened once for a change of the address, and the one that is open not again', async () => {
    const r = rig('#/d/doc_a');
    await nameOpen(r.api, r.documents, r.win);
    await r.go('#/d/doc_b');
    await r.go('#/d/doc_b');
    expect(r.opened).toEqual(['/doc_a', '/doc_b']);
    expect(r.address()).toBe('/?x=1#/d/doc_b');
  });

  it('is not forgotten while it is on its way', async () => {
    const r = rig('#/d/doc_a');
    const slow = deferred<Doc>();
    r.api.document = () => slow.promise;
    const done = nameOpen(r.api, r.documents, r.win);
    expect(r.address()).toBe('/?x=1#/d/doc_a');
    slow.resolve(doc({ id: 'doc_a', path: '/doc_a' }));
    await done;
    expect(r.address()).toBe('/?x=1#/d/doc_a');
  });

  it('that is not there leaves the name of what is open', async () => {
    const r = rig('#/d/gone');
    await nameOpen(r.api, r.documents, r.win);
    expect(r.address()).toBe('/?x=1');
    r.current.value = 'doc_a';
    await r.go('#/d/gone');
    expect(r.address()).toBe('/?x=1#/d/doc_a');
    expect(r.opened).toEqual([]);
  });
});
