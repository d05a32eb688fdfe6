// @vitest-environment happy-dom
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../api/api';
import { Host } from '../api/host';
import type { Outlined, Preview } from '../contract/types';
import { language } from '../i18n';
import { type App, connect, createApp } from '../state/app';
import { doc, fakeDesktop, note, pick, refuse } from '../state/testing';
import { covers } from '../ui/cover';
import { refuseDrops } from '../ui/drops';
import { deskwork } from './desktop';
import { PageView } from './page/PageView';
import { saveAs } from './save';
import { Shell } from './shell/Shell';
import { standing } from './shell/standing';
import { show, type Shown } from './testing';

const room = { left: 0, top: 80, right: 900, bottom: 680 };

let d: ReturnType<typeof fakeDesktop>;
let app: App;
let view: Shown;
let lit: string[];
let made: string[];
let ends: (() => void)[];

/** Where things stand is what happy-dom does not know: the stage has a room, and what floats is where a test says. */
let floats = { left: 0, top: 0, right: 900, bottom: 760 };

async function start(protocol = 4, answers: Record<string, (...args: never[]) => unknown> = {}) {
  d = fakeDesktop(protocol);
  lit = [];
  made = [];
  const api: Record<string, (...args: never[]) => unknown> = {
    annotations: () => Promise.resolve([note('n1', 1), note('n2', 2)]),
    addNote: (_: string, q: { instruction: string }) => {
      made.push(q.instruction);
      return Promise.resolve(note('n3', 3, { instruction: q.instruction }));
    },
    outlines: (_: string, list: readonly Outlined[]) => {
      lit.push(list.map((o) => ('pick' in o ? `${o.pick} ${o.look}` : o.annotation)).join(', '));
      return Promise.resolve();
    },
    pick: (_: string, target: string) => Promise.resolve(pick(target)),
    ...answers,
  };
  const all = new Proxy(api, { get: (own, name: string) => own[name] ?? (() => new Promise(() => undefined)) });
  const host = new Host(() => Promise.reject(new Error('no network')), Date.now, d.desktop);
  await host.greet();
  app = createApp(all as unknown as Api, host, false, null, d.desktop);
  app.preferences.loaded.value = true;
  app.documents.current.value = doc();
  ends.push(standing(app), connect(app), deskwork(app, d.desktop));
}

/** As a page that was loaded. */
async function shown() {
  await act(() => {
    app.preview.preview.value = {
      id: 'prv',
      documentId: 'doc_a',
      revisionId: 'rev_1',
      generation: 1,
      epoch: 1,
    } as Preview;
    app.preview.phase.value = 'shown';
    app.preview.loads.value++;
  });
  await view.settle();
}

/** Does something, and lets the views show it. */
const now = (f: () => unknown) =>
  act(() => {
    f();
  });
const frame = () => act(() => new Promise((resolve) => setTimeout(resolve, 60)));

beforeEach(() => {
  ends = [];
  floats = { left: 0, top: 0, right: 900, bottom: 760 };
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const at = this.classList.contains('stage') ? room : floats;
    return { ...at, x: at.left, y: at.top, width: at.right - at.left, height: at.bottom - at.top } as DOMRect;
  });
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(900);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
});

afterEach(() => {
  view.end();
  ends.forEach((end) => end());
  vi.restoreAllMocks();
  language.value = 'en';
});

