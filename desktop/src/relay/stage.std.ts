// What the relay drives: anything with a debugger-shaped interface. In the app it is
// a WebContentsView of Electron's; in tests without Electron it is a page of a
// Chromium.

/** What an Electron `webContents.debugger` is, as far as the relay needs it. */
export interface Debuggee {
  sendCommand(method: string, params: object): Promise<unknown>;
  onMessage(listener: (method: string, params: unknown) => void): void;
}

/** `preview` is shown to the person; `candidate` is never seen by anybody. */
export type Place = 'preview' | 'candidate';

export interface SurfaceOptions {
  place: Place;
  /** Of the lease, `http://<label>.localhost:<port>`; its listener is also the surface's only proxy. */
  origin: string;
  /** CSS pixels; the person's window decides for a preview. */
  width: number;
  height: number;
}

/** One page in a session of its own, which ends with it. */
export interface StagedSurface {
  readonly debuggee: Debuggee;
  /** The CDP id of its main frame. */
  readonly frameId: string;
  /** Called once, when the page is gone for a reason other than close(). */
  onGone(listener: (reason: string) => void): void;
  /** The gateway switched inspect mode: while it is on, keys are not the page's. */
  inspecting(on: boolean): void;
  /** Ends the page; harmless where it is gone. */
  close(): void;
}

export interface Stage {
  /** Makes a blank page, locked to the origin, with its debugger attached. */
  open(o: SurfaceOptions): Promise<StagedSurface>;
}
