// What an untrusted page may do in this app: nothing but show itself. Each page has
// a session of its own in memory, whose only way out is its lease's listener.
import { randomUUID } from 'node:crypto';
import { app, session, type Session, type WebContents } from 'electron';
import { lockSession } from '../guard/contents.main';

/** To be called before the app is ready. Chromium 130 gives each document under a sandbox policy a new process while it
 * arrives, and its debugger then misses what the document asks for first: a page without its pictures would look whole.
 * Every page has a session and a host name of its own here, and so a process that it shares with nobody. */
export function prepareForPages(): void {
  const off = app.commandLine.getSwitchValue('disable-features');
  app.commandLine.appendSwitch('disable-features', [off, 'IsolateSandboxedIframes'].filter(Boolean).join(','));
}

/** Makes a session that reaches the origin's listener and nothing else. */
export async function leasedSession(origin: string): Promise<Session> {
  const s = session.fromPartition(`page-${randomUUID()}`); // without "persist:", so nothing is left of it
  const listener = `127.0.0.1:${new URL(origin).port}`;
  await s.setProxy({
    mode: 'fixed_servers',
    proxyRules: `http=${listener};https=${listener}`,
    proxyBypassRules: '<-loopback>', // loopback would go past the proxy
  });
  s.setSpellCheckerEnabled(false);
  // What a person allowed, the gateway answers itself over the debugger, which comes after this.
  lockSession(s, (url, method) => mayAsk(url, origin) || (method === 'GET' && url.startsWith('https://')));
  return s;
}

/** The proxy is the wall; this is a second one. */
export function mayAsk(url: string, origin: string): boolean {
  return url.startsWith(`${origin}/`) || /^(blob|data|about):/.test(url);
}

/** What a page may not beside what no page of this app may. Navigations of the gateway's own are none of the page's and
 * fire none of these events. */
export function lockIn(contents: WebContents, origin: string): void {
  contents.on('will-frame-navigate', (e) => {
    if (e.isMainFrame || !mayAsk(e.url, origin)) e.preventDefault();
  });
  contents.on('will-prevent-unload', (e) => e.preventDefault()); // it does not get to keep the person waiting
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}