describe('the page in the desktop app', () => {
  beforeEach(async () => {
    await start();
    view = await show(app, <Shell />);
    await shown();
  });

  it('has no frame and nothing drawn over it, and the app is told where it is', async () => {
    await frame();
    expect(view.root.querySelector('iframe, .layer, .card-float')).toBeNull();
    expect(d.placed.at(-1)).toEqual({
      room: { x: 0, y: 80, width: 900, height: 600 },
      page: { x: 0, y: 80, width: 900, height: 600 },
      scale: 1,
      visible: true,
    });
  });

  it('is placed anew when it is zoomed, has another width, or is scrolled in its room', async () => {
    await act(() => {
      app.preview.zoom.value = 2;
      app.preview.width.value = 768;
      app.preview.scrolled.value = { x: 100, y: 50 };
    });
    await frame();
    expect(d.placed.at(-1)).toMatchObject({ page: { x: -100, y: 30, width: 1536, height: 600 }, scale: 2 });
  });

  it('goes while another place is looked at, and while it is loaded', async () => {
    await frame();
    await now(() => app.places.go('source'));
    await frame();
    expect(d.placed.at(-1)?.visible).toBe(false);
    await now(() => app.places.go('page'));
    await frame();
    expect(d.placed.at(-1)?.visible).toBe(true);
    await now(() => (app.places.review.value = 'turn'));
    await frame();
    expect(d.placed.at(-1)?.visible).toBe(false);
    await now(() => (app.places.review.value = null));
    await frame();
    expect(d.placed.at(-1)?.visible).toBe(true);
    await now(() => (app.preview.phase.value = 'loading'));
    await frame();
    expect(d.placed.at(-1)?.visible).toBe(false);
  });

  it('makes room for a menu that lies over it, and not for one that lies beside it', async () => {
    await frame();
    floats = { left: 920, top: 40, right: 1100, bottom: 400 };
    await now(() => view.named('Menu', '.bar button').click());
    await frame();
    expect(covers.value.size).toBe(1);
    expect(d.placed.at(-1)?.visible).toBe(true);
    floats = { left: 0, top: 0, right: 900, bottom: 80 };
    await frame();
    floats = { left: 0, top: 680, right: 900, bottom: 700 };
    await frame();
    floats = { left: -200, top: 80, right: 0, bottom: 680 };
    await frame();
    expect(d.placed.at(-1)?.visible).toBe(true);
    expect(d.calls).not.toContain('still');
    floats = { left: 700, top: 40, right: 940, bottom: 400 };
    await frame();
    expect(d.calls).toContain('still');
    view.root.querySelector('img.slot')?.dispatchEvent(new Event('load'));
    await frame();
    expect(d.placed.at(-1)?.visible).toBe(false);
    await view.press('Escape');
    await frame();
    expect(d.placed.at(-1)?.visible).toBe(true);
    expect(view.root.querySelector('img.slot')).toBeNull();
  });
});

describe('the rail', () => {
  const at = (y: number) => ({ x: 0, y, width: 50, height: 20 });
  beforeEach(async () => {
    await start();
    view = await show(app, <PageView />);
    await shown();
    await act(async () => {
      await app.notes.open('doc_a');
      app.pins.notes.value = new Map([
        ['n1', [{ id: 'n1', target: 1, rect: at(100), shared: 1 }]],
        ['n2', [{ id: 'n2', rect: at(-500), shared: 1 }]],
      ]);
    });
    await view.settle();
  });
  const pins = () => [...view.root.querySelectorAll<HTMLElement>('.rail .pin')];

  it('shows a pin at the height of its element, and gathers what is not in view', () => {
    expect(pins().map((p) => p.getAttribute('aria-label'))).toEqual([
      '1 note further up. Go to note 2.',
      'Note 1: do n1',
    ]);
    expect(pins()[1]?.style.top).toBe('100px');
  });

  it('lights the note that is pressed, and goes to one that is gathered', async () => {
    await now(() => pins()[1]?.click());
    expect(app.places.activeNote.value).toBe('n1');
    expect(pins()[1]?.getAttribute('aria-pressed')).toBe('true');
    await now(() => pins()[0]?.click());
    expect(app.places.activeNote.value).toBe('n2');
  });

  it('outlines the elements of a pin in the page while it is pointed at or has the focus', async () => {
    await now(() => pins()[1]?.dispatchEvent(new MouseEvent('mouseenter')));
    await view.settle();
    expect(lit).toEqual(['n1']);
    await now(() => pins()[1]?.dispatchEvent(new MouseEvent('mouseleave')));
    await view.settle();
    expect(lit.at(-1)).toBe('');
    await now(() => pins()[1]?.focus());
    await view.settle();
    expect(lit.at(-1)).toBe('n1');
  });

  it('outlines all that is selected, also while one points, with the cursor beside it and the note that is lit', async () => {
    app.api.inspect = () => Promise.resolve(undefined);
    await now(() => void app.pick.arm());
    await now(() => app.pick.take(pick('h1')));
    await now(() => app.pick.take(pick('h2'), true));
    await view.settle();
    expect(lit.at(-1)).toBe('pick_h1 selected, pick_h2 selected');
    await now(() => (app.pick.cursor.value = pick('p')));
    await now(() => (app.places.activeNote.value = 'n2'));
    await view.settle();
    expect(lit.at(-1)).toBe('n2, pick_h1 selected, pick_h2 selected, pick_p cursor');
    const not = { code: 'not_in_source', message: 'a script made it' } as never;
    await now(() => (app.pick.cursor.value = pick('b', { refusal: not, startTag: null })));
    await view.settle();
    expect(lit.at(-1)).toBe('n2, pick_h1 selected, pick_h2 selected, pick_b refused');
    await now(() => (app.places.place.value = 'source'));
    await view.settle();
    expect(lit.at(-1)).toBe('');
  });

  it('outlines it anew when the page was loaded again', async () => {
    await now(() => (app.places.activeNote.value = 'n1'));
    await view.settle();
    await shown();
    expect(lit).toEqual(['n1', 'n1']);
  });

  it('counts several that are pressed with a key in the page', async () => {
    await now(() => app.pick.take(pick('h1', { rect: at(200) })));
    await now(() => d.press(true));
    await now(() => app.preview.onPicked(pick('h2', { rect: at(300) })));
    expect(app.pick.selection.value.map((p) => p.name)).toEqual(['h1', 'h2']);
  });

  it('marks what is selected, and the page outlines it', async () => {
    await now(() => app.pick.take(pick('h1', { rect: at(200) })));
    await view.settle();
    const span = view.root.querySelector<HTMLElement>('.rail .span');
    expect([span?.style.top, span?.style.height]).toEqual(['200px', '20px']);
    expect(lit.at(-1)).toBe('pick_h1 selected');
    await now(() => app.pick.clear());
    await view.settle();
    expect(view.root.querySelector('.rail .span')).toBeNull();
    expect(lit.at(-1)).toBe('');
  });
});

