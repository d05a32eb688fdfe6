import { describe, expect, test } from 'vitest';
import { fault } from '../scripts/environments.mjs';
import { asked, canBeHandedOver, handedOver, linkedDocument } from '../src/app/arguments.std';
import { menu, type Entry } from '../src/app/menu.std';
import { refusedSwitch } from '../src/app/switches.std';
import { keptState, openAt } from '../src/app/windowstate.std';
import { wordsFor } from '../src/app/words.std';
import { BackOff } from '../src/gatewayproc/backoff.std';
import { environmentFor, greeting, laterGrantOf, Lines, maxLine, readyOf, Tail } from '../src/gatewayproc/lines.std';
import { exposed } from '../src/gatewayproc/trust.node';
import { documentHash, isWorkbench, mayLoad, overlayFile } from '../src/guard/rules.std';
import {
  cardArgs,
  draftArgs,
  fileName,
  maxText,
  nothing,
  placeArgs,
  saveArgs,
  stateArgs,
  submitArgs,
} from '../src/ipc/shapes.std';
import { meaning } from '../src/overlay/field.std';
import { placeCard } from '../src/overlay/place.std';
import { sentKey, sharedCommand, type Input } from '../src/shell/keys.std';
import { arrange } from '../src/shell/zoom.std';

const room = { x: 100, y: 50, width: 800, height: 600 };
const at = (x: number, y: number, width = 100, height = 20) => ({ x, y, width, height });

describe('the card', () => {
  test.each([
    ['below its element', at(200, 100), { x: 200, y: 128 }],
    ['above where there is no room below', at(200, 560), { x: 200, y: 402 }],
    ['in view where there is no room at all', at(200, 60, 100, 580), { x: 200, y: 492 }],
    ['not beyond the right edge', at(890, 100), { x: 540, y: 128 }],
    ['not beyond the left edge', at(-400, 100), { x: 108, y: 128 }],
    ['at the top for an element scrolled away above', at(200, -900), { x: 200, y: 58 }],
    ['at the bottom for one scrolled away below', at(200, 5_000), { x: 200, y: 492 }],
  ])('%s', (_name, rect, where) => {
    expect(placeCard(rect, 150, room)).toEqual({ ...where, width: 352, height: 150 });
  });
  test('is never larger than its room', () => {
    const small = { x: 0, y: 0, width: 200, height: 100 };
    expect(placeCard(at(10, 10), 400, small)).toEqual({ x: 8, y: 8, width: 184, height: 84 });
  });
  const key = { key: 'Enter', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, isComposing: false };
  test.each([
    ['keep', {}],
    ['send', { ctrlKey: true }],
    ['send', { metaKey: true }],
    ['cancel', { key: 'Escape' }],
    [null, { shiftKey: true }],
    [null, { key: 'a' }],
    [null, { isComposing: true }], // Enter that takes what an input method offers
    [null, { keyCode: 229 }],
    [null, { key: 'Escape', isComposing: true }],
  ])('a key means %s: %o', (what, press) => {
    expect(meaning({ ...key, ...press })).toBe(what);
  });
});

describe('the page in its room', () => {
  const p = { room, page: { x: 60, y: -250, width: 1000, height: 4000 }, scale: 0.5, visible: true };
  test('may begin outside it', () => {
    expect(arrange(p, 1)).toEqual({ room, page: { x: -40, y: -300, width: 1000, height: 4000 }, scale: 0.5 });
  });
  test('grows with an enlarged workbench, edges together', () => {
    const a = arrange(p, 1.1);
    expect(a.room).toEqual({ x: 110, y: 55, width: 880, height: 660 });
    expect(a.scale).toBeCloseTo(0.55);
    expect(a.room.x + a.page.x).toBe(66);
  });
});

