import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Pick as Picked, Preview } from '../contract/types';
import type { Off } from './features';
import { lackOf, linger, nearestOf, PickStore, type PickApi, same } from './pick';
import { PickedElement } from './picked';
import { type Place } from './places';
import { PreviewStore } from './preview';
import { deferred, pick, refuse, said, settled } from './testing';

function rig(inWindow = true) {
  const calls: string[] = [];
  const element = new PickedElement();
  const status = { ...said(), hover: signal<string | null>(null) };
  const preview = new PreviewStore(
    {
      source: () => Promise.resolve(new TextEncoder().encode('<p>\n<h1>\n').buffer),
    } as unknown as ConstructorParameters<typeof PreviewStore>[0],
    { inWindow },
    element,
    status,
    { allowedFor: () => [], allow: () => undefined },
  );
  preview.preview.value = {
    id: 'prv',
    documentId: 'doc_a',
    revisionId: 'rev_1',
    generation: 1,
    epoch: 1,
  } as Preview;
  preview.phase.value = 'shown';
  const api: PickApi = {
    inspect: (_, on) => {
      calls.push(`inspect ${String(on)}`);
      return Promise.resolve(undefined);
    },
    pick: (_, target) => {
      calls.push(`pick ${target}`);
      return Promise.resolve(pick(target));
    },
    step: (_, from, direction) => {
      calls.push(`step ${from} ${direction}`);
      return Promise.resolve(pick(`${from.replace('pick_', '')}-${direction}`));
    },
    under: () => Promise.resolve({ chain: [], stack: [pick('x')] }),
    highlight: () => Promise.resolve(undefined),
  };
  const clock = { now: 1_000_000 };
  const off = signal<Off | null>(null);
  const went: Place[] = [];
  const store = new PickStore(
    api,
    { inWindow },
    preview,
    element,
    { annotations: off },
    { go: (p) => void went.push(p) },
    status,
    () => clock.now,
  );
  return { api, calls, element, status, preview, off, went, store, clock };
}

const refused = (name: string, steps: number): Picked =>
  pick(name, {
    startTag: null,
    path: '',
    refusal: {
      code: 'script_made',
      message: 'made',
      detail: { nearest: { name: 'ul', steps, path: [], start: [1, 2] } },
    },
  });

let r = rig();
beforeEach(() => {
  r = rig();
});

describe('pointing', () => {
  it('is a mode, on the page, and ends without a trace', async () => {
    await r.store.arm();
    expect(r.store.mode.value).toBe(true);
    expect(r.went).toEqual(['page']);
    r.store.take(pick('h1'));
    await r.store.leave();
    expect(r.store.mode.value).toBe(false);
    expect(r.store.selection.value).toEqual([]);
    expect(r.element.picked.value).toBeNull();
    expect(r.status.hover.value).toBeNull();
    expect(r.calls).toEqual(['inspect true', 'inspect false']);
  });

  it('says why it is not possible: a plain browser, or the operator', async () => {
    const plain = rig(false);
    await plain.store.arm();
    expect(plain.store.mode.value).toBe(false);
    expect(plain.status.lines[0]?.text).toContain('Desktop required');
    r.off.value = { reason: '', by: 'kill' };
    await r.store.toggle();
    expect(r.status.lines[0]?.text).toContain('switched off');
    expect(r.calls).toEqual([]);
  });

  it('can be wished for before the page is there, and takes as soon as it is', async () => {
    r.preview.phase.value = 'loading';
    await r.store.arm();
    expect(r.store.mode.value).toBe(true);
    expect(r.calls).toEqual([]);
    r.preview.phase.value = 'shown';
    await r.store.again();
    expect(r.calls).toEqual(['inspect true']);
  });

  it('ends where the page refuses it', async () => {
    r.api.inspect = () => Promise.reject(refuse('surface_changed', 422));
    await r.store.arm();
    expect(r.store.mode.value).toBe(false);
    expect(r.status.lines.length).toBe(1);
  });

  it('shows the proof as the pointer moves, and never that of an element it has left', async () => {
    await r.store.arm();
    r.preview.onHover(pick('h1', { startTag: [4, 8], tag: '<h1>' }));
    r.preview.onHover(pick('p', { startTag: [0, 3], tag: '<p>' }));
    await settled();
    expect(r.status.hover.value).toBe('line 1 · bytes 0–3 · <p> · 10 × 10');
    r.preview.onHover(null);
    await settled();
    expect(r.status.hover.value).toContain('Pointing');
  });

  it('is silent about what is hovered when one does not point', async () => {
    r.preview.onHover(pick('h1'));
    await settled();
    expect(r.status.hover.value).toBeNull();
  });
});

