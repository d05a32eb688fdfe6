import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { App, canRun, gateway, lives, until, type Page } from './rig.node';

// The real app in the real Electron, on a screen that nobody sees.

const here = canRun ? describe : describe.skip;
const place = {
  room: { x: 0, y: 40, width: 900, height: 600 },
  page: { x: 0, y: 40, width: 900, height: 600 },
  scale: 1,
  visible: true,
};
const card = {
  rect: { x: 300, y: 120, width: 200, height: 40 },
  label: 'What should change?',
  text: '',
  revision: 1,
  code: 'h1',
  proof: '1 exact place',
  saving: '',
  alert: '',
  lines: [],
  actions: [
    { choice: 'keep', label: 'Keep' },
    { choice: 'send', label: 'Send', primary: true },
  ],
};

/** What the workbench would do, from its own page. */
const desktop = (call: string) => `proofmarkDesktop.${call}; 1`;

here('a running app', { timeout: 180_000 }, () => {
  let app: App;
  let workbench: Page;
  let overlay: Page;
  let main: Page;
  beforeAll(async () => {
    app = await App.start();
    workbench = await app.workbench();
    overlay = await app.page('proofmark-overlay:');
    main = await app.main();
    await workbench.value(
      'globalThis.said = []; globalThis.told = []; proofmarkDesktop.onCard((m) => said.push(m)); proofmarkDesktop.onCommand((m) => told.push(m)); 1',
    );
  }, 180_000);
  afterAll(() => app.close());

  /** The three kinds of pages by their place: 0 the workbench, 2 the card. */
  const view = (i: number) => `electron.BaseWindow.getAllWindows()[0].contentView.children[${i}]`;
  const saidOf = (page: Page, type: string) =>
    until(`a ${type}`, () =>
      page.value<Record<string, unknown>>(`said.findLast((m) => m.type === ${JSON.stringify(type)})`),
    );

  describe('is hardened', () => {
    const preferences = (i: number) =>
      main.value<Record<string, unknown>>(
        `(() => { const p = ${view(i)}.webContents.getLastWebPreferences(); return { ...p, session: 0 }; })()`,
      );
    const surfaces: [string, number][] = [
      ['workbench', 0],
      ['card', 2],
    ];
    const wanted: [string, string, unknown][] = [
      ['2', 'nodeIntegration', false],
      ['2', 'nodeIntegrationInSubFrames', false],
      ['3', 'contextIsolation', true],
      ['4', 'sandbox', true],
      ['6', 'webSecurity', true],
      ['8', 'allowRunningInsecureContent', false],
      ['9', 'experimentalFeatures', false],
      ['10', 'enableBlinkFeatures', ''],
      ['11', 'webviewTag', false],
    ];
    for (const [name, i] of surfaces) {
      test.each(wanted)(`point %s, ${name}: %s is %s`, async (_n, key, value) =>
        expect((await preferences(i))[key]).toBe(value),
      );
    }
    test('point 1: pages come from the gateway on loopback, or from the app', async () => {
      expect(await workbench.value('location.origin')).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(await overlay.value('location.href')).toBe('proofmark-overlay://card/overlay.html');
    });
    test('point 2: no Node in any page', async () => {
      for (const p of [workbench, overlay])
        expect(await p.value('typeof require + typeof process + typeof module + typeof Buffer')).toBe(
          'undefined'.repeat(4),
        );
    });
    test.each(['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-read'])(
      'point 5: %s is denied',
      async (name) => {
        for (const p of [workbench, overlay]) {
          const state = await p.value(
            `navigator.permissions === undefined ? 'denied' : navigator.permissions.query({ name: ${JSON.stringify(name)} }).then((s) => s.state, () => 'denied')`,
          );
          expect(state).toBe('denied');
        }
      },
    );
    test('point 5: the workbench may write to the clipboard, the card may not', async () => {
      await main.value(`${view(0)}.webContents.focus(); 1`);
      await until('focus', () => workbench.value('document.hasFocus()'));
      expect(await workbench.value('navigator.clipboard.writeText("x").then(() => "written", (e) => e.name)')).toBe(
        'written',
      );
      await main.value(`${view(2)}.webContents.focus(); 1`);
      expect(await overlay.value('navigator.clipboard.writeText("y").then(() => "written", (e) => e.name)')).toBe(
        'NotAllowedError',
      );
      expect(await main.value('electron.clipboard.readText()')).toBe('x');
    });
    test('point 7: the policies', async () => {
      const policy =
        (await fetch(`${await workbench.value<string>('location.origin')}/`)).headers.get('content-security-policy') ??
        '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|\*(?![.:])/);
      for (const p of [workbench, overlay]) {
        expect(
          await p.value(
            '(() => { const s = document.createElement("script"); s.textContent = "globalThis.ran = 1"; document.head.append(s); return typeof ran; })()',
          ),
        ).toBe('undefined');
        await expect(p.value('fetch("https://example.org/")')).rejects.toThrow();
      }
      await expect(overlay.value('fetch("overlay.js")')).rejects.toThrow();
    });
    test('points 11 and 12: a guest comes to nothing', async () => {
      const before = await main.value('electron.webContents.getAllWebContents().length');
      for (const p of [workbench, overlay])
        await p.value(
          'document.body.append(Object.assign(document.createElement("webview"), { src: "https://example.org/" })); 1',
        );
      await sleep(200);
      expect(await main.value('electron.webContents.getAllWebContents().length')).toBe(before);
    });
    test.each([
      'https://example.org/',
      'file:///etc/passwd',
      'http://127.0.0.1:1/',
      'data:text/html,x',
      'mailto:a@example.org',
      'proofmark://document/x',
      'javascript:location="https://example.org"',
    ])('point 13: nobody goes to %s', async (to) => {
      for (const p of [workbench, overlay]) {
        const at = await p.value('location.href');
        await p.value(`void (location.href = ${JSON.stringify(to)}); 1`);
        await p.value(
          `(() => { const f = document.createElement('iframe'); f.src = ${JSON.stringify(to)}; document.body.append(f); setTimeout(() => f.remove(), 100); })(); 1`,
        );
        await sleep(120);
        expect(await p.value('location.href')).toBe(at);
      }
      const frames = await main.value<[string, string][]>(
        'electron.webContents.getAllWebContents().flatMap((c) => c.mainFrame.frames.map((f) => [f.url, f.origin]))',
      );
      // A frame that was stopped says what it was to show, with an origin of its own and nothing in it.
      for (const [url, origin] of frames) if (url !== '') expect(origin).toBe('null');
    });
    test('point 14: no windows', async () => {
      const before = await main.value('electron.webContents.getAllWebContents().length');
      for (const p of [workbench, overlay])
        expect(await p.value('window.open("https://example.org/") === null && window.open() === null')).toBe(true);
      expect(await main.value('electron.webContents.getAllWebContents().length')).toBe(before);
    });
    test('point 15: nothing asks the system to open anything', () => {
      expect(readFileSync(join(import.meta.dirname, '../dist/main.cjs'), 'utf8')).not.toMatch(
        /openExternal|openPath|\bshell\b\s*[,}].*require\("electron"\)/,
      );
    });
    test('point 17: a page that is not the workbench gets nothing, though it stands in its place', async () => {
      await main.value(`${view(0)}.webContents.loadURL('data:text/html,<p>stranger').then(() => 1)`);
      const stranger = await app.page('data:text/html');
      expect(await stranger.value('typeof proofmarkDesktop')).toBe('object');
      for (const ask of ['token()', 'hello()', 'still()', 'save("a.html", new ArrayBuffer(1))']) {
        await expect(stranger.value(`proofmarkDesktop.${ask}`)).rejects.toThrow('refused');
      }
      await stranger.value(desktop('openDialog()'));
      await main.value(`${view(0)}.webContents.navigationHistory.goBack(); 1`);
      workbench = await app.workbench();
      await workbench.value(
        'globalThis.said = []; globalThis.told = []; proofmarkDesktop.onCard((m) => said.push(m)); proofmarkDesktop.onCommand((m) => told.push(m)); 1',
      );
      expect(app.said).toContain('refused a message on workbench:open-dialog: its sender');
    });
    test('point 17: arguments are looked at, and what is not allowed leaves no trace', async () => {
      await expect(workbench.value('proofmarkDesktop.save("a", "text")')).rejects.toThrow('refused');
      await workbench.value(desktop('place({ room: 1 })'));
      await workbench.value(desktop('state({ title: "SECRET", language: "xx" })'));
      await until(
        'the refusals',
        () =>
          app.said.includes('workbench:place: its arguments') && app.said.includes('workbench:state: its arguments'),
      );
      expect(app.said).not.toContain('SECRET');
      expect(await main.value('electron.BaseWindow.getAllWindows()[0].getTitle()')).not.toContain('SECRET');
    });
    test('point 17: what a page finds is frozen, and there is no other channel', async () => {
      expect(await workbench.value('Object.isFrozen(proofmarkDesktop)')).toBe(true);
      expect(await overlay.value('Object.isFrozen(proofmarkCard) && Object.keys(proofmarkCard).sort().join()')).toBe(
        'cancel,draft,onShow,submit',
      );
      expect(await main.value('electron.ipcMain.eventNames().filter((n) => n !== "error").length')).toBe(0); // all are the views' own
    });
    test('point 18: the overlay has its three files, and no way to others', async () => {
      const status = (path: string) =>
        main.value<number>(
          `${view(2)}.webContents.session.fetch('proofmark-overlay://card/${path}', { bypassCustomProtocolHandlers: false }).then((r) => r.status, () => 0)`,
        );
      expect(await status('overlay.js')).toBe(200);
      for (const path of ['main.cjs', 'overlay.preload.cjs', '..%2fpackage.json', ''])
        expect(await status(path)).not.toBe(200);
    });
    test('sessions keep nothing on the disk', async () => {
      for (const [, i] of surfaces)
        expect(await main.value(`${view(i)}.webContents.session.isPersistent()`)).toBe(false);
    });
    test('a page that nobody made on purpose reaches nobody, and opens nothing', async () => {
      const tried = await main.value<string[]>(`(async () => {
        const v = new electron.WebContentsView();
        const out = [];
        for (const url of ['https://example.org/', 'file:///etc/passwd', 'data:text/html,x', 'http://127.0.0.1:1/']) {
          out.push(await v.webContents.loadURL(url).then(() => 'loaded', (e) => e.code));
        }
        v.webContents.close();
        return out;
      })()`);
      for (const end of tried) expect(end).toMatch(/^ERR_(BLOCKED_BY_CLIENT|FAILED)$/);
      expect(tried).toHaveLength(4);
    });
    test('a certificate that does not hold is refused', async () => {
      const answers = await main.value<unknown[]>(`(() => {
        const said = [];
        electron.app.emit('certificate-error', { preventDefault: () => said.push('prevented') }, { emit: () => 0 }, 'https://x/', 'ERR', {}, (ok) => said.push(ok));
        return said;
      })()`);
      expect(answers).toEqual(['prevented', false]);
    });
    test('the card cannot be looked into, and nothing is downloaded', async () => {
      await main.value(`${view(2)}.webContents.openDevTools({ mode: 'detach' }); 1`);
      await sleep(200);
      expect(await main.value(`${view(2)}.webContents.isDevToolsOpened()`)).toBe(false);
      await workbench.value(
        '(() => { const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["x"])); a.download = "x.exe"; document.body.append(a); a.click(); a.remove(); })(); 1',
      );
      await sleep(200);
      expect(app.said).not.toContain('x.exe');
    });
  });

  test('the token goes to the workbench alone, and stands nowhere', async () => {
    const { token, expires } = await workbench.value<{ token: string; expires: string }>('proofmarkDesktop.token()');
    expect(Date.parse(expires)).toBeGreaterThan(Date.now());
    const health = await fetch(`${await workbench.value<string>('location.origin')}/v1/health`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(health.status).toBe(200);
    const all = execFileSync('ps', ['-ewwo', 'args='], { encoding: 'utf8' });
    for (const pid of app.gateways())
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/eyJ|Bearer|ELECTRON_|NODE_/);
    expect(all).not.toContain(token);
    expect(app.said).not.toMatch(/eyJ[a-zA-Z0-9_-]{10}/);
    expect(await workbench.value('proofmarkDesktop.hello()')).toMatchObject({
      host: 'desktop',
      features: { documentWorkbenchResources: true },
    });
  });

  describe('the card', () => {
    const show = (more: object = {}) =>
      workbench.value(
        `${desktop(`place(${JSON.stringify(place)})`)}; ${desktop(`card(${JSON.stringify({ ...card, ...more })})`)}`,
      );
    const visible = () =>
      main
        .value<boolean>(`${view(2)}.getBounds().x > 0`)
        .then(async (v) => v && (await overlay.value<boolean>('document.visibilityState === "visible"')));
    const key = async (k: string, modifiers = 0) => {
      const text = k === 'Enter' ? '\r' : k.length === 1 ? k : undefined;
      const code = { Enter: 13, Escape: 27, Tab: 9 }[k] ?? k.toUpperCase().charCodeAt(0);
      for (const type of ['keyDown', 'keyUp'])
        await overlay.send('Input.dispatchKeyEvent', {
          type,
          key: k,
          windowsVirtualKeyCode: code,
          modifiers,
          ...(type === 'keyDown' && text !== undefined && modifiers !== 2 && { text }),
        });
    };
    const field = () => overlay.value<string>('document.querySelector("textarea").value');

    test('lies above the page at its element, has the keyboard, and grows with its text', async () => {
      await show();
      await until('the card', visible);
      const bounds = await until('its place', () =>
        main.value<{ x: number; y: number; height: number }>(
          `(() => { const b = ${view(2)}.getBounds(); return b.y === 168 - 16 && b.height < 250 ? b : null; })()`,
        ),
      );
      expect(bounds.x).toBe(300 - 16);
      await until('focus', () => overlay.value('document.hasFocus() && document.activeElement.tagName === "TEXTAREA"'));
      await overlay.send('Input.insertText', { text: 'one\ntwo\nthree\nfour\nfive\nsix' });
      await until('a taller card', () => main.value<boolean>(`${view(2)}.getBounds().height > ${bounds.height + 40}`));
      expect(await saidOf(workbench, 'draft')).toEqual({ type: 'draft', text: 'one\ntwo\nthree\nfour\nfive\nsix' });
    });
    test('goes below whatever covers the page', async () => {
      await workbench.value(desktop(`place(${JSON.stringify({ ...place, visible: false })})`));
      await until('no card', async () => !(await visible()));
      await workbench.value(desktop(`place(${JSON.stringify(place)})`));
      await until('the card', visible);
    });
    test('keeps the keyboard while the page is covered, unless something else is asked for', async () => {
      await show({ text: 'a', revision: 2 });
      await main.value(`${view(2)}.webContents.focus(); 1`);
      await until('focus', () => overlay.value('document.hasFocus() && document.activeElement.tagName === "TEXTAREA"'));
      await workbench.value(desktop(`place(${JSON.stringify({ ...place, visible: false })})`));
      await until('no card', async () => !(await visible()));
      expect(await main.value(`${view(2)}.webContents.isFocused()`)).toBe(true);
      await main.value(`${view(2)}.webContents.sendInputEvent({ type: 'char', keyCode: 'z' }); 1`);
      await until('the letter', async () => (await field()).includes('z'));
      await main.value(
        `${view(2)}.webContents.sendInputEvent({ type: 'keyDown', keyCode: 'k', modifiers: ['control'] }); 1`,
      );
      await until('the palette’s turn', () => workbench.value('told.includes("general.palette")'));
      expect(await main.value(`${view(0)}.webContents.isFocused()`)).toBe(true);
      await workbench.value(desktop(`place(${JSON.stringify(place)})`));
      await until('the card', visible);
    });
    test('takes what others wrote as text', async () => {
      await show({
        label: '<img src=x onerror=alert(1)>',
        proof: '<b>p</b>',
        code: '<i>',
        lines: ['<script>1</script>'],
        actions: [{ choice: 'keep', label: '<u>k</u>' }],
      });
      await until('the words', () =>
        overlay.value('document.querySelector("#card button").textContent === "<u>k</u>"'),
      );
      expect(
        await overlay.value('document.querySelectorAll("#card img, #card b, #card i, #card script, #card u").length'),
      ).toBe(0);
    });
    test('keeps what is typed until its revision grows', async () => {
      await workbench.value(desktop('card(null)'));
      await show({ text: 'from elsewhere', revision: 5 });
      await until('the text', async () => (await field()) === 'from elsewhere');
      await overlay.send('Input.insertText', { text: '!' });
      await show({ text: 'stale', revision: 5, saving: 'Saved' });
      await until('the state', () => overlay.value('document.querySelector(".saving").textContent === "Saved"'));
      expect(await field()).toBe('from elsewhere!');
      await show({ text: 'newer', revision: 6 });
      await until('the newer text', async () => (await field()) === 'newer');
    });
    test('leaves Enter and Escape to an input method', async () => {
      await workbench.value('said.length = 0; 1');
      await overlay.send('Input.imeSetComposition', { text: '你', selectionStart: 1, selectionEnd: 1 });
      await overlay.value(
        `document.querySelector('textarea').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })); document.querySelector('textarea').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true })); 1`,
      );
      expect(await workbench.value('said.filter((m) => m.type !== "draft").length')).toBe(0);
      await overlay.send('Input.insertText', { text: '你好' });
      await until('the words', async () =>
        ((await saidOf(workbench, 'draft')) as { text: string }).text.includes('你好'),
      );
    });
    test('refuses what is too long before it is in', async () => {
      const before = await field();
      await overlay.send('Input.insertText', { text: '字'.repeat(6_000) });
      expect(await field()).toBe(before);
      expect(await overlay.value('document.querySelector(".alert").textContent')).toContain('16 KiB');
    });
    test('keeps the focus inside', async () => {
      const at = () => overlay.value<string>('document.activeElement.dataset.choice ?? document.activeElement.tagName');
      await show({ text: 'newer', revision: 6, actions: card.actions });
      await overlay.value('document.querySelector("textarea").focus(); 1');
      const seen = [];
      for (let i = 0; i < 3; i++) {
        await key('Tab');
        seen.push(await at());
      }
      expect(seen).toEqual(['keep', 'send', 'TEXTAREA']);
    });
    test.each([
      ['Enter keeps', 'Enter', 0, 'keep'],
      ['Ctrl Enter sends', 'Enter', 2, 'send'],
    ])('%s, and the keyboard goes back', async (_n, k, modifiers, choice) => {
      await show({ text: 'newer', revision: 6 });
      await main.value(`${view(2)}.webContents.focus(); 1`);
      await overlay.value('document.querySelector("textarea").focus(); 1');
      await key(k, modifiers);
      expect(await saidOf(workbench, 'submit')).toMatchObject({ choice });
      await until('the keyboard', () => main.value(`${view(0)}.webContents.isFocused()`));
    });
    test('Escape leaves, once; what comes after is of no card', async () => {
      await main.value(`${view(2)}.webContents.focus(); 1`);
      await key('Escape');
      await saidOf(workbench, 'cancel');
      await workbench.value(desktop('card(null)'));
      await until('no card', async () => !(await visible()));
      await workbench.value('said.length = 0; 1');
      await overlay.value('proofmarkCard.draft("late"); proofmarkCard.submit("keep", "late"); 1');
      await sleep(100);
      expect(await workbench.value('said.length')).toBe(0);
    });
    test('comes back with what it showed when its page crashes', async () => {
      await show({ text: 'kept', revision: 9 });
      await until('the text', async () => (await field()) === 'kept');
      await main.value(`${view(2)}.webContents.forcefullyCrashRenderer(); 1`);
      await sleep(300);
      overlay = await app.page('proofmark-overlay:');
      await until('the text again', async () => (await field()) === 'kept');
    });
    test('a refusal is said, and takes no keyboard', async () => {
      await main.value(`${view(0)}.webContents.focus(); 1`);
      await show({ text: null, lines: ['It is made by a script.'] });
      await until('the card', visible);
      expect(await overlay.value('document.querySelector("#card").getAttribute("role")')).toBe('alert');
      expect(await main.value(`${view(0)}.webContents.isFocused()`)).toBe(true);
      await workbench.value(desktop('card(null)'));
    });
  });

  test('the menu offers what the workbench offers, and runs it', async () => {
    await workbench.value(
      desktop(
        `state(${JSON.stringify({ title: 'a.html', language: 'zh', theme: 'dark', commands: [{ id: 'page.point', enabled: true }] })})`,
      ),
    );
    const item = `electron.Menu.getApplicationMenu().items.flatMap((i) => i.submenu?.items ?? []).find((i) => i.label === '在页面上选取')`;
    await until('the entry', () => main.value(`${item}?.enabled`));
    await main.value(`${item}.click(); 1`);
    await until('the command', () => workbench.value('told.includes("page.point")'));
    expect(await main.value('electron.BaseWindow.getAllWindows()[0].getTitle()')).toBe('a.html');
  });

  test('a workbench that crashes comes back, with a word about it', async () => {
    await main.value(
      'globalThis.boxes = []; electron.dialog.showMessageBox = (_w, o) => { boxes.push(o.message); return Promise.resolve({ response: 0 }); }; 1',
    );
    await main.value(`${view(0)}.webContents.forcefullyCrashRenderer(); 1`);
    await until('the notice', () => main.value('boxes.length === 1'));
    const back = await app.workbench();
    expect(await back.value('proofmarkDesktop.hello().then((h) => h.host)')).toBe('desktop');
  });

  test('a gateway that dies is started again, and the workbench goes to it', async () => {
    const [old] = app.gateways();
    const origin = await (await app.workbench()).value('location.origin');
    process.kill(old ?? 0, 'SIGKILL');
    await until('another gateway', () => app.gateways().some((pid) => pid !== old));
    const now = await until('another origin', async () => {
      const o = await (await app.page(/^http:\/\/127/)).value('location.origin');
      return o === origin ? null : o;
    });
    expect(now).not.toBe(origin);
    const answer = await until('a token', async () =>
      (await app.workbench()).value<{ token: string }>('proofmarkDesktop.token()'),
    );
    expect(answer.token).not.toBe('');
  });
  test('a gateway whose way to the pages is cut is started again', async () => {
    const [old] = app.gateways();
    const cut = await main.value(
      `process._getActiveHandles().filter((h) => h.server && h.remoteAddress === '127.0.0.1').map((h) => h.destroy()).length`,
    );
    expect(cut).toBe(1);
    await until('another gateway', () => app.gateways().some((pid) => pid !== old));
    await until('the end of the old one', () => !lives(old ?? 0));
  });
});

