import { describe, expect, it } from 'vitest';
import type { Follow } from '../api/sse';
import type { ListedChange, Made, Opened, Synced } from '../contract/types';
import { Documents, type DocumentsApi, newestInForce } from './documents';
import { deferred, doc, refuse, said, settled } from './testing';

function rig() {
  const calls: string[] = [];
  let send: Follow['onEvent'] = () => undefined;
  const changes: Partial<ListedChange>[] = [];
  const api: DocumentsApi = {
    documents: () => Promise.resolve([doc()]),
    open: (path) => Promise.resolve({ ...doc({ path }), imported: false, outsideImported: false }),
    watch: (_, f) => {
      send = f.onEvent;
      return new Promise(() => undefined);
    },
    document: () => Promise.resolve(doc()),
    sync: (_, choice) => {
      calls.push(`sync ${choice}`);
      return Promise.resolve({ state: choice === '' ? 'conflict' : 'merged', document: doc(), base: 1 } as Synced);
    },
    source: () => Promise.resolve(new ArrayBuffer(0)),
    changes: () => Promise.resolve(changes as ListedChange[]),
    revert: (_, change, n) => {
      calls.push(`revert ${change} ${n ?? 0}`);
      return Promise.resolve({ document: doc({ generation: 5, stateRev: 9 }), written: true } as Made);
    },
    redo: () => Promise.reject(refuse('nothing_to_redo')),
    restore: () => Promise.resolve({ document: doc(), written: true } as Made),
    write: () => Promise.resolve({ written: true }),
  };
  const status = said();
  const documents = new Documents(api, status);
  const tell = (event: string, data: unknown) => send({ id: '', event, data: JSON.stringify(data) });
  return { api, calls, changes, status, documents, tell };
}

