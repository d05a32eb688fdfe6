import { app, session, type Session, type WebContents, type WebPreferences } from 'electron';

/** What every view of this app is made with; nothing here is ever left to a default. */
export const hardened = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInSubFrames: false,
  nodeIntegrationInWorker: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  enableBlinkFeatures: '',
  webviewTag: false,
  navigateOnDragDrop: false,
  safeDialogs: true,
  spellcheck: false, // it would fetch dictionaries
} as const satisfies WebPreferences;

/** Where one of our own pages may go by itself; others go nowhere. Our own have no frames. */
const mayGo = new WeakMap<WebContents, (url: string) => boolean>();

export function allowNavigation(contents: WebContents, may: (url: string) => boolean): void {
  mayGo.set(contents, may);
}

/** A session that grants nothing. `may` says what goes out; `copies` lets its pages write to the clipboard. */
export function lockSession(s: Session, may: (url: string, method: string) => boolean, copies = false): void {
  const granted = (permission: string) => copies && permission === 'clipboard-sanitized-write';
  s.setPermissionRequestHandler((_contents, permission, answer) => answer(granted(permission)));
  s.setPermissionCheckHandler((_contents, permission) => granted(permission));
  s.setDevicePermissionHandler(() => false);
  s.setDisplayMediaRequestHandler((_request, answer) => {
    try {
      answer({});
    } catch {
      // Electron throws on an empty answer, which is how it is refused.
    }
  });
  s.on('will-download', (e) => e.preventDefault());
  s.webRequest.onBeforeRequest((details, answer) => answer({ cancel: !may(details.url, details.method) }));
}

/**
 * What holds for every page in this program, whoever made it: no window, no way out,
 * no guest, no certificate that does not hold. It comes before all that is made later.
 */
export function guardAll(log: (line: string) => void): void {
  app.on('web-contents-created', (_e, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-attach-webview', (e) => e.preventDefault());
    const stay = (e: Electron.Event, url: string, main: boolean) => {
      // Pages of the gateway's have frames, which their own lock looks after.
      if (main ? mayGo.get(contents)?.(url) === true : !mayGo.has(contents)) return;
      e.preventDefault();
      log('kept a page from going elsewhere');
    };
    contents.on('will-navigate', (e) => stay(e, e.url, true));
    contents.on('will-frame-navigate', (e) => stay(e, e.url, e.isMainFrame));
    contents.on('will-redirect', (e) => stay(e, e.url, e.isMainFrame));
    contents.on('select-bluetooth-device', (e) => e.preventDefault());
  });
  app.on('certificate-error', (e, _contents, _url, _error, _certificate, answer) => {
    e.preventDefault();
    answer(false);
  });
  app.on('select-client-certificate', (e) => e.preventDefault());
  app.on('login', (e) => e.preventDefault());
  // A session that nobody made on purpose reaches nobody. Those made on purpose set
  // their own rules, which take the place of these.
  app.on('session-created', (s) => lockSession(s, () => false));
  void app.whenReady().then(() => lockSession(session.defaultSession, () => false));
}