here('starting and ending', { timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofmark-start-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

  test('quitting ends the gateway, and the window is where it was next time', async () => {
    const first = await App.start({ folder });
    const main = await first.main();
    await first.workbench();
    const [pid] = first.gateways();
    await main.value('electron.BaseWindow.getAllWindows()[0].setBounds({ x: 40, y: 60, width: 900, height: 640 }); 1');
    await until('the size', () => main.value('electron.BaseWindow.getAllWindows()[0].getNormalBounds().width === 900'));
    await first.close();
    expect(first.exit).toBe(0);
    expect(lives(pid ?? 0)).toBe(false);
    const second = await App.start({ folder });
    const again = await second.main();
    expect(await again.value('electron.BaseWindow.getAllWindows()[0].getNormalBounds()')).toMatchObject({
      x: 40,
      y: 60,
      width: 900,
      height: 640,
    });
    await second.close();
  });

  test('a gateway that hangs does not outlive the app', async () => {
    const app = await App.start({ folder });
    await app.workbench();
    const [pid] = app.gateways();
    process.kill(pid ?? 0, 'SIGSTOP');
    await app.close();
    await until('the end of the gateway', () => !lives(pid ?? 0), 5_000).finally(() => {
      if (lives(pid ?? 0)) process.kill(pid ?? 0, 'SIGKILL');
    });
  });

  test('an app that is killed takes its gateway along', async () => {
    const app = await App.start({ folder });
    await app.workbench();
    const [pid] = app.gateways();
    app.child.kill('SIGKILL');
    await until('the end of the gateway', () => !lives(pid ?? 0));
    await app.close(); // the rest of its processes
  });

  test('a second start hands its pages to the first, with its own folder; nothing else of it counts', async () => {
    mkdirSync(join(folder, 'pages'));
    writeFileSync(join(folder, 'pages/b.html'), '<p>b');
    writeFileSync(join(folder, 'pages/a.txt'), 'a');
    const first = await App.start({ folder });
    const w = await first.workbench();
    await w.value(
      'globalThis.opened = []; proofmarkDesktop.onOpen((p) => opened.push(p)); proofmarkDesktop.hello().then(() => 1)',
    );
    const env = { PWD: join(folder, 'pages') };
    const second = await App.start({
      folder,
      env,
      debug: false,
      args: [
        join(folder, 'pages/b.html'),
        join(folder, 'pages/a.txt'),
        '../../../etc/passwd',
        '--inspect',
        'proofmark://document/../x',
      ],
    });
    expect(await second.ended()).toBe(0);
    await until('the page', () => w.value('opened.length > 0'));
    expect(await w.value('opened')).toEqual([join(folder, 'pages/b.html')]);
    expect(first.gateways()).toHaveLength(1);
    // More than Chromium hands over: it would kill the first as one that hangs.
    const many = Array.from({ length: 300 }, (_, i) => join(folder, `${'x'.repeat(100)}${i}.html`));
    const third = await App.start({ folder, env, debug: false, args: many });
    expect(await third.ended()).toBe(2);
    expect(await w.value('1')).toBe(1);
    expect(first.exit).toBeUndefined();
    await first.close();
  });

  test('a gateway that cannot live is said so, and can be tried again', async () => {
    const bad = join(folder, 'bad');
    writeFileSync(
      bad,
      '#!/bin/sh\nwhile [ ! -e "$0.go" ]; do sleep 0.1; done\necho "the disk is on fire" >&2\nexit 3\n',
      { mode: 0o755 },
    );
    const app = await App.start({ folder, env: { PROOFMARK_GATEWAY: bad } });
    const main = await app.main();
    await main.value(
      'globalThis.boxes = []; globalThis.answers = [0, 1]; electron.dialog.showMessageBox = (_w, o) => { boxes.push(o); return Promise.resolve({ response: answers.shift() }); }; 1',
    );
    writeFileSync(`${bad}.go`, ''); // somebody looks at its dialogs now
    const [box] = await until('the error', () =>
      main.value<{ detail: string; buttons: string[] }[] | null>('boxes.length ? boxes : null'),
    );
    expect(box?.detail).toContain('the disk is on fire');
    expect(box?.buttons).toEqual(['Try Again', 'Quit']);
    main.close();
    expect(await app.ended()).toBe(1); // it was tried again, and quit the second time
    await app.close();
  });

  test('a program that others can change is not started by an installed app', async () => {
    const { trustedProgram } = await import('../src/gatewayproc/trust.node');
    const own = join(folder, 'own');
    mkdirSync(own, { mode: 0o755 });
    cpSync(gateway, join(own, 'proofmark'));
    chmodSync(join(own, 'proofmark'), 0o755);
    expect(await trustedProgram(join(own, 'proofmark'), true)).toBe(join(own, 'proofmark'));
    chmodSync(own, 0o777);
    await expect(trustedProgram(join(own, 'proofmark'), true)).rejects.toThrow('others can change');
    chmodSync(own, 0o755);
    chmodSync(join(own, 'proofmark'), 0o775);
    await expect(trustedProgram(join(own, 'proofmark'), true)).rejects.toThrow('others can change');
    await expect(trustedProgram('bin/proofmark', true)).rejects.toThrow('not absolute');
    await expect(trustedProgram(own, false)).rejects.toThrow('not a file');
  });
});
