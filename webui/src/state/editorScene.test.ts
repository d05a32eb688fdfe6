import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { editorScene, part } from './editorScene';

describe('what the editor shows', () => {
  it('is nothing before there is an editor', () => {
    const none = {
      phase: signal('idle' as const),
      text: '',
      baseline: signal(null),
      unsaved: signal(false),
      cursor: signal(null),
    };
    expect(editorScene(none)).toBeNull();
  });

  it('is the text with its cursor', () => {
    const at = { line: 2, column: 1 };
    const source = {
      phase: signal('ready' as const),
      text: 'a\nb\n',
      baseline: signal({ generation: 3, version: '3', text: 'a\n' }),
      unsaved: signal(true),
      cursor: signal({ cursor: at, selection: { start: at, end: at } }),
    };
    expect(editorScene(source)).toEqual({
      text: 'a\nb\n',
      firstLine: 0,
      base: 3,
      dirty: true,
      cursor: at,
      selection: { start: at, end: at },
    });
  });

  it('is a part around the cursor where the text is long', () => {
    const long = Array.from({ length: 2000 }, (_, i) => `line ${i + 1}`).join('\n');
    const p = part(long, 1000);
    expect(p.firstLine).toBe(800);
    expect(p.text.split('\n')).toHaveLength(400);
    expect(p.text.startsWith('line 800\n')).toBe(true);
    expect(part(long, 2000).text.endsWith('line 2000')).toBe(true);
    expect(part(long, 1).firstLine).toBe(1);
  });

  it('is bounded where its lines are long, and cuts no character', () => {
    const wide = Array.from({ length: 50 }, (_, i) => `${i + 1} ${'x'.repeat(5000)}`).join('\n');
    const p = part(wide, 25);
    expect(p.text.length).toBeLessThanOrEqual(60_000);
    expect(p.text).toContain('25 x');
    const one = part('😀'.repeat(80_000), 1);
    expect([one.firstLine, one.text.length, one.text.endsWith('😀')]).toEqual([1, 60_000, true]);
  });
});
