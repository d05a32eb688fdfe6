import { history, undo } from '@codemirror/commands';
import { EditorState, type Transaction } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { withLineEnd } from '../../lib/eol';
import { changed, random, sample } from '../../lib/random.testing';
import { deletePairBackward, deletePairForward, Form, moved, newlineAsUsual } from './text';

function stateOf(text: string, form = Form.of(text)): EditorState {
  return EditorState.create({ doc: form.toDoc(text), extensions: [form.extension, history()] });
}

/** Texts with line ends of one kind, and with all of them. */
function texts(seed: number, n: number): string[] {
  const rnd = random(seed);
  return Array.from({ length: n }, (_, i) => {
    const text = sample(rnd, 50);
    const end = (['\n', '\r\n', '\r', null] as const)[i % 4];
    return end === null || end === undefined ? text : withLineEnd(text, end);
  });
}

describe('a text in the editor', () => {
  it('comes back as it was, whatever its line ends are', () => {
    for (const text of texts(21, 800)) {
      const form = Form.of(text);
      expect(form.toText(stateOf(text).doc)).toBe(text);
    }
    for (const text of ['', '\r', '\r\r\n', '\n\r', 'a\r\nb\nc\rd', '\ufeff<p>\r\n', 'x\u2028y\u0085z\f']) {
      expect(Form.of(text).toText(stateOf(text).doc)).toBe(text);
    }
  });

  it('keeps every byte outside an edit, and gets all back by undo', () => {
    const rnd = random(22);
    for (const text of texts(23, 400)) {
      const form = Form.of(text);
      let state = stateOf(text);
      const before = state.doc;
      const from = Math.floor(rnd() * (before.length + 1));
      const to = Math.min(before.length, from + Math.floor(rnd() * 6));
      state = state.update({ changes: { from, to, insert: 'X' } }).state;
      const out = form.toText(state.doc);
      const [i, j] = [form.indexOf(before, from), form.indexOf(before, to)];
      expect(out).toBe(`${text.slice(0, i)}X${text.slice(j)}`);
      undo({ state, dispatch: (tr: Transaction) => (state = tr.state) });
      expect(form.toText(state.doc)).toBe(text);
    }
  });

  it('becomes another text by few changes', () => {
    const rnd = random(24);
    for (const text of texts(25, 400)) {
      const form = Form.of(text);
      const next = changed(rnd, text);
      if (!form.fits(next)) continue;
      const state = stateOf(text);
      const changes = form.changes(state.doc, form.toDoc(next));
      expect(form.toText(changes.apply(state.doc))).toBe(next);
    }
  });

  it('does not fit where its line ends became other ones', () => {
    const form = Form.of('a\r\nb\r\n');
    expect([form.fits('x\r\n'), form.fits('x\n'), form.fits('x\r\ny\n')]).toEqual([true, false, false]);
  });

  it('follows a place through edits', () => {
    const form = Form.of('<p>one</p>');
    const from = form.toDoc('<p>one</p>');
    const desc = form.changes(from, form.toDoc('new <p>one</p>')).desc;
    expect(moved(desc, 0, 3)).toEqual([4, 7]);
  });
});

describe('mixed line ends', () => {
  const text = 'a\r\nb\r\nc\n';
  const form = Form.of(text);
  const at = (pos: number) => stateOf(text).update({ selection: { anchor: pos } }).state;
  function run(command: typeof deletePairBackward, pos: number): string | null {
    let state = at(pos);
    return command({ state, dispatch: (tr) => (state = tr.state) }) ? form.toText(state.doc) : null;
  }

  it('are deleted whole', () => {
    expect(run(deletePairBackward, 3)).toBe('ab\r\nc\n');
    expect(run(deletePairForward, 1)).toBe('ab\r\nc\n');
    expect(run(deletePairBackward, 1)).toBeNull();
    expect(run(deletePairForward, 7)).toBeNull();
  });

  it('get another one of the usual kind', () => {
    expect(run(newlineAsUsual(form), 1)).toBe('a\r\n\r\nb\r\nc\n');
    expect(form.pasted('x\ny')).toBe('x\r\ny');
    const plain = Form.of('a\nb\n');
    expect(newlineAsUsual(plain)({ state: stateOf('a\nb\n'), dispatch: () => undefined })).toBe(false);
    expect(plain.pasted('x\r\ny')).toBe('x\r\ny');
  });
});
