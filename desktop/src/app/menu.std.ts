import type { Words } from './words.std';

type Own = 'open' | 'close' | 'quit' | 'about' | 'larger' | 'smaller' | 'actual';

/** What a menu entry asks for. */
export type Does = { command: string } | { document: string } | { app: Own };

/** As Electron's menu template, but for what a click does. */
export interface Entry {
  label?: string;
  type?: 'separator';
  role?:
    | 'undo'
    | 'redo'
    | 'cut'
    | 'copy'
    | 'paste'
    | 'selectAll'
    | 'togglefullscreen'
    | 'minimize'
    | 'services'
    | 'hide'
    | 'hideOthers'
    | 'unhide';
  accelerator?: string;
  registerAccelerator?: boolean;
  enabled?: boolean;
  submenu?: Entry[];
  does?: Does;
}

export interface MenuState {
  mac: boolean;
  words: Words;
  /** Actions of the workbench, and whether they are offered now. */
  commands: ReadonlyMap<string, boolean>;
  recent: readonly { id: string; name: string }[];
}

const line: Entry = { type: 'separator' };

export function menu(s: MenuState): Entry[] {
  const w = s.words;
  const mod = 'CommandOrControl+';
  // The workbench, and keys.std.ts for the other views, take these keys themselves:
  // the menu only shows them.
  const shown = (keys?: string): Entry => (keys === undefined ? {} : { accelerator: keys, registerAccelerator: false });
  const command = (label: string, id: string, keys?: string): Entry => {
    return { label, enabled: s.commands.get(id) ?? false, ...shown(keys), does: { command: id } };
  };
  const own = (label: string, what: Own, keys?: string): Entry => {
    return { label, ...(keys !== undefined && { accelerator: keys }), does: { app: what } };
  };
  const roles = (...names: NonNullable<Entry['role']>[]): Entry[] => names.map((role) => ({ role }));
  const recent = s.recent.map((d): Entry => ({ label: d.name.replaceAll('&', '&&'), does: { document: d.id } }));
  const file = [
    { ...own(w.open, 'open'), ...shown(`${mod}O`) },
    { label: w.openRecent, submenu: recent.length > 0 ? recent : [{ label: w.noRecent, enabled: false }] },
    line,
    command(w.saveSource, 'source.save', `${mod}S`),
    command(w.saveCopy, 'file.download'),
    command(w.exportReview, 'file.export'),
    line,
    own(w.close, 'close', `${mod}W`),
    ...(s.mac ? [] : [own(w.quit, 'quit', `${mod}Q`)]),
  ];
  const edit = [
    ...roles('undo', 'redo'),
    line,
    ...roles('cut', 'copy', 'paste', 'selectAll'),
    line,
    command(w.find, 'source.find', `${mod}F`),
  ];
  const view = [
    command(w.page, 'view.page', '1'),
    command(w.source, 'view.source', '2'),
    command(w.changes, 'view.changes', '3'),
    command(w.panel, 'view.panel'),
    line,
    command(w.point, 'page.point', 'P'),
    command(w.reload, 'page.reload', `${mod}R`),
    line,
    own(w.actual, 'actual', `${mod}0`),
    own(w.larger, 'larger', `${mod}Plus`),
    own(w.smaller, 'smaller', `${mod}-`),
    { role: 'togglefullscreen' as const, label: w.fullScreen },
  ];
  const changes = [
    command(w.undoChange, 'changes.undo', 'Z'),
    command(w.redoChange, 'changes.redo', 'Shift+Z'),
    line,
    command(w.send, 'notes.send', `${mod}Enter`),
  ];
  const help = [command(w.palette, 'general.palette', `${mod}K`), command(w.shortcuts, 'general.keys', '?')];
  const about = own(w.about, 'about');
  const app = [
    ...[about, line, ...roles('services'), line, ...roles('hide', 'hideOthers', 'unhide'), line],
    own(w.quit, 'quit', `${mod}Q`),
  ];
  return [
    ...(s.mac ? [{ label: 'Proofmark', submenu: app }] : []),
    { label: w.file, submenu: file },
    { label: w.edit, submenu: edit },
    { label: w.view, submenu: view },
    { label: w.changes, submenu: changes },
    ...(s.mac ? [{ label: w.window, submenu: roles('minimize') }] : []),
    { label: w.help, submenu: s.mac ? help : [...help, line, about] },
  ];
}