describe('the selection', () => {
  it('is one element by a click, several with a key held, and a second click takes out', () => {
    r.store.take(pick('a'));
    r.store.take(pick('b'));
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['b']);
    r.store.hold(true);
    r.store.take(pick('c'));
    r.store.take(pick('d'));
    r.store.take(pick('c', { handle: 'pick_other' })); // the same element under another handle
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['b', 'd']);
    expect(r.store.writing.value).toBe(true);
  });

  it('counts a key as held for a moment after it went up, for the pick comes behind the press', () => {
    r.store.take(pick('a'));
    r.store.hold(true);
    r.store.hold(false);
    r.clock.now += linger - 1;
    r.store.take(pick('b'));
    expect(r.store.selection.value.length).toBe(2);
    r.clock.now += 1;
    r.store.take(pick('c'));
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['c']);
  });

  it('counts no key as held after the window lost the keyboard', () => {
    r.store.take(pick('a'));
    r.store.hold(true);
    r.store.letGo();
    r.store.take(pick('b'));
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['b']);
  });

  it('is brought into the view when it is pointed at by name, and only when it is not there', async () => {
    const shown: string[] = [];
    r.api.highlight = (_, p, scroll) => {
      shown.push(`${p} ${String(scroll === true)}`);
      return Promise.resolve(undefined);
    };
    await r.store.at('h1');
    expect(shown).toEqual([]);
    r.api.pick = () => Promise.resolve(pick('far', { rect: { x: 0, y: 5000, width: 10, height: 10 } }));
    await r.store.at('footer');
    await r.store.bring(812);
    expect(shown).toEqual(['pick_far true', ' false', 'pick_far true', ' false']);
  });

  it('is stepped through by keys that come faster than answers, in order', async () => {
    r.store.take(pick('a'));
    r.store.writing.value = false;
    const gate = deferred<undefined>();
    const step = r.api.step;
    r.api.step = async (...a) => {
      await gate.promise;
      return step(...a);
    };
    const all = [r.store.step('up'), r.store.step('next'), r.store.step('down')];
    gate.resolve(undefined);
    await Promise.all(all);
    expect(r.calls).toEqual(['step pick_a up', 'step pick_a-up next', 'step pick_a-up-next down']);
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['a-up-next-down']);
  });

  it('begins at the body where nothing is selected', async () => {
    await r.store.step('down');
    expect(r.calls).toEqual(['pick body']);
  });

  it('keeps several while the cursor goes on, and space adds', async () => {
    r.store.take(pick('a'));
    r.store.take(pick('b'), true);
    await r.store.step('next');
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['a', 'b']);
    r.store.toggleCursor();
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['a', 'b', 'b-next']);
    r.store.toggleCursor();
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['a', 'b']);
  });

  it('is made by keys alone: space keeps the one that is selected, and adds the next', async () => {
    r.store.take(pick('a'));
    r.store.writing.value = false;
    r.store.toggleCursor();
    await r.store.step('next');
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['a']);
    r.store.toggleCursor();
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['a', 'a-next']);
    r.store.take(pick('b'));
    await r.store.step('next');
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['b-next']);
  });

  it('stays where there is nothing to go to, and says so', async () => {
    r.store.take(pick('a'));
    r.api.step = () => Promise.reject(refuse('selector_no_match', 422));
    await r.store.step('next');
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['a']);
    expect(r.status.lines.at(-1)).toEqual({ text: 'There is no element that way.', tone: 'plain' });
  });

  it('has sixteen targets at most', () => {
    for (let i = 0; i < 20; i++) r.store.take(pick(`e${i}`), true);
    expect(r.store.selection.value.length).toBe(16);
    expect(r.status.lines.length).toBeGreaterThan(0);
  });

  it('is found again after a load, by its path, and let go where it is not', async () => {
    r.store.take(pick('a'));
    r.store.take(pick('b'), true);
    r.api.pick = (_, target) =>
      target.endsWith('b')
        ? Promise.reject(refuse('selector_no_match', 422))
        : Promise.resolve(pick('a', { epoch: 2, handle: 'pick_new' }));
    await r.store.again();
    expect(r.store.selection.value.map((p) => p.handle)).toEqual(['pick_new']);
    r.api.pick = () => Promise.reject(refuse('selector_no_match', 422));
    await r.store.again();
    expect(r.store.selection.value).toEqual([]);
    expect(r.store.writing.value).toBe(false);
  });

  it('is told to the source with the version its bytes count in', () => {
    r.store.take(pick('a'));
    expect(r.element.picked.value).toMatchObject({ preview: 'prv', revisionId: 'rev_1', generation: 1 });
    r.store.take(refused('x', 2));
    expect(r.element.picked.value).toBeNull();
  });
});