describe('arguments of strangers', () => {
  test.each([
    ['/home/me/a.html', 1],
    ['b.HTM', 1],
    ['../up/c.html', 1],
    ['C:\\Users\\me\\d.html', 1],
    ['file:///home/me/e%20f.html', 1],
    ['--load-extension=x.html', 0],
    ['-x.html', 0],
    ['\\\\server\\share\\a.html', 0],
    ['//server/share/a.html', 0],
    ['http://example.org/a.html', 0],
    ['file://server/share/a.html', 0],
    ['file:///home/%2f..%2fa.html', 0],
    ['javascript:alert(1)//.html', 0],
    ['/etc/passwd', 0],
    ['a.html\0.png', 0],
    ['', 0],
    ['x'.repeat(5_000) + '.html', 0],
  ])('%j: %i files', (arg, files) => expect(asked([arg]).files).toHaveLength(files));
  test('a file: address is a path', () => expect(asked(['file:///a/b%20c.html']).files).toEqual(['/a/b c.html']));
  test('no more than eight', () =>
    expect(asked(Array.from({ length: 30 }, (_, i) => `${i}.html`)).files).toHaveLength(8));

  const id = 'doc_' + 'a2'.repeat(13);
  test.each([
    [`proofmark://document/${id}`, id],
    [`proofmark://document/${id}/`, id],
    [`proofmark://document/${id}?x=1`, null],
    [`proofmark://document/${id}/../../etc`, null],
    [`proofmark://document/${id.toUpperCase()}`, null],
    [`PROOFMARK://document/${id}`, null],
    ['proofmark://document//etc/passwd', null],
    ['proofmark://open?path=/etc/passwd.html', null],
    [`proofmark://user@document/${id}`, null],
    [`x proofmark://document/${id}`, null],
    [`proofmark://document/${id}\n--inspect`, null],
  ])('link %j', (text, want) => {
    expect(linkedDocument(text)).toBe(want);
    expect(asked([text])).toEqual({ files: [], documents: want === null ? [] : [want] });
  });

  test.each([null, 'x', {}, { args: 'a.html', folder: '/' }, { args: [], folder: 1 }])(
    'a second start that says %j says nothing',
    (d) => {
      expect(handedOver(d)).toBeNull();
    },
  );
  test('a second start hands over no more than the first can read', () => {
    expect(canBeHandedOver(['proofmark', `/${'x'.repeat(4_000)}.html`])).toBe(true);
    expect(canBeHandedOver(Array.from({ length: 70 }, () => `/${'x'.repeat(100)}.html`))).toBe(false);
    expect(canBeHandedOver(['é'.repeat(3_100)])).toBe(false);
  });
  test('a second start hands over words alone', () => {
    expect(handedOver({ args: ['a.html', 1, {}, null], folder: '/x', more: 1 })).toEqual({
      args: ['a.html'],
      folder: '/x',
    });
  });

  const unix = { windows: false, root: false };
  test.each([
    ['--remote-debugging-port=9222'],
    ['--remote-debugging-pipe'],
    ['--inspect'],
    ['--inspect-brk=0'],
    ['-inspect'],
    ['--js-flags=--allow-natives-syntax'],
    ['--no-sandbox'],
    ['--proxy-server=evil:80'],
    ['--gpu-launcher=cmd.exe'],
    ['--load-extension=/x'],
    ['--enable-features=Everything'],
    ['--INSPECT'],
    ['--renderer-cmd-prefix=x'],
  ])('an installed app does not start with %s', (arg) => expect(refusedSwitch(['a.html', arg], unix)).toBe(arg));
  test.each([
    ['a.html'],
    ['--disable-gpu'],
    ['--ozone-platform=wayland'],
    ['--user-data-dir=/x'],
    ['-psn_0_12345'],
    ['/home/me/a.html'],
    ['-'],
  ])('it starts with %s', (arg) => expect(refusedSwitch([arg], unix)).toBeNull());
  test('root may have no sandbox, Windows has a third form, and behind -- all is a name', () => {
    expect(refusedSwitch(['--no-sandbox'], { ...unix, root: true })).toBeNull();
    expect(refusedSwitch(['/gpu-launcher=x'], { windows: true, root: false })).toBe('/gpu-launcher=x');
    expect(refusedSwitch(['--', '--inspect'], unix)).toBeNull();
  });
});

describe('the window', () => {
  const screens = [
    { x: 0, y: 25, width: 1400, height: 900 },
    { x: 1400, y: 0, width: 1000, height: 800 },
  ];
  const kept = { x: 1500, y: 100, width: 900, height: 600, maximized: false };
  test('opens where it was', () => expect(openAt(kept, screens)).toEqual({ x: 1500, y: 100, width: 900, height: 600 }));
  test('keeps its size when its display is gone', () =>
    expect(openAt(kept, screens.slice(0, 1))).toEqual({ width: 900, height: 600 }));
  test('fits a smaller display', () =>
    expect(openAt({ ...kept, width: 4000 }, screens)).toMatchObject({ width: 1000 }));
  test('has a title one can take hold of', () => {
    expect(openAt({ ...kept, x: 20, y: -400 }, screens)).toEqual({ width: 900, height: 600 });
    expect(openAt({ ...kept, x: 2390 }, screens)).toEqual({ width: 900, height: 600 });
  });
  test.each([
    '',
    'null',
    '[]',
    '{"x":1}',
    '{"x":"1","y":0,"width":9,"height":9}',
    '{"x":1e9,"y":0,"width":9,"height":9}',
  ])('nothing is made of %j', (text) => {
    expect(keptState(text)).toBeNull();
    expect(openAt(keptState(text), screens)).toEqual({});
  });
});

