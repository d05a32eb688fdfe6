import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { channels } from '../ipc/channels.std';
import type { CardSaid, Desktop } from '../ipc/desktop.std';

/** One listener a channel; what comes before there is one is kept for it. */
function inbox(channel: string): (cb: (m: unknown) => void) => void {
  let deliver: ((m: unknown) => void) | null = null;
  const waiting: unknown[] = [];
  ipcRenderer.on(channel, (_e, m: unknown) => {
    if (deliver === null) waiting.push(m);
    else deliver(m);
  });
  return (cb) => {
    deliver = cb;
    for (const m of waiting.splice(0)) cb(m);
  };
}

const onCard = inbox(channels.said);
const onCommand = inbox(channels.command);
const onOpen = inbox(channels.open);
const onPress = inbox(channels.press);

let leave: () => Promise<unknown> = () => Promise.resolve();
ipcRenderer.on(channels.leave, () => {
  const left = () => ipcRenderer.send(channels.left);
  leave().then(left, left);
});

const desktop: Desktop = {
  hello: () => ipcRenderer.invoke(channels.hello) as ReturnType<Desktop['hello']>,
  token: () => ipcRenderer.invoke(channels.token) as ReturnType<Desktop['token']>,
  place: (p) => ipcRenderer.send(channels.place, p),
  still: () => ipcRenderer.invoke(channels.still) as ReturnType<Desktop['still']>,
  card: (c) => ipcRenderer.send(channels.card, c),
  onCard: (cb) => onCard((m) => cb(m as CardSaid)),
  onCommand: (cb) => onCommand((m) => cb(m as string)),
  onOpen: (cb) => onOpen((m) => cb(m as string)),
  onPress: (cb) => onPress((m) => cb(m as { adds: boolean })),
  onLeave: (cb) => (leave = cb),
  openDialog: () => ipcRenderer.send(channels.openDialog),
  dropped: (file) => ipcRenderer.send(channels.dropped, webUtils.getPathForFile(file)),
  save: (name, bytes) => ipcRenderer.invoke(channels.save, name, bytes) as ReturnType<Desktop['save']>,
  state: (s) => ipcRenderer.send(channels.state, s),
};

// The bridge freezes what it exposes.
contextBridge.exposeInMainWorld('proofmarkDesktop', desktop);
