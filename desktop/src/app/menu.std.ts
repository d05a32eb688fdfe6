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
  // The workbench, and keys.std.ts for the other views, take these keys themselves:
  // the menu only shows them.
  const command = (label: string, id: string, accelerator?: string): Entry => ({
    label,
    enabled: s.commands.get(id) ?? false,
    ...(accelerator !== undefined && { accelerator, registerAccelerator: false }),
    does: { command: id },
  });
  const own = (label: string, what: Own, accelerator?: string): Entry => ({
    label,
    ...(accelerator !== undefined && { accelerator }),
    does: { app: what },
  });
  const recent: Entry[] =
    s.recent.length === 0
      ? [{ label: w.noRecent, enabled: false }]
      : s.recent.map((d) => ({ label: d.name.replaceAll('&', '&&'), does: { document: d.id } }));
  const leave: Entry[] = s.mac
    ? [own(w.close, 'close', 'Command+W')]
    : [own(w.close, 'close', 'Control+W'), own(w.quit, 'quit', 'Control+Q')];
  const top: Entry[] = [
    {
      label: w.file,
      submenu: [
        { ...own(w.open, 'open', 'CommandOrControl+O'), registerAccelerator: false },
        { label: w.openRecent, submenu: recent },
        line,
        command(w.saveSource, 'source.save', 'CommandOrControl+S'),
        command(w.saveCopy, 'file.download'),
        command(w.exportReview, 'file.export'),
        line,
        ...leave,
      ],
    },
    {
      label: w.edit,
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        line,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
        line,
        command(w.find, 'source.find', 'CommandOrControl+F'),
      ],
    },
    {
      label: w.view,
      submenu: [
        command(w.page, 'view.page', '1'),
        command(w.source, 'view.source', '2'),
        command(w.changes, 'view.changes', '3'),
        command(w.panel, 'view.panel'),
        line,
        command(w.point, 'page.point', 'P'),
        command(w.reload, 'page.reload', 'CommandOrControl+R'),
        line,
        own(w.actual, 'actual', 'CommandOrControl+0'),
        own(w.larger, 'larger', 'CommandOrControl+Plus'),
        own(w.smaller, 'smaller', 'CommandOrControl+-'),
        { role: 'togglefullscreen', label: w.fullScreen },
      ],
    },
    {
      label: w.changes,
      submenu: [
        command(w.undoChange, 'changes.undo', 'Z'),
        command(w.redoChange, 'changes.redo', 'Shift+Z'),
        line,
        command(w.send, 'notes.send', 'CommandOrControl+Enter'),
      ],
    },
    {
      label: w.help,
      submenu: [
        command(w.palette, 'general.palette', 'CommandOrControl+K'),
        command(w.shortcuts, 'general.keys', '?'),
        ...(s.mac ? [] : [line, own(w.about, 'about')]),
      ],
    },
  ];
  if (!s.mac) return top;
  const app: Entry[] = [
    own(w.about, 'about'),
    line,
    { role: 'services' },
    line,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    line,
    own(w.quit, 'quit', 'Command+Q'),
  ];
  const window: Entry = { label: w.window, submenu: [{ role: 'minimize' }] };
  return [{ label: 'Proofmark', submenu: app }, ...top.slice(0, -1), window, ...top.slice(-1)];
}