describe('the gateway', () => {
  test('that dies quickly five times is given up', () => {
    const b = new BackOff();
    expect([1, 2, 3, 4, 5].map(() => b.next(100))).toEqual([500, 1_000, 2_000, 4_000, null]);
    b.reset();
    expect(b.next(100)).toBe(500);
  });
  test('that lives for a while is waited for longer each time, to half a minute, and never given up', () => {
    const b = new BackOff();
    const waits = Array.from({ length: 10 }, () => b.next(20_000));
    expect(waits.slice(0, 3)).toEqual([500, 1_000, 2_000]);
    expect(waits.at(-1)).toBe(30_000);
    expect(b.next(120_000)).toBe(500);
  });
  const line = {
    ready: true,
    pid: 1,
    port: 4711,
    launch: 'run_x',
    token: 't',
    tokenExpires: '2026-11-30T12:00:00Z',
    protocol: 4,
  };
  test('is ready', () => expect(readyOf(JSON.stringify(line))).toMatchObject({ port: 4711, protocol: 4, token: 't' }));
  test('of an older kind offers no page', () =>
    expect(readyOf(JSON.stringify({ ...line, protocol: undefined }))?.protocol).toBe(0));
  test.each([
    { port: 0 },
    { port: 70_000 },
    { port: '1' },
    { ready: false },
    { token: '' },
    { launch: '' },
    { tokenExpires: 'soon' },
  ])('is not ready with %j', (wrong) => expect(readyOf(JSON.stringify({ ...line, ...wrong }))).toBeNull());
  test('is greeted in one line', () => {
    expect(JSON.parse(greeting({ url: 'ws://127.0.0.1:1/bridge/x', token: 'ab' }))).toEqual({
      protocol: 4,
      relay: { url: 'ws://127.0.0.1:1/bridge/x', token: 'ab' },
    });
  });
  test('says later tokens, and nothing else counts', () => {
    expect(laterGrantOf('{"token":"n","tokenExpires":"2026-11-30T12:00:00Z"}')?.token).toBe('n');
    for (const other of ['', 'x', '[]', '{"token":1}', '{"token":"n"}']) expect(laterGrantOf(other)).toBeNull();
  });
  test('speaks in lines that come in pieces', () => {
    const got: string[] = [];
    let long = 0;
    const lines = new Lines(
      (l) => got.push(l),
      () => long++,
    );
    for (const piece of ['{"a"', ':1}\n{"b', '":2}\nx']) lines.add(piece);
    expect(got).toEqual(['{"a":1}', '{"b":2}']);
    lines.add('y'.repeat(maxLine));
    expect(long).toBe(1);
  });
  test('is remembered by its last words alone', () => {
    const t = new Tail(10);
    t.add('0123456789');
    t.add('abc');
    expect(t.text).toBe('3456789abc');
  });
  test('inherits nothing that steers Node or Electron', () => {
    const env = {
      PATH: '/bin',
      HOME: '/h',
      NODE_OPTIONS: '-r x',
      ELECTRON_RUN_AS_NODE: '1',
      Node_Path: 'x',
      PROOFMARK_DATA_DIR: '/d',
      PROOFMARK_GATEWAY: '/g',
      U: undefined,
    };
    expect(environmentFor(env)).toEqual({ PATH: '/bin', HOME: '/h', PROOFMARK_DATA_DIR: '/d' });
  });
  test.each([
    [0o755, 0, false],
    [0o755, 1000, false],
    [0o775, 0, true],
    [0o757, 0, true],
    [0o1777, 0, true],
    [0o755, 1001, true],
  ])('of mode %o and owner %i can be changed by others: %s', (mode, uid, want) =>
    expect(exposed({ mode, uid }, 1000)).toBe(want),
  );
});