describe('the note above the page', () => {
  beforeEach(async () => {
    await start();
    await app.notes.open('doc_a');
    view = await show(app, <PageView />);
    await shown();
    await now(() => app.pick.take(pick('h1', { rect: { x: 10, y: 20, width: 100, height: 30 } })));
    await view.settle();
  });
  const card = () => d.cards.at(-1) ?? null;
  const hear = async (m: Parameters<typeof d.hear>[0]) => {
    await now(() => d.hear(m));
    await view.settle();
  };

  it('says what the box in the window says', () => {
    expect(card()).toMatchObject({
      rect: { x: 10, y: 100, width: 100, height: 30 },
      label: 'What should change here?',
      text: '',
      code: 'h1',
      proof: '1 place in the source ✓',
    });
    expect(card()?.actions.map((a) => [a.choice, a.disabled ?? false])).toEqual([
      ['direct', false],
      ['keep', true],
      ['send', true],
    ]);
  });

  it('is written in the person’s language', async () => {
    await now(() => (language.value = 'zh'));
    await view.settle();
    expect(card()).toMatchObject({ label: '这里要改什么？', proof: '源文件中 1 处 ✓' });
  });

  it('is a draft as it is typed, and kept by Enter', async () => {
    const before = card()?.revision;
    await hear({ type: 'draft', text: 'short' });
    expect(app.notes.box.value?.text.text.value).toBe('short');
    expect(card()).toMatchObject({ text: 'short', saving: 'saving', revision: before });
    await hear({ type: 'submit', choice: 'keep', text: 'shorter' });
    expect(made.at(-1)).toBe('shorter');
    expect(app.notes.box.value).toBeNull();
    expect(card()).toBeNull();
  });

  it('is stored to the last letter before the app ends', async () => {
    await hear({ type: 'draft', text: 'to the last letter' });
    expect(made).toEqual([]);
    let stored = false;
    await act(async () => {
      app.preferences.set('review', true);
      app.api.savePreferences = (p) => {
        stored = p.review === true;
        return Promise.resolve(p);
      };
      await d.leave();
    });
    expect(made).toEqual(['to the last letter']);
    expect(stored).toBe(true);
  });

  it('leaves the field alone, however fast one types', async () => {
    const before = card()?.revision;
    const typed = 'letter by letter, faster than anything is drawn';
    for (let i = 1; i <= typed.length; i++) {
      d.hear({ type: 'draft', text: typed.slice(0, i) });
      // What was typed is drawn, and what follows a drawing waits for the next frame.
      for (let n = 0; n < 5; n++) await Promise.resolve();
    }
    await view.settle();
    expect(new Set(d.cards.slice(-10).map((c) => c?.revision))).toEqual(new Set([before]));
    expect(card()?.text).toBe(typed);
  });

  it('goes by Esc, and keeps the selection', async () => {
    await hear({ type: 'draft', text: 'one' });
    await hear({ type: 'cancel' });
    expect(app.pick.writing.value).toBe(false);
    expect(app.pick.selection.value).toHaveLength(1);
    expect(card()).toBeNull();
  });

  it('takes what the note became elsewhere, and offers both where both were changed', async () => {
    const text = app.notes.box.value?.text;
    await hear({ type: 'draft', text: 'mine' });
    await act(() => {
      if (text === undefined) throw new Error('no box');
      text.theirs.value = note('n3', 3, { instruction: 'theirs' });
      text.saving.value = 'conflict';
    });
    await view.settle();
    expect(card()?.lines.at(-1)).toContain('theirs');
    expect(card()?.actions.map((a) => a.choice)).toEqual(['mine', 'theirs', 'direct', 'keep', 'send']);
    const before = card()?.revision ?? 0;
    await hear({ type: 'submit', choice: 'theirs', text: 'mine' });
    expect(card()).toMatchObject({ text: 'theirs', revision: before + 1, lines: [] });
  });

  it('leaves while something covers the page, and is back with its text', async () => {
    await hear({ type: 'draft', text: 'half' });
    await now(() => (app.slot.covered.value = true));
    await view.settle();
    expect(card()).toBeNull();
    expect(app.notes.box.value).not.toBeNull();
    await now(() => (app.slot.covered.value = false));
    await view.settle();
    expect(card()).toMatchObject({ text: 'half' });
  });

  it('opens the direct edits as a dialog of the workbench', async () => {
    await hear({ type: 'submit', choice: 'direct', text: '' });
    expect(view.root.querySelector('[role=dialog] form.direct')).not.toBeNull();
  });

  it('says why an element is refused, and takes the nearest one', async () => {
    const steps: string[] = [];
    app.api.step = (_, from) => {
      steps.push(from);
      return Promise.resolve(pick('ul'));
    };
    await now(() => app.pick.leave());
    const nearest = { name: 'ul', steps: 1, path: '' };
    await act(() =>
      app.pick.take(
        pick('li', { startTag: null, refusal: { code: 'script_made', message: 'x', detail: { nearest } } }),
      ),
    );
    await view.settle();
    expect(card()).toMatchObject({ text: null, lines: ['A script made this element, so it is not in the file.'] });
    await hear({ type: 'submit', choice: 'nearest', text: '' });
    expect(steps).toEqual(['pick_li']);
    expect(card()).toMatchObject({ code: 'ul', text: '' });
  });
});

