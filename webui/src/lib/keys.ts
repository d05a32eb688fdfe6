// Keys in words, "mod+shift+k", as bindings are stored: mod is Command on a Mac
// and Ctrl elsewhere.

export interface Stroke {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

const named: Record<string, string> = {
  ' ': 'space',
  arrowup: 'up',
  arrowdown: 'down',
  arrowleft: 'left',
  arrowright: 'right',
  escape: 'esc',
};

const modifiers = new Set(['control', 'shift', 'alt', 'meta', 'altgraph', 'capslock', 'fn', 'os']);

/** The words of a stroke; "" where only a modifier is down, or no key is known. */
export function wordsOf(e: Stroke, mac: boolean): string {
  const key = e.key.toLowerCase();
  if (key === '' || key === 'dead' || key === 'process' || key === 'unidentified' || modifiers.has(key)) return '';
  const mod = mac ? e.metaKey : e.ctrlKey;
  const other = mac ? e.ctrlKey : e.metaKey;
  const letter = key.length === 1;
  // What Shift makes of a sign is in the sign: "?" stays "?", but Shift+Z is told from Z.
  const shift = e.shiftKey && (!letter || key !== key.toUpperCase());
  const parts = [];
  if (mod) parts.push('mod');
  if (other) parts.push(mac ? 'ctrl' : 'meta');
  if (e.altKey) parts.push('alt');
  if (shift) parts.push('shift');
  parts.push(named[key] ?? key);
  return parts.join('+');
}

/** A key that types a character where text is typed. */
export function isPlain(words: string): boolean {
  return !/^(mod|ctrl|meta|alt)\+/.test(words) && !/^f\d+$/.test(words) && words !== 'esc';
}

const macNames: Record<string, string> = {
  mod: '⌘',
  ctrl: '⌃',
  meta: '⌘',
  alt: '⌥',
  shift: '⇧',
  enter: '↩',
  esc: 'Esc',
  space: 'Space',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
};

const otherNames: Record<string, string> = {
  ...macNames,
  mod: 'Ctrl',
  ctrl: 'Ctrl',
  meta: 'Meta',
  alt: 'Alt',
  shift: 'Shift',
  enter: 'Enter',
};

/** How a binding is shown: "⌘K", "Ctrl K". */
export function keyName(words: string, mac: boolean): string {
  const names = mac ? macNames : otherNames;
  const parts = words.endsWith('++') ? [...words.slice(0, -2).split('+'), '+'] : words.split('+');
  return parts
    .filter((p) => p !== '')
    .map((p) => names[p] ?? p.charAt(0).toUpperCase() + p.slice(1))
    .join(mac ? '' : ' ');
}

/** For aria-keyshortcuts: "Control+K". */
export function ariaKey(words: string, mac: boolean): string {
  const names: Record<string, string> = {
    mod: mac ? 'Meta' : 'Control',
    ctrl: 'Control',
    esc: 'Escape',
    space: 'Space',
  };
  return words
    .split('+')
    .map((p) => names[p] ?? p.charAt(0).toUpperCase() + p.slice(1))
    .join('+');
}