describe('addresses', () => {
  const origin = 'http://127.0.0.1:4711';
  test.each([
    [`${origin}/`, true],
    [`${origin}/#/d/doc_x`, true],
    [`${origin}/v1/documents`, false],
    [`${origin}/?x`, false],
    ['http://127.0.0.1:47110/', false],
    ['http://127.0.0.1:4711@evil.example/', false],
    ['http://evil@127.0.0.1:4711/', false],
    ['http://localhost:4711/', false],
    ['https://127.0.0.1:4711/', false],
    ['file:///x', false],
    ['about:blank', false],
    ['', false],
  ])('the workbench stands at %j: %s', (url, want) => expect(isWorkbench(url, origin)).toBe(want));
  test('a document is named by its fragment alone', () => {
    const id = 'doc_' + 'a2'.repeat(13);
    expect(documentHash(`${origin}/#/d/${id}`)).toBe(`#/d/${id}`);
    for (const other of [`${origin}/#/d/${id}x`, `${origin}/#/d/../x`, `${origin}/`, '', `${origin}/#/e/${id}`])
      expect(documentHash(other)).toBe('');
  });
  test('nothing stands anywhere before there is a gateway', () => expect(isWorkbench('about:blank', '')).toBe(false));
  test.each([
    [`${origin}/v1/x`, true],
    [`blob:${origin}/x`, true],
    ['data:image/png;base64,', true],
    ['blob:http://a.localhost:1/x', false],
    ['ws://127.0.0.1:4711/', false],
    ['http://a.localhost:4712/', false],
    ['https://example.org/', false],
    ['file:///etc/passwd', false],
  ])('the workbench may load %j: %s', (url, want) => expect(mayLoad(url, origin)).toBe(want));
  test.each([
    ['proofmark-overlay://card/overlay.html', 'overlay.html'],
    ['proofmark-overlay://card/overlay.js', 'overlay.js'],
    ['proofmark-overlay://card/main.cjs', null],
    ['proofmark-overlay://card/../main.cjs', null],
    ['proofmark-overlay://card/%2e%2e/package.json', null],
    ['proofmark-overlay://other/overlay.html', null],
    ['proofmark-overlay://card/overlay.js?x', null],
    ['http://card/overlay.html', null],
  ])('the overlay has %j: %s', (url, want) => expect(overlayFile(url)?.name ?? null).toBe(want));
});

describe('messages', () => {
  const card = {
    rect: at(1, 2),
    label: 'l',
    text: 't',
    revision: 1,
    code: '',
    proof: '',
    saving: '',
    alert: '',
    lines: [],
    actions: [],
  };
  test.each<[string, readonly unknown[]]>([
    ['two', [card, 1]],
    ['a text that is too long', [{ ...card, text: 'x'.repeat(maxText + 1) }]],
    ['a text that is too long in bytes', [{ ...card, text: '字'.repeat(maxText / 2) }]],
    ['no label', [{ ...card, label: undefined }]],
    ['a rectangle of NaN', [{ ...card, rect: { ...at(1, 2), x: NaN } }]],
    ['a negative width', [{ ...card, rect: at(1, 2, -1) }]],
    ['a choice that is markup', [{ ...card, actions: [{ choice: '<b>', label: 'x' }] }]],
    ['nine actions', [{ ...card, actions: Array(9).fill({ choice: 'a', label: 'x' }) }]],
    ['a list', [[card]]],
    ['nothing', []],
  ])('a card with %s is refused', (_name, args) => expect(cardArgs(args)).toBeNull());
  test('a card takes along nothing that was not looked at', () => {
    expect(cardArgs([{ ...card, more: 1 }])).toEqual({ value: card });
    expect(cardArgs([null])).toEqual({ value: null });
  });
  test('a place', () => {
    const p = { room, page: room, scale: 1, visible: true };
    expect(placeArgs([p])).toEqual({ value: p });
    for (const wrong of [
      { scale: 0 },
      { scale: Infinity },
      { visible: 1 },
      { room: null },
      { page: { ...room, width: 1e9 } },
    ]) {
      expect(placeArgs([{ ...p, ...wrong }])).toBeNull();
    }
  });
  test('a state', () => {
    const s = { title: 't', language: 'zh', theme: 'dark', commands: [{ id: 'page.point', enabled: true }] };
    expect(stateArgs([s])).toEqual({ value: s });
    for (const wrong of [
      { language: 'xx' },
      { theme: '' },
      { commands: [{ id: 'A B', enabled: true }] },
      { commands: {} },
    ]) {
      expect(stateArgs([{ ...s, ...wrong }])).toBeNull();
    }
  });
  test('the three of the overlay', () => {
    expect(draftArgs(['a'])).toEqual({ value: { type: 'draft', text: 'a' } });
    expect(submitArgs(['keep', 'a'])).toEqual({ value: { type: 'submit', choice: 'keep', text: 'a' } });
    expect(nothing([])).toEqual({ value: null });
    for (const args of [[], [1], ['a', 'b'], ['x'.repeat(maxText + 1)]]) expect(draftArgs(args)).toBeNull();
    for (const args of [['keep'], ['', 'a'], ['keep', 1], ['keep', 'a', 1]]) expect(submitArgs(args)).toBeNull();
    expect(nothing([1])).toBeNull();
  });
  test.each([
    ['a/../../etc/passwd', 'a_.._.._etc_passwd'],
    ['..', 'page.html'],
    ['.bashrc', 'bashrc'],
    ['CON:1.html', 'CON_1.html'],
    ['', 'page.html'],
    ['好.html', '好.html'],
  ])('%j is saved as %j', (name, want) => expect(fileName(name)).toBe(want));
  test('what is saved is bytes', () => {
    expect(saveArgs(['a.html', new ArrayBuffer(2)])?.value.name).toBe('a.html');
    for (const args of [['a.html', 'x'], ['a.html'], [1, new ArrayBuffer(1)]]) expect(saveArgs(args)).toBeNull();
  });
});

