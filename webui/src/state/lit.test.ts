import { describe, expect, it } from 'vitest';
import { Lit } from './lit';
import { deferred, pick, refuse, settled } from './testing';

function rig() {
  const calls: string[] = [];
  const api = {
    highlight: (id: string, handle: string): Promise<unknown> => {
      calls.push(`${id} ${handle}`);
      return Promise.resolve();
    },
    pick: (_: string, target: string) => Promise.resolve(pick(target)),
  };
  return { calls, api, lit: new Lit(api) };
}

describe('what is lit in the page', () => {
  it('is what was picked, or what is at a byte, and then nothing', async () => {
    const { lit, calls } = rig();
    lit.show({ preview: 'prv', pick: 'pick_a' });
    await settled();
    lit.show({ preview: 'prv', byte: 7 });
    await settled();
    lit.show(null);
    await settled();
    expect(calls).toEqual(['prv pick_a', 'prv pick_byte:7', 'prv ']);
  });

  it('is asked for once, and again only after another load', async () => {
    const { lit, calls } = rig();
    lit.show(null);
    lit.show({ preview: 'prv', pick: 'pick_a' });
    await settled();
    lit.show({ preview: 'prv', pick: 'pick_a' });
    await settled();
    expect(calls).toEqual(['prv pick_a']);
    lit.forget();
    lit.show({ preview: 'prv', pick: 'pick_a' });
    await settled();
    expect(calls).toHaveLength(2);
  });

  it('is the last wish, when wishes come faster than answers', async () => {
    const { lit, calls, api } = rig();
    const slow = deferred<unknown>();
    const quick = api.highlight;
    api.highlight = (id, handle) => quick(id, handle).then(() => slow.promise);
    lit.show({ preview: 'prv', pick: 'pick_a' });
    await settled();
    lit.show({ preview: 'prv', pick: 'pick_b' });
    lit.show({ preview: 'prv', pick: 'pick_c' });
    slow.resolve(undefined);
    await settled();
    expect(calls).toEqual(['prv pick_a', 'prv pick_c']);
  });

  it('is not shown any more where it was asked for and let go meanwhile', async () => {
    const { lit, calls, api } = rig();
    const slow = deferred<ReturnType<typeof pick>>();
    api.pick = () => slow.promise;
    lit.show({ preview: 'prv', byte: 7 });
    lit.show(null);
    slow.resolve(pick('late'));
    await settled();
    expect(calls).toEqual(['prv ']);
  });

  it('goes on after an element that is not on the page', async () => {
    const { lit, calls, api } = rig();
    api.pick = () => Promise.reject(refuse('selector_no_match'));
    lit.show({ preview: 'prv', byte: 7 });
    await settled();
    lit.show({ preview: 'prv', pick: 'pick_a' });
    await settled();
    expect(calls).toEqual(['prv pick_a']);
  });
});
