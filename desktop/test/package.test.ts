import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extractFile, listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configuration, fuses } from '../packaging/config';
import { App, canRun, desktop, lives, until } from './rig.node';

describe('the packages', () => {
  const plain = configuration({ env: {}, version: '1.2.3' });
  test('have every fuse stated, the safe way', () => {
    expect(plain.electronFuses).toEqual({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableCookieEncryption: true,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
      resetAdHocDarwinSignature: true,
    });
    // Fuses that a newer Electron brings are to be stated, too.
    const known = Object.keys(FuseV1Options).filter((k) => Number.isNaN(Number(k)));
    expect(Object.keys(fuses).length - 1).toBe(known.length);
  });
  test('are for three systems', () => {
    expect([plain.linux?.target, plain.mac?.target, plain.win?.target]).toEqual([
      ['AppImage', 'deb'],
      ['dmg'],
      ['nsis'],
    ]);
    expect(plain.electronVersion).toMatch(/^\d+\.\d+\.\d+$/);
  });
  test('say that they are not signed, unless they are', () => {
    for (const os of [plain.linux, plain.mac, plain.win]) expect(os?.artifactName).toContain('-unsigned.');
    const signed = configuration({ env: { CSC_LINK: 'x' } });
    for (const os of [signed.mac, signed.win]) expect(os?.artifactName).not.toContain('unsigned');
    expect(signed.linux?.artifactName).toContain('-unsigned.');
    expect(configuration({ env: { CSC_LINK: '' } }).mac?.artifactName).toContain('-unsigned.');
    expect(plain.mac?.identity).toBeNull();
    expect(signed.mac).toMatchObject({ hardenedRuntime: true, notarize: true });
    expect(signed.mac).not.toHaveProperty('identity');
  });
  test('hold what is built and the gateway, and no source', () => {
    expect(plain.files).toEqual(['dist/**', 'package.json']);
    expect(plain.asar).toBe(true);
    expect(plain.extraResources).toEqual([{ from: '../bin', to: 'bin', filter: ['proofmark', 'proofmark.exe'] }]);
  });
  test('open pages and links, and take what these hand over for no switch', () => {
    expect(plain.fileAssociations).toMatchObject([{ ext: ['html', 'htm'] }]);
    expect(plain.protocols).toMatchObject([{ schemes: ['proofmark'] }]);
    expect(plain.linux?.executableArgs).toEqual(['--']);
  });
  // Attack 47: what does not exist cannot be taken over. An update is a new package.
  test('have no update channel', () => {
    expect(plain).toMatchObject({
      publish: null,
      detectUpdateChannel: false,
      dmg: { writeUpdateInfo: false },
      nsis: { differentialPackage: false },
    });
    const { dependencies = {} } = JSON.parse(readFileSync(join(desktop, 'package.json'), 'utf8')) as {
      dependencies?: object;
    };
    expect(Object.keys(dependencies)).toEqual([]);
    if (existsSync(join(desktop, 'dist/main.cjs')))
      expect(readFileSync(join(desktop, 'dist/main.cjs'), 'utf8')).not.toMatch(
        /autoUpdater|electron-updater|latest(-linux|-mac)?\.yml/,
      );
  });
});

const made = join(desktop, 'out/test-build/app');

