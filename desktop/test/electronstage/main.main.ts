// The app's own stage and relay, with nothing around them, for the gateway's tests.
// It prints its address and token in one line, and ends with its standard input. "crash FRAME" there kills a page.
import { app, BaseWindow, type WebContents, type WebContentsView } from 'electron';
import { guardAll } from '../../src/guard/contents.main';
import type { PreviewRoom } from '../../src/preview/room.main';
import { prepareForPages } from '../../src/preview/session.main';
import { electronStage } from '../../src/preview/stage.main';
import { startRelay } from '../../src/relay/relay.node';

async function main(): Promise<void> {
  await app.whenReady();
  // At the edge, so that the pointer, which rests in the middle of the screen, is over no page.
  const window = new BaseWindow({ x: 0, y: 0, width: 1300, height: 900 });
  const room: PreviewRoom = {
    show: (view: WebContentsView) => {
      window.contentView.addChildView(view);
      view.webContents.focus();
    },
    leave: (view) => window.contentView.removeChildView(view),
    inspecting: () => undefined,
  };
  let last: WebContents | undefined; // the page that was made last
  app.on('web-contents-created', (_e, contents) => (last = contents));
  const byFrame = new Map<string, WebContents>();
  const stage = electronStage(room);
  const relay = await startRelay({
    stage: {
      open: async (o) => {
        const surface = await stage.open(o);
        if (last) byFrame.set(surface.frameId, last);
        return surface;
      },
    },
    product: `Electron/${process.versions.electron}`,
    browser: `Chrome/${process.versions.chrome}`,
  });
  process.stdout.write(JSON.stringify({ url: relay.url, token: relay.token }) + '\n');
  process.stdin.on('data', (said: Buffer) => {
    byFrame.get(/crash (\S+)/.exec(said.toString())?.[1] ?? '')?.forcefullyCrashRenderer();
  });
  process.stdin.on('end', () => void relay.close().then(() => app.quit()));
}

if (process.getuid?.() !== 0) app.enableSandbox(); // root has no sandbox, and Electron no network with one then
prepareForPages();
guardAll(() => undefined);
void main();
