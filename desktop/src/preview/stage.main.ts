// The pages that the gateway drives, as views of this app: the preview in the
// window's room, candidates drawn off the screen, seen by nobody.
import { BaseWindow, WebContentsView, type WebContents, type WebPreferences } from 'electron';
import { hardened } from '../guard/contents.main';
import type { Debuggee, Stage, StagedSurface, SurfaceOptions } from '../relay/stage.std';
import type { PreviewRoom } from './room.main';
import { leasedSession, lockIn } from './session.main';

export function electronStage(room: PreviewRoom): Stage {
  return { open: (o) => (o.place === 'preview' ? openPreview(o, room) : openCandidate(o)) };
}

async function openPreview(o: SurfaceOptions, room: PreviewRoom): Promise<StagedSurface> {
  const view = await makeView(o, {});
  room.show(view);
  return stage(view.webContents, {
    inspecting: (on) => room.inspecting(view, on),
    left: () => room.leave(view),
  });
}

async function openCandidate(o: SurfaceOptions): Promise<StagedSurface> {
  const view = await makeView(o, { offscreen: true });
  const window = new BaseWindow({ show: false, width: o.width, height: o.height, frame: false, skipTaskbar: true });
  window.contentView.addChildView(view);
  return stage(view.webContents, { inspecting: () => undefined, left: () => window.destroy() });
}

async function makeView(o: SurfaceOptions, more: WebPreferences): Promise<WebContentsView> {
  const view = new WebContentsView({
    webPreferences: {
      session: await leasedSession(o.origin),
      ...hardened,
      plugins: false,
      disableDialogs: true,
      devTools: false,
      backgroundThrottling: false, // a page that is covered for a while goes on
      ...more,
    },
  });
  view.setBounds({ x: 0, y: 0, width: o.width, height: o.height });
  lockIn(view.webContents, o.origin);
  return view;
}

interface Keeper {
  inspecting(on: boolean): void;
  left(): void; // the view is to go from wherever it stands
}

/** Attaches the debugger to a blank page. */
async function stage(contents: WebContents, keeper: Keeper): Promise<StagedSurface> {
  let tell: ((reason: string) => void) | undefined;
  let over = false;
  const end = (reason: string) => {
    if (over) return;
    over = true;
    keeper.left();
    if (!contents.isDestroyed()) contents.close();
    tell?.(reason);
  };
  contents.on('render-process-gone', (_e, d) => end(`the page's process is gone: ${d.reason}`));
  contents.on('destroyed', () => end('the view was closed'));
  try {
    await contents.loadURL('about:blank');
    contents.debugger.attach('1.3');
    contents.debugger.on('detach', (_e, reason) => end(reason));
    const tree = (await contents.debugger.sendCommand('Page.getFrameTree')) as { frameTree: { frame: { id: string } } };
    return {
      debuggee: debuggeeOf(contents),
      frameId: tree.frameTree.frame.id,
      onGone: (listener) => (tell = listener),
      inspecting: (on) => keeper.inspecting(on),
      close: () => {
        tell = undefined;
        end('closed');
      },
    };
  } catch (e) {
    end('it could not be made');
    throw e;
  }
}

function debuggeeOf(contents: WebContents): Debuggee {
  return {
    sendCommand: (method, params) => contents.debugger.sendCommand(method, params),
    onMessage: (listener) => {
      // Messages with a session are of the page's workers and foreign frames, which nobody attached to.
      contents.debugger.on('message', (_e, method, params, session) => {
        if (!session) listener(method, params);
      });
    },
  };
}
