import { ChangeSet, EditorState, Text, type ChangeDesc, type Extension, type StateCommand } from '@codemirror/state';
import { diff } from '../../lib/diff';
import { lineEnds, toDocPosition, toTextIndex, withLineEnd, type LineEnds } from '../../lib/eol';

/**
 * A text as the editor has it, and back. Where all line ends are of one kind, the
 * editor counts lines and they are written again as that kind; where they are
 * mixed, each CR stays a character of its line, so that every byte is kept
 * through edits, undo and all.
 */
export class Form {
  constructor(readonly ends: LineEnds) {}

  static of(text: string): Form {
    return new Form(lineEnds(text));
  }

  /** Whether a text needs another form than this one. */
  fits(text: string): boolean {
    const ends = lineEnds(text);
    return ends.mixed === this.ends.mixed && ends.usual === this.ends.usual;
  }

  get extension(): Extension {
    return this.ends.mixed ? EditorState.lineSeparator.of('\n') : [];
  }

  toDoc(text: string): Text {
    return Text.of(this.ends.mixed ? text.split('\n') : text.split(/\r\n?|\n/));
  }

  toText(doc: Text): string {
    return doc.sliceString(0, doc.length, this.ends.mixed ? '\n' : this.ends.usual);
  }

  /** A place in the text of one that is in the editor, and the other way round. */
  indexOf(doc: Text, pos: number): number {
    return toTextIndex(doc, pos, this.ends);
  }

  positionOf(doc: Text, index: number): number {
    return toDocPosition(doc, index, this.ends);
  }

  /** What turns a document into another one, as few changes as can be found. */
  changes(from: Text, to: Text): ChangeSet {
    if (from.eq(to)) return ChangeSet.empty(from.length);
    const a = from.toString();
    const b = to.toString();
    // toString joins lines with LF, which both have between all of their lines.
    return ChangeSet.of(
      diff(a, b).map((c) => ({ from: c.fromA, to: c.toA, insert: Text.of(b.slice(c.fromB, c.toB).split('\n')) })),
      from.length,
    );
  }

  /** Pasted text with the line ends of the page. */
  pasted(text: string): string {
    return this.ends.mixed ? withLineEnd(text, this.ends.usual) : text;
  }
}

/** Where a place of one document is in another one that it became. */
export function moved(desc: ChangeDesc, from: number, to: number): [number, number] {
  const start = desc.mapPos(from, 1);
  return [start, Math.max(start, desc.mapPos(to, -1))];
}

// With mixed line ends a CR is a character: these keep it together with its LF.

export const newlineAsUsual =
  (form: Form): StateCommand =>
  ({ state, dispatch }) => {
    if (!form.ends.mixed || form.ends.usual === '\n' || state.readOnly) return false;
    dispatch(state.update(state.replaceSelection(form.ends.usual), { scrollIntoView: true, userEvent: 'input' }));
    return true;
  };

export const deletePairBackward: StateCommand = ({ state, dispatch }) => deletePair(state, dispatch, -1);
export const deletePairForward: StateCommand = ({ state, dispatch }) => deletePair(state, dispatch, 1);

function deletePair(state: EditorState, dispatch: Parameters<StateCommand>[0]['dispatch'], way: -1 | 1): boolean {
  const { main, ranges } = state.selection;
  if (state.readOnly || ranges.length > 1 || !main.empty) return false;
  const from = way < 0 ? main.head - 2 : main.head;
  if (from < 0 || from + 2 > state.doc.length || state.sliceDoc(from, from + 2) !== '\r\n') return false;
  dispatch(state.update({ changes: { from, to: from + 2 }, scrollIntoView: true, userEvent: 'delete' }));
  return true;
}
