import { beforeEach, describe, expect, it, vi } from 'vitest';
import { patience, type Scene, Slot } from './slot';
import { deferred, fakeDesktop, settled } from './testing';

const page = { page: { x: 0, y: 48, width: 800, height: 600 }, scale: 1 };
const room = { x: 0, y: 48, width: 800, height: 600 };

let d: ReturnType<typeof fakeDesktop>;
let frames: (() => void)[];
let slot: Slot;
const show = (over: Partial<Scene> = {}) => slot.show({ present: true, covered: false, page, ...over });
const frame = () => frames.splice(0).forEach((f) => f());
const visible = () => d.placed.at(-1)?.visible;

beforeEach(() => {
  d = fakeDesktop();
  frames = [];
  slot = new Slot(d.desktop, (f) => void frames.push(f));
  slot.room.value = room;
});

describe('the place of the page', () => {
  it('is told once a frame, and only when it is another one', () => {
    show({ page: { ...page, scale: 2 } });
    show();
    frame();
    expect(d.placed).toEqual([{ room, ...page, visible: true }]);
    show();
    frame();
    expect(d.placed).toHaveLength(1);
    slot.room.value = { ...room, width: 700 };
    show();
    frame();
    expect(d.placed).toHaveLength(2);
  });

  it('is told to nobody before it was measured, or in a plain browser', () => {
    slot.room.value = null;
    show();
    frame();
    expect(d.placed).toEqual([]);
    const browser = new Slot(null, (f) => void frames.push(f));
    browser.room.value = room;
    browser.show({ present: true, covered: false, page });
    expect(frames).toEqual([]);
  });

  it('is empty at once where another place is looked at, or the page is being loaded', () => {
    show();
    frame();
    show({ present: false });
    frame();
    expect(visible()).toBe(false);
    expect(d.calls).toEqual([]);
  });
});

describe('a page that is covered', () => {
  beforeEach(() => {
    show();
    frame();
  });

  it('goes only when its picture stands in its place', async () => {
    show({ covered: true });
    expect(slot.open.value).toBe(false);
    await settled();
    frame();
    expect(slot.picture.value).not.toBeNull();
    expect(visible()).toBe(true);
    slot.drawn();
    await settled();
    frame();
    expect(visible()).toBe(false);
  });

  it('keeps the picture until it is back', async () => {
    show({ covered: true });
    await settled();
    slot.drawn();
    await settled();
    frame();
    show();
    expect(slot.picture.value).not.toBeNull();
    frame(); // the app is told
    expect(visible()).toBe(true);
    expect(slot.picture.value).not.toBeNull();
    frame();
    expect(slot.picture.value).toBeNull();
    expect(slot.open.value).toBe(true);
  });

  it('goes without a picture where none comes', async () => {
    vi.useFakeTimers();
    d.answers.still = () => new Promise(() => undefined);
    show({ covered: true });
    await vi.advanceTimersByTimeAsync(patience - 1);
    frame();
    expect(visible()).toBe(true);
    await vi.advanceTimersByTimeAsync(2);
    frame();
    expect(visible()).toBe(false);
    vi.useRealTimers();
  });

  it('stays where what covered it is gone before the picture came', async () => {
    const late = deferred<ArrayBuffer | null>();
    d.answers.still = () => late.promise;
    show({ covered: true });
    show();
    late.resolve(new ArrayBuffer(1));
    await settled();
    frame();
    frame();
    expect(d.placed.map((p) => p.visible)).toEqual([true]);
    expect(slot.picture.value).toBeNull();
  });

  it('asks for one picture, however often it is told', async () => {
    show({ covered: true });
    show({ covered: true });
    await settled();
    show({ covered: true });
    expect(d.calls).toEqual(['still']);
  });

  it('is gone at once, with its picture, where another place is looked at meanwhile', async () => {
    show({ covered: true });
    await settled();
    show({ present: false });
    expect(slot.picture.value).toBeNull();
    slot.drawn();
    await settled();
    frame();
    expect(visible()).toBe(false);
  });
});
