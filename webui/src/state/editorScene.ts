import type { SceneView } from '../contract/types';
import type { Source } from './source';

/** What of a long text goes out: lines around the cursor, and as many characters. */
const lines = 400;
const characters = 60_000;

/** What the editor shows, for the scene of a turn; null where nothing is open in it. */
export function editorScene(
  source: Pick<Source, 'phase' | 'text' | 'baseline' | 'unsaved' | 'cursor'>,
): SceneView['editor'] {
  if (source.phase.value !== 'ready') return null;
  const at = source.cursor.value;
  const { text, firstLine } = part(source.text, at?.cursor.line ?? 1);
  return {
    text,
    firstLine,
    base: source.baseline.value?.generation ?? 0,
    dirty: source.unsaved.value,
    ...(at !== null && { cursor: at.cursor, selection: at.selection }),
  };
}

/** The whole text, or the lines around one; firstLine is 0 for the whole. */
export function part(text: string, line: number): { text: string; firstLine: number } {
  const all = text.split(/\r\n?|\n/);
  if (all.length <= lines && text.length <= characters) return { text, firstLine: 0 };
  let first = Math.max(0, Math.min(line - 1 - lines / 2, all.length - lines));
  let last = Math.min(all.length, first + lines);
  let size = all.slice(first, last).reduce((n, l) => n + l.length + 1, 0);
  // Lines far from the cursor go first, on the side that has more of them.
  while (size > characters && last - first > 1) {
    if (line - 1 - first > last - line) size -= (all[first++]?.length ?? 0) + 1;
    else size -= (all[--last]?.length ?? 0) + 1;
  }
  const out = all.slice(first, last).join('\n');
  // A line alone may be longer than all that may go out.
  return {
    text: out.length > characters ? out.slice(0, characters).replace(/[\ud800-\udbff]$/, '') : out,
    firstLine: first + 1,
  };
}
