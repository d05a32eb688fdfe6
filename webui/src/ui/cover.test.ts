import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = join(import.meta.dirname, '..');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((f) => f.replaceAll('\\', '/'));
const read = (f: string) => readFileSync(join(src, f), 'utf8');
const views = files.filter((f) => f.endsWith('.tsx') && !f.includes('.test.'));

/** These stand at an element of the page; where the app shows the page, it draws them itself. */
const atElement = ['views/page/NoteBox.tsx'];

/** Classes that leave the flow and lie above the place of the page, and the views that have them. */
function floating(): string[] {
  const out = new Set<string>();
  for (const f of files.filter((f) => f.endsWith('.css'))) {
    const css = read(f).replaceAll(/\/\*[^]*?\*\//g, '');
    for (const [, selector = '', body = ''] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
      const z = Number(/z-index:\s*(\d+)/.exec(body)?.[1] ?? 0);
      // What lies in the room of the page has less; the review stands in the place of the page.
      if (/position:\s*fixed/.test(body) || (/position:\s*absolute/.test(body) && z > 20)) {
        out.add(selector.trim().split('.').at(-1) ?? '');
      }
    }
  }
  return [...out].sort();
}

describe('what floats over the workbench', () => {
  it('is known by the styles', () => {
    expect(floating()).toEqual(['dialog-back', 'menu', 'panel']);
  });

  it('tells of itself, wherever it is, so that the page makes room for it', () => {
    const float = /class=(?:"(?:dialog-back|menu|panel)"|\{`menu )|aria-modal|role="(?:dialog|menu)"/;
    const all = views.filter((f) => float.test(read(f)) && !atElement.includes(f));
    expect(all.sort()).toEqual([
      'ui/dialog.tsx',
      'ui/menu.tsx',
      'views/palette/Palette.tsx',
      'views/shell/Panel.tsx',
      'views/shell/Shell.tsx',
    ]);
    for (const f of all) {
      const backs = read(f).match(/class="dialog-back"/g)?.length ?? 1;
      expect(read(f).match(/\buseCover\(/g)?.length, f).toBe(backs);
    }
  });
});
