/** The part of a keyboard event that tells whether an input method has the key. */
export interface ComposingKey {
  isComposing: boolean;
  keyCode?: number;
}

/** composing tells whether a key belongs to an input method: it then means nothing to the workbench. */
export function composing(e: ComposingKey): boolean {
  // 229 is what browsers say of such keys, Safari even after isComposing is false again.
  return e.isComposing || e.keyCode === 229;
}