describe('an app that is too old', () => {
  it('says so in both languages, shows a picture, and is told of no place', async () => {
    await start(3, { previewPicture: () => Promise.resolve(new Blob()) });
    view = await show(app, <PageView />);
    await shown();
    expect(view.root.textContent).toContain('This app is too old for pointing: it speaks protocol 3.');
    expect(view.root.textContent).not.toContain('Desktop required');
    await now(() => (language.value = 'zh'));
    expect(view.root.textContent).toContain('此应用版本过旧');
    expect(app.pick.why.value).toContain('此应用版本过旧');
    expect(view.root.querySelector('.rail')).toBeNull();
    expect(d.placed).toEqual([]);
  });
});

describe('the window around the workbench', () => {
  const last = () => d.states.at(-1);
  const enabled = () => last()?.commands.flatMap((c) => (c.enabled ? [c.id] : []));
  beforeEach(async () => {
    await start();
    view = await show(app, <Shell />);
    await shown();
  });

  it('is told the title, language, theme, and what can be done now', async () => {
    expect(last()).toMatchObject({ title: 'page.html – Proofmark', language: 'en' });
    expect(enabled()).toContain('page.point');
    expect(enabled()).not.toContain('source.save');
    await act(() => {
      app.preferences.set('theme', 'dark');
      language.value = 'zh';
    });
    expect(last()).toMatchObject({ language: 'zh', theme: 'dark' });
    const told = d.states.length;
    await now(() => (app.documents.current.value = { ...doc() }));
    expect(d.states).toHaveLength(told);
  });

  it('runs what the menu asks for, if it is offered', async () => {
    await now(() => d.command('view.source'));
    expect(app.places.place.value).toBe('source');
    const open = app.preferences.panelOpen.value;
    await now(() => d.command('view.panel'));
    expect(app.preferences.panelOpen.value).toBe(!open);
    await now(() => d.command('notes.send')); // there is nothing to send
    await now(() => d.command('no.such.thing'));
    await now(() => d.command('general.open'));
    expect(app.places.opening.value).toBe(true);
  });

  it('opens a page anew that is gone, where it is to be loaded again', async () => {
    const opened: string[] = [];
    app.api.openPreview = (id) => {
      opened.push(id);
      return new Promise(() => undefined);
    };
    await now(() => (app.preview.phase.value = 'gone'));
    await now(() => d.command('page.reload'));
    await view.settle();
    expect(opened).toEqual(['doc_a']);
  });

  it('has every command of the menu, offered or not', () => {
    expect(last()?.commands.map((c) => c.id)).toEqual([
      'general.open',
      'general.palette',
      'general.keys',
      'view.page',
      'view.source',
      'view.changes',
      'page.point',
      'page.reload',
      'notes.send',
      'changes.undo',
      'changes.redo',
      'source.save',
      'source.find',
      'view.panel',
      'file.download',
      'file.export',
    ]);
  });

  it('opens the file it hands over, and says what stands in the way', async () => {
    app.places.opening.value = true;
    app.api.open = (path) =>
      path === '/tmp/b.html'
        ? (Promise.resolve({ ...doc({ id: 'doc_b', path }) }) as never)
        : Promise.reject(refuse('not_found', 404));
    await now(() => d.open('/tmp/b.html'));
    await view.settle();
    expect(app.documents.id.value).toBe('doc_b');
    expect(app.places.opening.value).toBe(false);
    await now(() => d.open('/tmp/none.html'));
    await view.settle();
    expect(app.status.line.value).toMatchObject({ tone: 'bad' });
  });

  it('is asked for a file, and where to save one', async () => {
    await now(() => d.command('general.open'));
    await view.settle();
    expect(document.activeElement?.textContent).toBe('Choose a file…');
    await now(() => view.named('Choose a file…').click());
    expect(d.calls).toContain('dialog');
    expect(await saveAs(new Blob(['bytes']), 'page.html', d.desktop)).toBe(true);
    expect(d.saved).toEqual([{ name: 'page.html', text: 'bytes' }]);
    d.answers.save = () => false;
    expect(await saveAs(new Blob(['bytes']), 'page.html', d.desktop)).toBe(false);
  });

  it('takes a single file that is dropped anywhere, and not several', () => {
    ends.push(refuseDrops((file) => d.desktop.dropped(file)));
    const drop = (...names: string[]) => {
      const e = new Event('drop', { bubbles: true, cancelable: true }) as Event & { dataTransfer: unknown };
      e.dataTransfer = { types: ['Files'], files: names.map((n) => new File(['x'], n)), dropEffect: '' };
      view.root.querySelector('.bar')?.dispatchEvent(e);
      return e.defaultPrevented;
    };
    expect(drop('a.html')).toBe(true);
    expect(drop('b.html', 'c.html')).toBe(true);
    expect(d.calls.filter((c) => c.startsWith('dropped'))).toEqual(['dropped a.html']);
  });

  it('says the hints above the page, not over it', async () => {
    await now(() => (app.documents.current.value = doc({ path: '/x/sample/landing/index.html' })));
    await view.settle();
    const hints = view.root.querySelector('.hints');
    expect(hints?.classList.contains('strip')).toBe(true);
    expect(hints?.closest('.room')).toBeNull();
  });
});
