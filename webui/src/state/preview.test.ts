import { beforeEach, describe, expect, it } from 'vitest';
import type { Follow } from '../api/sse';
import type { Preview } from '../contract/types';
import { PickedElement } from './picked';
import { PreviewStore, type PreviewApi } from './preview';
import { deferred, refuse, said, settled } from './testing';

const state = (over: Partial<Preview> = {}): Preview => ({
  id: 'prv_1',
  documentId: 'doc_a',
  revisionId: 'rev_1',
  generation: 1,
  sha256: 's',
  epoch: 0,
  width: 1280,
  height: 800,
  allowedOrigins: [],
  offline: [],
  missing: [],
  expiresMs: 0,
  ...over,
});

function rig(inWindow: boolean) {
  const calls: string[] = [];
  let send: Follow['onEvent'] = () => undefined;
  let n = 0;
  const api: PreviewApi = {
    openPreview: (_, q) => {
      n++;
      calls.push(['open', q.place ?? 'hidden', ...(q.allowOrigins ?? [])].join(' '));
      return Promise.resolve(
        state({ id: `prv_${n}`, ...(inWindow && { frameUrl: `http://x${n}.localhost:1/blank` }) }),
      );
    },
    reload: (id) => {
      calls.push(`reload ${id}`);
      return Promise.resolve(state({ id, epoch: 1 }));
    },
    closePreview: (id) => {
      calls.push(`close ${id}`);
      return Promise.resolve(undefined);
    },
    previewPicture: () => {
      calls.push('picture');
      return Promise.resolve(new Blob(['png']));
    },
    allowOrigins: (id, allow) => {
      calls.push(`allow ${allow.join(' ')}`);
      return Promise.resolve(state({ id, epoch: 2, allowedOrigins: allow }));
    },
    pageHealth: () => Promise.resolve({ errors: ['e'], console: [], missing: [], dropped: 0 }),
    previewEvents: (_, f) => {
      send = f.onEvent;
      return new Promise(() => undefined);
    },
    source: () => Promise.resolve(new TextEncoder().encode('a\nb').buffer),
  };
  const status = said();
  const kept = new Map<string, string[]>([['doc_known', ['https://fonts.test']]]);
  const store = new PreviewStore(api, { inWindow }, new PickedElement(), status, {
    allowedFor: (id) => kept.get(id) ?? [],
    allow: (id, origins) => void kept.set(id, origins),
  });
  const tell = (event: string, data: unknown) => send({ id: '', event, data: JSON.stringify(data) });
  return { api, calls, store, status, tell, kept };
}

let r = rig(true);
beforeEach(() => {
  r = rig(true);
});

