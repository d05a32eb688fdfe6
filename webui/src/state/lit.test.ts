import { describe, expect, it } from 'vitest';
import type { Outlined } from '../contract/types';
import { Lit } from './lit';
import { deferred, refuse, settled } from './testing';

function rig() {
  const calls: string[] = [];
  const api = {
    outlines: (id: string, outlines: readonly Outlined[]): Promise<unknown> => {
      calls.push([id, ...outlines.map((o) => ('pick' in o ? o.pick : o.annotation))].join(' '));
      return Promise.resolve();
    },
  };
  return { calls, api, lit: new Lit(api) };
}

const picked = (...handles: string[]) => ({
  preview: 'prv',
  outlines: handles.map((pick) => ({ pick, look: 'selected' as const })),
});

describe('what is outlined in the page', () => {
  it('is what was picked and what has a note, and then nothing', async () => {
    const { lit, calls } = rig();
    lit.show(picked('pick_a', 'pick_b'));
    await settled();
    lit.show({ preview: 'prv', outlines: [{ annotation: 'ann_a' }] });
    await settled();
    lit.show({ preview: 'prv', outlines: [] });
    await settled();
    expect(calls).toEqual(['prv pick_a pick_b', 'prv ann_a', 'prv']);
  });

  it('is asked for once, and again only after another load', async () => {
    const { lit, calls } = rig();
    lit.show(null);
    lit.show({ preview: 'prv', outlines: [] });
    lit.show(picked('pick_a'));
    await settled();
    lit.show(picked('pick_a'));
    await settled();
    expect(calls).toEqual(['prv pick_a']);
    lit.forget();
    lit.show(picked('pick_a'));
    await settled();
    expect(calls).toHaveLength(2);
  });

  it('is the last wish, when wishes come faster than answers', async () => {
    const { lit, calls, api } = rig();
    const slow = deferred<unknown>();
    const quick = api.outlines;
    api.outlines = (id, list) => quick(id, list).then(() => slow.promise);
    lit.show(picked('pick_a'));
    await settled();
    lit.show(picked('pick_b'));
    lit.show(picked('pick_c'));
    slow.resolve(undefined);
    await settled();
    expect(calls).toEqual(['prv pick_a', 'prv pick_c']);
  });

  it('is taken away where it was let go meanwhile', async () => {
    const { lit, calls } = rig();
    lit.show(picked('pick_a'));
    lit.show(null);
    await settled();
    expect(calls).toEqual(['prv pick_a', 'prv']);
  });

  it('goes on after an element that is not on the page', async () => {
    const { lit, calls, api } = rig();
    const fine = api.outlines;
    api.outlines = () => Promise.reject(refuse('stale_epoch'));
    lit.show(picked('pick_a'));
    await settled();
    api.outlines = fine;
    lit.show(picked('pick_b'));
    await settled();
    expect(calls).toEqual(['prv pick_b']);
  });
});
