// Keys that go down in a view other than the workbench's.

/** The part of Electron's Input that is looked at. */
export interface Input {
  type: string;
  key: string;
  control: boolean;
  meta: boolean;
  shift: boolean;
  alt: boolean;
  isComposing: boolean;
}

/** A key as `sendInputEvent` takes it. */
export interface SentKey {
  keyCode: string;
  modifiers: ('control' | 'meta' | 'shift' | 'alt')[];
}

const names: Record<string, string> = {
  ' ': 'Space',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  Enter: 'Return',
};

/** The same key, for the workbench. */
export function sentKey(i: Input): SentKey {
  const modifiers = (['control', 'meta', 'shift', 'alt'] as const).filter((m) => i[m]);
  return { keyCode: names[i.key] ?? i.key, modifiers };
}

/** Whether a key that goes down types a letter. */
export function typesText(i: Input): boolean {
  return i.type === 'keyDown' && /^.$/u.test(i.key) && !i.control && !i.meta && !i.alt && !i.isComposing;
}

const shared = new Map([
  ['o', 'general.open'],
  ['k', 'general.palette'],
  ['r', 'page.reload'],
  ['s', 'source.save'],
  ['f', 'source.find'],
]);

/** Actions that ask for something to be typed. */
export const asks: ReadonlySet<string> = new Set(['general.open', 'general.palette', 'source.find']);

/** The workbench's action that a key means wherever the keyboard is; null: it is the view's own. */
export function sharedCommand(i: Input, mac: boolean): string | null {
  const mod = mac ? i.meta && !i.control : i.control && !i.meta;
  if (i.type !== 'keyDown' || !mod || i.alt || i.shift || i.isComposing) return null;
  return shared.get(i.key.toLowerCase()) ?? null;
}