describe('the page in a window', () => {
  it('is a frame first, then loaded by the gateway, once', async () => {
    await r.store.open('doc_a', 1);
    expect(r.store.phase.value).toBe('framed');
    expect(r.store.preview.value?.frameUrl).toBe('http://x1.localhost:1/blank');
    await Promise.all([r.store.framed(), r.store.framed()]);
    expect(r.calls).toEqual(['open window', 'reload prv_1']);
    expect(r.store.phase.value).toBe('shown');
    expect(r.store.loads.value).toBe(1);
    expect(r.store.preview.value?.frameUrl).toBe('http://x1.localhost:1/blank'); // the reload does not say it again
  });

  it('belongs to the document that was opened last', async () => {
    const slow = deferred<Preview>();
    const open = r.api.openPreview;
    r.api.openPreview = () => slow.promise;
    const first = r.store.open('doc_a', 1);
    r.api.openPreview = open;
    await r.store.open('doc_b', 1);
    slow.resolve(state({ id: 'prv_late' }));
    await first;
    expect(r.store.id.value).toBe('prv_1');
    expect(r.calls).toContain('close prv_late');
  });

  it('follows newer versions, also one that comes while it loads', async () => {
    await r.store.open('doc_a', 1);
    await r.store.framed();
    const slow = deferred<Preview>();
    let loads = 0;
    r.api.reload = () => (++loads === 1 ? slow.promise : Promise.resolve(state({ generation: 3, epoch: 3 })));
    const first = r.store.follow(2);
    void r.store.follow(3);
    slow.resolve(state({ generation: 2, epoch: 2 }));
    await first;
    expect(loads).toBe(2);
    expect(r.store.preview.value?.generation).toBe(3);
    await r.store.follow(3);
    await r.store.follow(2);
    expect(loads).toBe(2);
  });

  it('says how it failed, and what is gone can be opened again', async () => {
    await r.store.open('doc_a', 1);
    r.api.reload = () => Promise.reject(refuse('timeout', 504));
    await r.store.framed();
    expect(r.store.phase.value).toBe('failed');
    expect(r.store.refusal.value?.code).toBe('timeout');
    await r.store.open('doc_a', 1);
    r.tell('gone', {});
    expect(r.store.phase.value).toBe('gone');
  });

  it('asks about origins once, and again about others', async () => {
    await r.store.open('doc_a', 1);
    r.tell('health', { errors: 1, console: 2, missing: 0, offline: ['https://a.test', 'https://b.test'] });
    expect(r.store.messageCount.value).toBe(3);
    expect(r.store.origins.value).toEqual(['https://a.test', 'https://b.test']);
    r.store.stayOffline();
    expect(r.store.origins.value).toEqual([]);
    r.tell('health', { errors: 1, console: 2, missing: 0, offline: ['https://a.test', 'https://c.test'] });
    expect(r.store.origins.value).toEqual(['https://c.test']);
    await r.store.allow(r.store.origins.value);
    expect(r.calls.at(-1)).toBe('allow https://c.test');
    expect(r.store.reach.value).toEqual(['https://c.test']);
    expect(r.kept.get('doc_a')).toEqual(['https://c.test']);
    await r.store.open('doc_known', 1);
    expect(r.calls.at(-1)).toBe('open window https://fonts.test');
  });

  it('tells of a load that somebody else did, and of moves', async () => {
    await r.store.open('doc_a', 1);
    await r.store.framed();
    r.tell('loaded', { epoch: 1, generation: 1 }); // its own
    expect(r.store.loads.value).toBe(1);
    r.tell('loaded', { epoch: 2, generation: 1 });
    expect(r.store.loads.value).toBe(2);
    const before = r.store.moved.value;
    r.tell('moved', {});
    expect(r.store.moved.value).toBe(before + 1);
    r.tell('left', {});
    expect(r.store.left.value).toBe(true);
    await r.store.reload();
    expect(r.store.left.value).toBe(false);
  });

  it('is as large as there is room, by zoom and width', () => {
    r.store.stage.value = { width: 1000, height: 600 };
    expect(r.store.size.value).toEqual({ width: 1000, height: 600 });
    r.store.zoom.value = 0.5;
    expect(r.store.size.value).toEqual({ width: 2000, height: 1200 });
    expect(r.store.sheetStyle.value).toEqual({ width: '1000px', height: '600px' });
    r.store.width.value = 390;
    expect(r.store.size.value.width).toBe(390);
    expect(r.store.sheetStyle.value.width).toBe('195px');
  });

  it('never needs scroll bars where it fits, whatever the zoom', () => {
    for (const zoom of [0.5, 0.67, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2])
      for (let px = 300; px < 340; px++) {
        r.store.stage.value = { width: px, height: px + 7 };
        r.store.zoom.value = zoom;
        const { width, height } = r.store.sheetStyle.value;
        expect(parseInt(width), `${px} at ${zoom}`).toBeLessThanOrEqual(px);
        expect(parseInt(height), `${px} at ${zoom}`).toBeLessThanOrEqual(px + 7);
        expect(parseInt(width), `${px} at ${zoom}`).toBeGreaterThanOrEqual(px - zoom - 1);
      }
  });

  it('is offline again when what was allowed is taken back, also the next time it is opened', async () => {
    await r.store.open('doc_known', 1);
    r.store.preview.value = state({ documentId: 'doc_known', allowedOrigins: ['https://fonts.test'] });
    expect(r.store.reach.value).toEqual(['https://fonts.test']);
    await r.store.disallow();
    expect(r.calls.at(-1)).toBe('allow ');
    expect(r.store.reach.value).toEqual([]);
    expect(r.kept.get('doc_known')).toEqual([]);
  });

  it('knows the lines of the version it shows', async () => {
    await r.store.open('doc_a', 1);
    expect((await r.store.lines())?.lineOf(2)).toBe(2);
  });

  it('counts the lines of another document anew, though its version has the same number', async () => {
    await r.store.open('doc_a', 1);
    await r.store.lines();
    r.api.source = () => Promise.resolve(new TextEncoder().encode('one line').buffer);
    r.api.openPreview = () =>
      Promise.resolve(state({ id: 'prv_b', documentId: 'doc_b', frameUrl: 'http://b.localhost:1/blank' }));
    await r.store.open('doc_b', 1);
    expect((await r.store.lines())?.lineOf(2)).toBe(1);
  });
});

describe('the page in a plain browser', () => {
  it('is a picture, taken anew with each version', async () => {
    const plain = rig(false);
    await plain.store.open('doc_a', 1);
    await settled();
    expect(plain.calls).toEqual(['open hidden', 'picture']);
    expect(plain.store.phase.value).toBe('shown');
    await plain.store.follow(2);
    expect(plain.calls.filter((c) => c === 'picture').length).toBe(2);
  });
});

describe('the page in the desktop app', () => {
  it('is loaded at once, for the app has a view for it and there is no frame to wait for', async () => {
    const r = rig(true);
    r.api.openPreview = (_, q) => {
      r.calls.push(`open ${q.place ?? 'hidden'}`);
      return Promise.resolve(state({ id: 'prv_1' }));
    };
    await r.store.open('doc_a', 1);
    expect(r.calls).toEqual(['open window', 'reload prv_1']);
    expect(r.store.phase.value).toBe('shown');
    expect(r.store.loads.value).toBe(1);
  });
});
