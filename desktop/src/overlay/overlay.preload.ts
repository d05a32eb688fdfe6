import { contextBridge, ipcRenderer } from 'electron';
import { channels } from '../ipc/channels.std';
import type { CardShown } from '../ipc/desktop.std';

/** What the card may do: be shown, and say three things. */
export interface CardHost {
  onShow(cb: (s: CardShown) => void): void;
  draft(text: string): void;
  submit(choice: string, text: string): void;
  cancel(): void;
}

const host: CardHost = {
  onShow: (cb) => void ipcRenderer.on(channels.show, (_e, s: CardShown) => cb(s)),
  draft: (text) => ipcRenderer.send(channels.draft, text),
  submit: (choice, text) => ipcRenderer.send(channels.submit, choice, text),
  cancel: () => ipcRenderer.send(channels.cancel),
};
contextBridge.exposeInMainWorld('proofmarkCard', host);