describe('a refused element', () => {
  it('is told at once, is not selected, and offers the nearest', async () => {
    r.store.take(refused('li', 2));
    expect(r.store.refused.value?.name).toBe('li');
    expect(r.store.selection.value).toEqual([]);
    expect(r.store.writing.value).toBe(false);
    await r.store.useNearest();
    expect(r.calls).toEqual(['step pick_li up', 'step pick_li-up up']);
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['li-up-up']);
    expect(r.store.refused.value).toBeNull();
  });

  it('does not undo a selection one adds to', () => {
    r.store.take(pick('a'));
    r.store.take(refused('x', 1), true);
    expect(r.store.selection.value.map((p) => p.name)).toEqual(['a']);
  });

  it('has a nearest place only where the refusal says a sound one', () => {
    expect(nearestOf(refused('x', 3))).toEqual({ name: 'ul', steps: 3 });
    expect(nearestOf(refused('x', 0))).toBeNull();
    expect(nearestOf(refused('x', 1e9))).toBeNull();
    expect(nearestOf(pick('a'))).toBeNull();
    expect(nearestOf(null)).toBeNull();
  });
});

describe('same', () => {
  it('compares elements of one load only', () => {
    expect(same(pick('a'), pick('a', { handle: 'pick_z' }))).toBe(true);
    expect(same(pick('a'), pick('a', { epoch: 2 }))).toBe(false);
    expect(same(pick('a', { path: '' }), pick('a', { path: '', handle: 'pick_z' }))).toBe(false);
  });
});

describe('pointing in the desktop app', () => {
  it('adds by what was held at the press in the page, whatever keys the workbench saw', () => {
    const { store, clock } = rig();
    store.take(pick('a'));
    store.press(true);
    store.take(pick('b'));
    expect(store.selection.value.map((p) => p.name)).toEqual(['a', 'b']);
    store.hold(true);
    store.press(false);
    store.take(pick('c'));
    expect(store.selection.value.map((p) => p.name)).toEqual(['c']);
    store.letGo();
    store.press(true);
    clock.now += 5_000;
    store.take(pick('d')); // none of that press
    expect(store.selection.value.map((p) => p.name)).toEqual(['d']);
  });

  it('says what an app lacks that is too old, and not that it takes a desktop', () => {
    expect(lackOf({ inWindow: true, kind: 'desktop', protocol: 4 })).toBeNull();
    expect(lackOf({ inWindow: false, kind: 'desktop', protocol: 3 })).toBe(
      'This app is too old for pointing: it speaks protocol 3. Source and history work.',
    );
    expect(lackOf({ inWindow: false, kind: 'desktop', protocol: 0 })).toContain('could not connect');
    expect(lackOf({ inWindow: false, kind: 'none' })).toContain('plain browser');
  });
});
