import { describe, expect, it } from 'vitest';
import { Looks, most } from './looks';
import { deferred, refuse, settled } from './testing';

function rig() {
  const asked: string[] = [];
  const api = {
    versionPicture: (id: string, generation: number) => {
      asked.push(`${id} ${generation}`);
      return Promise.resolve(new Blob([`${id} ${generation}`]));
    },
  };
  const looks = new Looks(api);
  const pair = (id: string, generation: number, signal = new AbortController().signal) =>
    looks.pair(id, generation, signal);
  return { api, asked, looks, pair };
}

describe('pictures of versions', () => {
  it('are of the version before and of it, and are asked for once', async () => {
    const { asked, pair } = rig();
    const [a, b] = await Promise.all([pair('d', 2), pair('d', 3)]);
    expect(await a?.before.text()).toBe('d 1');
    expect(await b?.after.text()).toBe('d 3');
    expect(a?.after).toBe(b?.before);
    await pair('d', 3);
    expect(asked.sort()).toEqual(['d 1', 'd 2', 'd 3']);
  });

  it('are asked for one at a time, and not for who does not look any more', async () => {
    const { api, asked, pair } = rig();
    const slow = deferred<Blob>();
    const fetch = api.versionPicture;
    api.versionPicture = () => slow.promise;
    const first = pair('d', 2);
    const gone = new AbortController();
    const second = pair('d', 9, gone.signal);
    await settled();
    api.versionPicture = fetch;
    gone.abort();
    slow.resolve(new Blob());
    expect(await second).toBeNull();
    expect(await first).not.toBeNull();
    expect(asked).toEqual(['d 2']);
  });

  it('are not asked for any more where there is no browser, and again after anything else', async () => {
    const { api, asked, looks, pair } = rig();
    const fetch = api.versionPicture;
    api.versionPicture = () => Promise.reject(refuse('too_many'));
    expect(await pair('d', 2)).toBeNull();
    expect(looks.none.value).toBe(false);
    api.versionPicture = () => Promise.reject(refuse('no_browser'));
    expect(await pair('d', 2)).toBeNull();
    expect(looks.none.value).toBe(true);
    api.versionPicture = fetch;
    expect(await pair('d', 2)).toBeNull();
    expect(asked).toEqual([]);
  });

  it('are kept as far as they were used last', async () => {
    const { asked, pair } = rig();
    for (let n = 2; n <= most + 1; n++) {
      await pair('d', n);
      await pair('d', 2);
    }
    asked.length = 0;
    await pair('d', 2);
    expect(asked).toEqual([]);
    await pair('d', 4);
    expect(asked[0]).toBe('d 3');
  });
});