describe('documents', () => {
  it('open the one that was asked for last', async () => {
    const r = rig();
    const slow = deferred<Opened>();
    const open = r.api.open;
    r.api.open = () => slow.promise;
    const first = r.documents.open('/a.html');
    r.api.open = open;
    expect(await r.documents.open('/b.html')).toBe(true);
    slow.resolve({ ...doc({ path: '/a.html' }), imported: false, outsideImported: false });
    expect(await first).toBe(false);
    expect(r.documents.current.value?.path).toBe('/b.html');
    expect(r.documents.opening.value).toBe(false);
  });

  it('show one whose file went another way than its history', async () => {
    const r = rig();
    r.api.open = () => Promise.reject(refuse('outside_change', 409, { document: 'doc_apart' }));
    r.api.document = (id) => Promise.resolve(doc({ id }));
    expect(await r.documents.open('/a.html')).toBe(true);
    expect(r.documents.current.value?.id).toBe('doc_apart');
    r.api.open = () => Promise.reject(refuse('outside_change')); // of which nothing is known
    expect(await r.documents.open('/b.html')).toBe(false);
    expect(r.documents.refusal.value?.code).toBe('outside_change');
  });

  it('keep the open one when another cannot be opened, and say why', async () => {
    const r = rig();
    await r.documents.open('/a.html');
    r.api.open = () => Promise.reject(refuse('not_html', 422));
    expect(await r.documents.open('/b.txt')).toBe(false);
    expect(r.documents.current.value?.path).toBe('/a.html');
    expect(r.documents.refusal.value?.code).toBe('not_html');
  });

  it('never show an older state over a newer one', async () => {
    const r = rig();
    await r.documents.open('/a.html');
    r.documents.take(doc({ generation: 3, stateRev: 4 }));
    r.documents.take(doc({ generation: 2, stateRev: 3 }));
    r.documents.take(doc({ id: 'doc_other', generation: 9, stateRev: 9 }));
    expect(r.documents.generation.value).toBe(3);
  });

  it('follow what others do, and ask where both sides changed', async () => {
    const r = rig();
    await r.documents.open('/a.html');
    r.tell('document', doc({ generation: 2, stateRev: 2 }));
    expect(r.documents.generation.value).toBe(2);
    r.tell('file', { state: 'conflict' });
    await settled();
    expect(r.documents.conflict.value?.state).toBe('conflict');
    await r.documents.sync('theirs');
    expect(r.documents.conflict.value).toBeNull();
    expect(r.calls).toEqual(['sync ', 'sync theirs']);
  });

  it('say that another program changed the file', async () => {
    const r = rig();
    await r.documents.open('/a.html');
    r.tell('file', { state: 'in_step' });
    expect(r.status.lines).toEqual([]);
    r.tell('file', { state: 'imported' });
    expect(r.status.lines[0]?.text).toContain('Another program changed the file');
  });

  it('take back the newest change that stands and was none of taking back', async () => {
    const r = rig();
    await r.documents.open('/a.html');
    r.changes.push(
      { id: 'c4', inForce: true, source: 'revert' },
      { id: 'c3', inForce: false, source: 'turn' },
      { id: 'c2', inForce: true, source: 'turn' },
      { id: 'c1', inForce: true, source: 'import' },
    );
    expect(newestInForce(r.changes as ListedChange[])?.id).toBe('c2');
    await r.documents.undo();
    expect(r.calls).toEqual(['revert c2 0']);
    expect(r.documents.generation.value).toBe(5);
    expect(r.status.lines[0]?.tone).toBe('good');
  });

  it('say when there is nothing to take back, or to put back', async () => {
    const r = rig();
    await r.documents.open('/a.html');
    await r.documents.undo();
    await r.documents.redo();
    expect(r.calls).toEqual([]);
    expect(r.status.lines.map((l) => l.text)).toEqual([
      'There is no change to take back.',
      'There is nothing to put back.',
    ]);
    expect(r.documents.working.value).toBe(false);
  });

  it('take undo and redo in the order they were pressed, and lose none', async () => {
    const r = rig();
    await r.documents.open('/a.html');
    const slow = deferred<ListedChange[]>();
    r.api.changes = () => slow.promise;
    r.api.redo = () => {
      r.calls.push('redo');
      return Promise.resolve({ document: doc({ generation: 6, stateRev: 10 }), written: true } as Made);
    };
    const all = [r.documents.undo(), r.documents.redo(), r.documents.undo(), r.documents.redo()];
    await settled();
    expect(r.calls).toEqual([]);
    expect(r.documents.working.value).toBe(true);
    slow.resolve([{ id: 'c2', inForce: true, source: 'turn' }] as ListedChange[]);
    await Promise.all(all);
    expect(r.calls).toEqual(['revert c2 0', 'redo', 'revert c2 0', 'redo']);
    expect(r.documents.working.value).toBe(false);
  });

  it('let only so many steps wait, and make none in another document', async () => {
    const r = rig();
    await r.documents.open('/a.html');
    const slow = deferred<Made>();
    let asked = 0;
    r.api.redo = () => {
      asked++;
      return slow.promise;
    };
    const all = Array.from({ length: 100 }, () => r.documents.redo());
    await settled();
    r.api.open = (path) => Promise.resolve({ ...doc({ id: 'doc_b', path }), imported: false, outsideImported: false });
    await r.documents.open('/b.html');
    slow.resolve({ document: doc({ generation: 2 }), written: true } as Made);
    await Promise.all(all);
    expect(asked).toBe(1);
    expect(r.documents.working.value).toBe(false);
    r.api.redo = () => Promise.resolve({ document: doc(), written: true } as Made);
    const more = Array.from({ length: 100 }, () => r.documents.restore('1'));
    const made = await Promise.all(more);
    expect(made.filter(Boolean)).toHaveLength(20);
  });

  it('look at the file again when a version could not be written into it', async () => {
    const r = rig();
    await r.documents.open('/a.html');
    r.documents.made({
      document: doc({ stateRev: 2, ahead: true }),
      written: false,
      writeError: { code: 'outside_change', message: 'changed' },
    } as Made);
    await settled();
    expect(r.documents.conflict.value).not.toBeNull();
    expect(r.documents.current.value?.ahead).toBe(true);
  });
});