(canRun ? describe : describe.skip)('a packaged app', { timeout: 180_000 }, () => {
  const program = join(made, 'proofmark');
  const asar = join(made, 'resources/app.asar');
  const folder = mkdtempSync(join(tmpdir(), 'proofmark-packaged-'));
  beforeAll(() => {
    const run = spawnSync('sh', [join(desktop, '../scripts/package.sh'), 'test'], { encoding: 'utf8' });
    expect(run.status, run.stderr).toBe(0);
    expect(run.stdout).toContain('TEST BUILD');
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  /** Runs it until it ends by itself, or for some seconds. */
  const run = async (args: string[], env: Record<string, string> = {}, seconds = 60) =>
    spawnSync(program, [...root, '--disable-gpu', `--user-data-dir=${folder}/run`, ...args], {
      encoding: 'utf8',
      timeout: seconds * 1_000,
      env: { ...process.env, DISPLAY: await App.screen(), PROOFMARK_DATA_DIR: join(folder, 'data'), ...env },
    });

  test('has its fuses flipped', async () => {
    const wire = await getCurrentFuseWire(program);
    const on = (f: FuseV1Options) => Number(wire[f]) === '1'.charCodeAt(0);
    expect(on(FuseV1Options.RunAsNode)).toBe(fuses.runAsNode);
    expect(on(FuseV1Options.EnableCookieEncryption)).toBe(fuses.enableCookieEncryption);
    expect(on(FuseV1Options.EnableNodeOptionsEnvironmentVariable)).toBe(fuses.enableNodeOptionsEnvironmentVariable);
    expect(on(FuseV1Options.EnableNodeCliInspectArguments)).toBe(fuses.enableNodeCliInspectArguments);
    expect(on(FuseV1Options.EnableEmbeddedAsarIntegrityValidation)).toBe(fuses.enableEmbeddedAsarIntegrityValidation);
    expect(on(FuseV1Options.OnlyLoadAppFromAsar)).toBe(fuses.onlyLoadAppFromAsar);
    expect(on(FuseV1Options.LoadBrowserProcessSpecificV8Snapshot)).toBe(fuses.loadBrowserProcessSpecificV8Snapshot);
    expect(on(FuseV1Options.GrantFileProtocolExtraPrivileges)).toBe(fuses.grantFileProtocolExtraPrivileges);
  });
  test('holds nothing but the built app, and says that it is not signed', () => {
    const files = listPackage(asar, { isPack: false });
    expect(files.filter((f) => !f.startsWith('/dist')).sort()).toEqual(['/package.json']);
    expect(JSON.parse(extractFile(asar, 'package.json').toString())).toMatchObject({ unsigned: true });
    expect(existsSync(join(made, 'resources/app'))).toBe(false);
    expect(existsSync(join(made, 'resources/app-update.yml'))).toBe(false);
  });
  test('is no Node', async () => {
    const r = await run(['-e', 'console.log("NODE RAN")'], { ELECTRON_RUN_AS_NODE: '1' });
    expect(r.stdout + r.stderr).not.toMatch(/^NODE RAN/m);
  });
  test('loads nothing that NODE_OPTIONS names', async () => {
    const file = join(folder, 'evil.cjs');
    writeFileSync(file, `require('fs').writeFileSync(${JSON.stringify(join(folder, 'ran'))}, '')`);
    await run([], { NODE_OPTIONS: `--require ${file}` }, 6);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
  test.each([
    '--inspect=0',
    '--inspect-brk=0',
    '--remote-debugging-port=0',
    '--remote-debugging-pipe',
    '--js-flags=--expose-gc',
    '--proxy-server=127.0.0.1:1',
    '--renderer-cmd-prefix=true',
  ])('does not start with %s', async (arg) => {
    const r = await run([arg]);
    expect(r.status).toBe(2);
    expect(r.stderr).toContain(`does not start with ${arg}`);
    expect(r.stderr).not.toContain('Debugger listening');
  });
  test('starts the gateway of its own folder, whatever the environment says, and no folder beside its archive', async () => {
    const beside = join(made, 'resources/app');
    mkdirSync(beside);
    writeFileSync(join(beside, 'package.json'), '{"main":"m.js"}');
    writeFileSync(join(beside, 'm.js'), `require('fs').writeFileSync(${JSON.stringify(join(folder, 'beside'))}, '')`);
    const decoy = join(folder, 'decoy');
    writeFileSync(decoy, `#!/bin/sh\ntouch ${join(folder, 'decoyed')}\n`, { mode: 0o755 });
    const app = await App.start({ program, load: null, debug: false, env: { PROOFMARK_GATEWAY: decoy } });
    try {
      const [pid] = await until('its gateway', () => (app.gateways().length > 0 ? app.gateways() : null));
      expect(readFileSync(`/proc/${pid ?? 0}/cmdline`, 'utf8').split('\0')[0]).toBe(
        join(made, 'resources/bin/proofmark'),
      );
      const display = await App.screen();
      const windows = () =>
        spawnSync('xdotool', ['search', '--name', '.'], {
          encoding: 'utf8',
          env: { ...process.env, DISPLAY: display },
        }).stdout.trim();
      await until('a window', () => windows() !== '');
      expect(existsSync(join(folder, 'decoyed'))).toBe(false);
      expect(existsSync(join(folder, 'beside'))).toBe(false);
      await app.close();
      expect(app.exit).toBe(0);
      expect(lives(pid ?? 0)).toBe(false);
    } finally {
      await app.close();
      rmSync(beside, { recursive: true });
    }
  });
  // On macOS and Windows a changed archive ends the app before its first line. Electron
  // has no such check on Linux, where the program itself lies as open as the archive:
  // this holds what a Linux build does, so that nobody takes it for more.
  test('does not check its archive on Linux', async () => {
    const copy = join(folder, 'changed');
    cpSync(made, copy, { recursive: true });
    const bytes = readFileSync(join(copy, 'resources/app.asar'));
    const at = bytes.indexOf('does not start with');
    bytes.write('DOES NOT START WITH', at);
    writeFileSync(join(copy, 'resources/app.asar'), bytes);
    const r = spawnSync(join(copy, 'proofmark'), [...root, '--inspect'], {
      encoding: 'utf8',
      timeout: 60_000,
      env: { ...process.env, DISPLAY: await App.screen() },
    });
    expect(r.stderr).toContain('DOES NOT START WITH');
  });
});
