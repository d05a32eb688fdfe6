// What the keys of the card mean, and how much its field takes.

/** As in the shapes that main checks: a note's text in bytes. */
export { maxText, utf8Length } from '../ipc/shapes.std';

/** The part of a keyboard event that is looked at. */
export interface Key {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  keyCode?: number;
}

/** What a key in the field asks for; null: it types. */
export function meaning(e: Key): 'keep' | 'send' | 'cancel' | null {
  // 229 is what a browser says of keys an input method takes.
  if (e.isComposing || e.keyCode === 229) return null;
  if (e.key === 'Escape') return 'cancel';
  if (e.key !== 'Enter' || e.shiftKey || e.altKey) return null;
  return e.ctrlKey || e.metaKey ? 'send' : 'keep';
}
