import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Place } from '../contract/types';
import { pace, Pins } from './pins';
import { deferred, refuse } from './testing';

const place = (id: string, target = 0, there = true): Place => ({
  id,
  target,
  rect: there ? { x: 1, y: 2, width: 3, height: 4 } : null,
  shared: 1,
});

describe('pins', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ask ten times a second at most, however fast the page moves', async () => {
    let asked = 0;
    const pins = new Pins({
      places: () => {
        asked++;
        return Promise.resolve([place('n')]);
      },
    });
    pins.follow('prv', ['n'], []);
    for (let i = 0; i < 100; i++) {
      await vi.advanceTimersByTimeAsync(10);
      pins.ask();
    }
    expect(asked).toBeLessThanOrEqual(1 + 1000 / pace);
    expect(asked).toBeGreaterThan(8);
  });

  it('ask once more after the last move, one question at a time', async () => {
    const first = deferred<Place[]>();
    let asked = 0;
    const pins = new Pins({ places: () => (++asked === 1 ? first.promise : Promise.resolve([place('n')])) });
    pins.follow('prv', ['n'], []);
    await vi.advanceTimersByTimeAsync(0);
    pins.ask();
    pins.ask();
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toBe(1);
    first.resolve([]);
    await vi.advanceTimersByTimeAsync(pace);
    expect(asked).toBe(2);
    expect(pins.notes.value.get('n')?.[0]?.rect?.x).toBe(1);
  });

  it('keep every target of a note, and know those that are not on the page', async () => {
    const pins = new Pins({
      places: (_, q) =>
        Promise.resolve(
          q.picks === undefined
            ? [place('a', 0, false), place('a', 1), place('b', 0, false)]
            : q.picks.map((id) => place(id)),
        ),
    });
    pins.follow('prv', ['a', 'b'], ['pick_x']);
    await vi.advanceTimersByTimeAsync(0);
    expect(pins.notes.value.get('a')?.length).toBe(2);
    expect([...pins.lost.value]).toEqual(['b']);
    expect(pins.picks.value.get('pick_x')?.rect).not.toBeNull();
  });

  it('drop answers for what is no longer followed, and clear with the page', async () => {
    const slow = deferred<Place[]>();
    const pins = new Pins({ places: () => slow.promise });
    pins.follow('prv', ['a'], []);
    await vi.advanceTimersByTimeAsync(0);
    pins.follow(null, [], []);
    slow.resolve([place('a')]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(pins.notes.value.size).toBe(0);
  });

  it('wait for the next move when the page is being loaded', async () => {
    const pins = new Pins({ places: () => Promise.reject(refuse('stale_epoch')) });
    pins.follow('prv', ['a'], []);
    await vi.advanceTimersByTimeAsync(1000);
    expect(pins.notes.value.size).toBe(0);
  });
});
