// The desktop app's start: what may not wait until Electron is ready stands here.
import { app, protocol } from 'electron';
import { canBeHandedOver } from './app/arguments.std';
import { Shell } from './app/shell.main';
import { refusedSwitch } from './app/switches.std';
import { guardAll } from './guard/contents.main';
import { overlayScheme } from './guard/rules.std';
import { prepareForPages } from './preview/session.main';

/** For whoever started the app from a terminal; nothing of pages, notes or tokens. */
const log = (line: string) => process.stderr.write(`proofmark: ${line}\n`);

const root = process.getuid?.() === 0;
const refused = app.isPackaged
  ? refusedSwitch(process.argv.slice(1), { windows: process.platform === 'win32', root })
  : null;
if (refused !== null) {
  log(`an installed Proofmark does not start with ${refused}`);
  process.exit(2);
}
// A second start that has more to hand over than Chromium takes would end the first one.
if (!canBeHandedOver(process.argv)) {
  log('too much on the command line');
  process.exit(2);
}
if (!app.requestSingleInstanceLock({ args: process.argv.slice(app.isPackaged ? 1 : 2), folder: process.cwd() })) {
  process.exit(0);
}
// Chromium has no sandbox for root: whoever is root has to have said so.
if (!(root && app.commandLine.hasSwitch('no-sandbox'))) app.enableSandbox();
protocol.registerSchemesAsPrivileged([{ scheme: overlayScheme, privileges: { standard: true, secure: true } }]);
prepareForPages();
guardAll(log);
// Elsewhere the package says so. What Windows puts behind the -- is no switch.
if (app.isPackaged && process.platform === 'win32')
  app.setAsDefaultProtocolClient('proofmark', process.execPath, ['--']);
const shell = new Shell(log);
shell.listen();
void app.whenReady().then(() => {
  // A session that ends has nobody who could answer a question. Chromium's own handlers stand by now.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void shell.leave(false));
  shell.start(process.argv.slice(app.isPackaged ? 1 : 2), process.cwd());
});
