import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { App, canRun, until, type Page } from './rig.node';

// The page in the window of the real app: what it is and may, and whose the keys are.

(canRun ? describe : describe.skip)('the page', { timeout: 180_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofmark-page-'));
  const file = join(folder, 'a.html');
  let app: App;
  let workbench: Page;
  let page: Page;
  let main: Page;
  const contents = 'electron.BaseWindow.getAllWindows()[0].contentView.children[1].children[0].webContents';
  const child = (i: number) => `electron.BaseWindow.getAllWindows()[0].contentView.children[${i}]`;
  beforeAll(async () => {
    writeFileSync(
      file,
      '<!doctype html><title>t</title><body style="margin:0"><h1 style="margin:20px">Hello</h1><input><script>heard = []; for (const n of ["keydown", "mousedown", "click"]) addEventListener(n, (e) => heard.push(n + (e.key ?? "")), true)</script>',
    );
    app = await App.start({ args: [file] });
    workbench = await app.workbench();
    page = await app.page(/localhost:\d+/);
    main = await app.main();
    await until('the page', () => page.value('document.readyState === "complete" && innerWidth > 200'));
  }, 180_000);
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is hardened', async () => {
    const p = await main.value<Record<string, unknown>>(
      `(() => { const p = ${contents}.getLastWebPreferences(); return { ...p, session: 0 }; })()`,
    );
    expect(p).toMatchObject({
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      contextIsolation: true,
      sandbox: true,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
    });
    expect(p['preload'] ?? '').toBe('');
    expect(await page.value('typeof require + typeof process + typeof proofmarkDesktop + typeof proofmarkCard')).toBe(
      'undefined'.repeat(4),
    );
    expect(await main.value(`${contents}.session.isPersistent()`)).toBe(false);
    expect(await page.value('origin')).toBe('null');
    expect(await page.value('window.open("https://example.org/") === null')).toBe(true);
  });
  test.each([
    'https://example.org/',
    'file:///etc/passwd',
    'mailto:a@example.org',
    'proofmark://document/x',
    'proofmark-overlay://card/overlay.html',
  ])('stays where it is, whatever it asks for: %s', async (to) => {
    const at = await page.value('location.href');
    await page.value(`void (location.href = ${JSON.stringify(to)}); 1`).catch(() => undefined);
    await sleep(150);
    expect(await page.value('location.href')).toBe(at);
    expect(await main.value(`${contents}.getURL()`)).toBe(at);
  });
  test('has the keyboard from a press in it alone, not from being loaded', async () => {
    await main.value('electron.BaseWindow.getAllWindows()[0].focus(); 1');
    await until('the keyboard', () => main.value(`${child(0)}.webContents.isFocused()`));
    await main.value(`${contents}.focus(); 1`);
    await until('the keyboard again', () => main.value(`${child(0)}.webContents.isFocused()`));
    await main.value(
      `for (const type of ['mouseDown', 'mouseUp']) ${contents}.sendInputEvent({ type, x: 300, y: 200, button: 'left', clickCount: 1 }); 1`,
    );
    await until('the page’s', () => main.value(`${contents}.isFocused()`));
  });
  test('has the keyboard and the mouse while nobody points', async () => {
    await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'a', text: 'a', windowsVirtualKeyCode: 65 });
    await page.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'a', windowsVirtualKeyCode: 65 });
    await until('the key', () => page.value('heard.includes("keydowna")'));
  });
  test('but not the keys that are the app’s', async () => {
    await workbench.value(
      'proofmarkDesktop.onCommand !== undefined && (globalThis.before = document.querySelectorAll("[role=dialog]").length, 1)',
    );
    await main.value(`${contents}.sendInputEvent({ type: 'keyDown', keyCode: 'k', modifiers: ['control'] }); 1`);
    await until('the palette', () =>
      workbench.value('document.querySelectorAll("[role=dialog], dialog").length > before'),
    );
    expect(await page.value('heard.includes("keydownk")')).toBe(false);
    await until('the keyboard', () => main.value(`${child(0)}.webContents.isFocused()`)); // for what lies over the page
    await workbench.value(
      'document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true })); 1',
    );
    await until('no palette', () =>
      workbench.value('document.querySelectorAll("[role=dialog], dialog").length === before'),
    );
    await sleep(300); // the workbench lays out once more
  });
  test('a covered page can still be drawn', async () => {
    await workbench.value(
      'proofmarkDesktop.place({ room: { x: 0, y: 40, width: 600, height: 500 }, page: { x: 0, y: 40, width: 600, height: 900 }, scale: 1, visible: false }); 1',
    );
    await until('another layout', () => page.value('innerWidth === 600 && innerHeight === 900'));
    await until('no room', () => main.value(`${child(1)}.getBounds().width === 1`));
    const shot = await page.send('Page.captureScreenshot', { format: 'png' });
    const png = Buffer.from(shot['data'] as string, 'base64');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([600, 900]);
    expect(await page.value('document.visibilityState')).toBe('visible');
  });
  test('fills its room when the workbench is enlarged', async () => {
    const wide = () =>
      workbench.value<number[]>('[".stage", ".sheet"].map((s) => document.querySelector(s).offsetWidth)');
    const [before = 0] = await wide();
    await main.value(`${child(0)}.webContents.setZoomLevel(1); 1`);
    await until('a smaller room', async () => ((await wide())[0] ?? before) < before);
    await sleep(500);
    const [stage = 0, sheet = 0] = await wide();
    expect([0, 1]).toContain(stage - sheet); // whole pixels of the screen, never more than there are
    await main.value(`${child(0)}.webContents.setZoomLevel(0); 1`);
    await until('the room as it was', async () => (await wide())[1] === before);
  });
  test('shows larger and smaller without another layout than its width asks for', async () => {
    await workbench.value(
      'proofmarkDesktop.place({ room: { x: 0, y: 40, width: 600, height: 500 }, page: { x: 0, y: 40, width: 600, height: 500 }, scale: 0.5, visible: true }); 1',
    );
    await until('the scale', () => page.value('innerWidth === 1200'));
    const still = await workbench.value<number>('proofmarkDesktop.still().then((b) => b.byteLength)');
    expect(still).toBeGreaterThan(1_000);
    await workbench.value(
      'proofmarkDesktop.place({ room: { x: 0, y: 40, width: 600, height: 500 }, page: { x: 0, y: 40, width: 600, height: 500 }, scale: 1, visible: true }); 1',
    );
    await until('the scale', () => page.value('innerWidth === 600'));
  });

  describe('while one points', () => {
    const point = async () => {
      // The workbench's own way: its action, from the app's menu.
      await main.value(
        "electron.Menu.getApplicationMenu().items.flatMap((i) => i.submenu?.items ?? []).find((i) => i.label === 'Point at the Page').click(); 1",
      );
      await until('pointing', () => workbench.value('document.querySelector(".pointing-mode") !== null'));
      await sleep(300); // and the browser's own mode, which nobody can ask for
    };
    beforeAll(async () => {
      await workbench.value('globalThis.keys = []; addEventListener("keydown", (e) => keys.push(e.key), true); 1');
      await page.value('heard.length = 0; 1');
    });
    test('a press is not the page’s, and is told with what was held', async () => {
      await workbench.value('globalThis.pressed = []; proofmarkDesktop.onPress((m) => pressed.push(m)); 1');
      // The mouse rests on the page, and is not moved any more.
      const at = await main.value<{ x: number; y: number }>(
        'electron.BaseWindow.getAllWindows()[0].getContentBounds()',
      );
      execFileSync('xdotool', ['mousemove', String(at.x + 60), String(at.y + 40 + 40)], {
        env: { ...process.env, DISPLAY: await App.screen() },
      });
      await point();
      const press = async (modifiers: string) => {
        for (const type of ['mouseDown', 'mouseUp'])
          await main.value(
            `${contents}.sendInputEvent({ type: '${type}', x: 60, y: 40, button: 'left', clickCount: 1, modifiers: ${modifiers} }); 1`,
          );
      };
      await press('[]');
      await until('the press', () => workbench.value('pressed.length === 1'));
      expect(await page.value('heard')).toEqual([]);
      await press("['control']");
      await until('the second', () => workbench.value('pressed.length === 2'));
      expect(await workbench.value('pressed')).toEqual([{ adds: false }, { adds: true }]);
    });
    test('the card, too, leaves the app its keys', async () => {
      const palette = 'document.querySelector("[role=combobox]") !== null';
      await main.value(
        `${child(2)}.webContents.sendInputEvent({ type: 'keyDown', keyCode: 'k', modifiers: ['control'] }); 1`,
      );
      await until('the palette', () => workbench.value(palette));
      await workbench.value(
        'document.querySelector("[role=combobox]").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true })); 1',
      );
      await until('no palette', async () => !(await workbench.value<boolean>(palette)));
    });
    test('its keys are the workbench’s, and so is the keyboard', async () => {
      await workbench.value('proofmarkDesktop.card(null); 1');
      await page.value('heard.length = 0; 1');
      for (const keyCode of ['Up', 'x']) {
        await main.value(
          `${contents}.focus(); ${contents}.sendInputEvent({ type: 'keyDown', keyCode: ${JSON.stringify(keyCode)} }); 1`,
        );
        await sleep(80);
      }
      await until('the keyboard', () =>
        main.value(`${child(0)}.webContents.isFocused() || ${child(2)}.webContents.isFocused()`),
      );
      expect(await main.value(`${contents}.isFocused()`)).toBe(false);
      expect(await page.value('heard')).toEqual([]);
    });
  });

  test('a link shows a document that the gateway knows, and says so of any other', async () => {
    const { token } = await workbench.value<{ token: string }>('proofmarkDesktop.token()');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const other = join(folder, 'other.html');
    writeFileSync(other, '<h1>Other</h1>');
    const answer = await fetch(`${await workbench.value<string>('location.origin')}/v1/documents`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ path: other }),
    });
    const { id } = (await answer.json()) as { id: string };
    const second = await App.start({ folder: app.folder, debug: false, args: [`proofmark://document/${id}`] });
    expect(await second.ended()).toBe(0);
    await until('the document', () =>
      workbench.value(`location.hash === '#/d/${id}' && document.title.includes('other')`),
    );
    await until('its page', async () =>
      (await app.page(/localhost:\d+/)).value('document.querySelector("h1")?.textContent === "Other"'),
    );
    await main.value(
      'globalThis.boxes = []; electron.dialog.showMessageBox = (_w, o) => { boxes.push(o.message); return Promise.resolve({ response: 0 }); }; 1',
    );
    const third = await App.start({
      folder: app.folder,
      debug: false,
      args: ['proofmark://document/doc_' + 'a'.repeat(26)],
    });
    expect(await third.ended()).toBe(0);
    await until('the word about it', () => main.value('boxes[0] === "This link leads to no document here."'));
    expect(await workbench.value('location.hash')).toBe(`#/d/${id}`);
  });

  test('a gateway that dies leaves the document where it was', async () => {
    const hash = await workbench.value<string>('location.hash');
    const [pid] = app.gateways();
    await main.value(
      `globalThis.went = []; ${child(0)}.webContents.on('did-start-navigation', (e) => { if (e.isMainFrame) went.push(e.url); }); 1`,
    );
    process.kill(pid ?? 0, 'SIGKILL');
    const url = await until('another load', () =>
      main.value<string | null>('went.find((u) => u.startsWith("http")) ?? null'),
    );
    expect(new URL(url).hash).toBe(hash);
    workbench = await app.workbench();
    await until('the page again', async () =>
      (await app.page(/localhost:\d+/)).value('document.querySelector("h1")?.textContent === "Other"'),
    );
  });

  test('when it hangs a person is asked; its end leaves an empty place and a living workbench', async () => {
    await main.value(
      'globalThis.boxes = []; electron.dialog.showMessageBox = (_w, o) => { boxes.push(o.buttons.join()); return Promise.resolve({ response: 1 }); }; 1',
    );
    await workbench.value('globalThis.commands = []; proofmarkDesktop.onCommand((id) => commands.push(id)); 1');
    page = await app.page(/localhost:\d+/); // of the gateway that runs now
    void page.value('for (;;);').catch(() => undefined); // Chromium says nothing of a page with a debugger
    await until('the question', () => main.value('boxes[0] === "Wait,Load Again"'));
    await until('an empty place', () => main.value(`${child(1)}.children.length === 0`));
    await until('the workbench’s own word about it', () =>
      workbench.value('/again/i.test(document.querySelector(".page").textContent)'),
    );
    await until('the command', () => workbench.value('commands.includes("page.reload")'));
    expect(await workbench.value('proofmarkDesktop.hello().then((h) => h.host)')).toBe('desktop');
  });

  test('quitting while a turn works asks first', async () => {
    await main.value(
      'globalThis.boxes = []; globalThis.realFetch = fetch; globalThis.fetch = (u, o) => String(u).includes("running") ? Promise.resolve(new Response(JSON.stringify({ turns: [{}] }))) : realFetch(u, o); electron.dialog.showMessageBox = (_w, o) => { boxes.push(o); return Promise.resolve({ response: 0 }); }; 1',
    );
    await main.value('electron.app.quit(); 1');
    const [box] = await until('the question', () =>
      main.value<{ buttons: string[]; defaultId: number }[] | null>('boxes.length ? boxes : null'),
    );
    expect(box).toMatchObject({ buttons: ['Keep Working', 'Stop It and Quit'], defaultId: 0 });
    expect(app.exit).toBeUndefined();
    expect(await workbench.value('proofmarkDesktop.hello().then((h) => h.host)')).toBe('desktop');
    await main.value('globalThis.fetch = realFetch; 1');
    const pids = app.gateways();
    main.close();
    const began = Date.now();
    app.child.kill('SIGTERM');
    expect(await app.ended()).toBe(0);
    expect(Date.now() - began).toBeLessThan(12_000);
    expect(pids.length).toBe(1);
  });
});