describe('keys elsewhere', () => {
  const press: Input = {
    type: 'keyDown',
    key: 'o',
    control: true,
    meta: false,
    shift: false,
    alt: false,
    isComposing: false,
  };
  test('are the workbench’s own', () => {
    expect(sharedCommand(press, false)).toBe('general.open');
    expect(sharedCommand({ ...press, control: false, meta: true }, true)).toBe('general.open');
    expect(sharedCommand({ ...press, key: 'R' }, false)).toBe('page.reload');
  });
  test.each([
    { control: false },
    { alt: true },
    { shift: true },
    { type: 'keyUp' },
    { key: 'c' },
    { isComposing: true },
    { meta: true },
  ])('but not with %j', (other) => {
    expect(sharedCommand({ ...press, ...other }, false)).toBeNull();
  });
  test('are sent on by the names that Electron takes', () => {
    expect(sentKey({ ...press, key: 'ArrowUp', control: false, shift: true })).toEqual({
      keyCode: 'Up',
      modifiers: ['shift'],
    });
    expect(sentKey({ ...press, key: ' ', control: false })).toEqual({ keyCode: 'Space', modifiers: [] });
    expect(sentKey({ ...press, key: 'Escape', control: false }).keyCode).toBe('Escape');
  });
});

describe('the menu', () => {
  const make = (mac: boolean, language: 'en' | 'zh' = 'en') =>
    menu({
      mac,
      words: wordsFor(language),
      commands: new Map([
        ['page.point', true],
        ['changes.undo', false],
      ]),
      recent: [{ id: 'doc_1', name: 'a & b.html' }],
    });
  const all = (entries: Entry[]): Entry[] => entries.flatMap((e) => [e, ...all(e.submenu ?? [])]);
  test('offers what the workbench offers', () => {
    const command = (id: string) =>
      all(make(false)).find((e) => e.does !== undefined && 'command' in e.does && e.does.command === id);
    expect(command('page.point')?.enabled).toBe(true);
    expect(command('changes.undo')?.enabled).toBe(false);
    expect(command('view.page')?.enabled).toBe(false);
  });
  test.each([true, false])('takes no key from the workbench (mac: %s)', (mac) => {
    const taken = all(make(mac)).filter((e) => e.accelerator !== undefined && e.registerAccelerator !== false);
    expect(taken.map((e) => e.accelerator)).not.toContain('P');
    for (const e of taken) expect(e.accelerator).toMatch(/^(Control|Command|CommandOrControl)\+/);
    for (const k of ['O', 'K', 'R', 'S', 'F', 'Enter'])
      expect(taken.map((e) => e.accelerator)).not.toContain(`CommandOrControl+${k}`);
  });
  test('shows names as they are', () => expect(all(make(false)).map((e) => e.label)).toContain('a && b.html'));
  test('has a word for every entry in both languages', () => {
    for (const e of all(make(false, 'zh'))) expect(e.label ?? e.type ?? e.role).toBeTruthy();
    expect(Object.values(wordsFor('zh')).every((w) => w !== '')).toBe(true);
  });
  test('on a Mac begins with the app', () => expect(make(true)[0]?.label).toBe('Proofmark'));
});

test.each([
  ['std', 'node:fs', false],
  ['std', 'electron', false],
  ['std', './a.std', true],
  ['std', './a.node', false],
  ['dom', 'electron', false],
  ['node', 'electron', false],
  ['node', './a.main', false],
  ['preload', 'node:fs', false],
  ['preload', 'electron', true],
  ['main', './a.node', true],
  ['main', './a.dom', false],
  ['main', 'left-pad', false],
])('.%s may import %s: %s', (from, what, may) => expect(fault(from, what) === null).toBe(may));
