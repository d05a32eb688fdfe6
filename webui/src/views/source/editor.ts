import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { html } from '@codemirror/lang-html';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import {
  Annotation,
  ChangeSet,
  Compartment,
  EditorState,
  StateEffect,
  StateField,
  type ChangeDesc,
  type Extension,
  type Text,
} from '@codemirror/state';
import {
  crosshairCursor,
  Decoration,
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
  type DecorationSet,
} from '@codemirror/view';
import { Offsets } from '../../lib/utf16';
import { deletePairBackward, deletePairForward, Form, moved, newlineAsUsual } from './text';
import { highlighting, theme } from './theme';

/** Texts above this, and lines above that, are shown without colours: they would hold up typing. */
const MOST_COLOURED = 3 << 20;
const LONGEST_COLOURED = 100_000;

/** A place as people count: lines and characters from 1. */
export interface Point {
  line: number;
  column: number;
}

export interface EditorOptions {
  text: string;
  /** The version's text that spans count in. */
  base: string;
  label: string;
  describedBy: string;
  phrases: Record<string, string>;
  readOnly: boolean;
}

/** A change that no person made here. */
const given = Annotation.define<boolean>();
const setPicked = StateEffect.define<readonly [number, number] | null>();

const pickedMark = Decoration.mark({ class: 'cm-picked' });
const picked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, tr) {
    let out = marks.map(tr.changes);
    for (const e of tr.effects) {
      if (!e.is(setPicked)) continue;
      const [from, to] = e.value ?? [0, 0];
      out = from < to ? Decoration.set(pickedMark.range(from, to)) : Decoration.none;
    }
    return out;
  },
  provide: (f) => EditorView.decorations.from(f),
});

/** The source editor: CodeMirror in a shadow root, where its styles may stand under the strict CSP. */
export class SourceEditor {
  readonly view: EditorView;
  /** What holds the editor: it can be put elsewhere with all that is in it. */
  readonly host = document.createElement('div');
  /** A person changed the text. */
  onChange: () => void = () => undefined;
  /** The cursor went elsewhere, or the text under it changed. */
  onCursor: () => void = () => undefined;
  /** Whether colours are left out. */
  readonly isPlain: boolean;
  #form: Form;
  #base: string;
  #offsets: Offsets | null = null;
  #since: ChangeDesc;
  #baseDoc: Text;
  #top = 0;
  #watching = false;
  readonly #readOnly = new Compartment();

  constructor(private readonly o: EditorOptions) {
    this.#form = Form.of(o.text);
    this.isPlain = o.text.length > MOST_COLOURED || longestLine(o.text) > LONGEST_COLOURED;
    this.#base = o.base;
    const state = this.#stateOf(o.text);
    this.#baseDoc = this.#form.toDoc(o.base);
    this.#since = this.#form.changes(this.#baseDoc, state.doc).desc;
    this.host.className = 'editor-host';
    const root = this.host.attachShadow({ mode: 'open' });
    this.view = new EditorView({ state, root, parent: root });
    // Not when it is taken out: it has no place to be scrolled to by then.
    this.view.scrollDOM.addEventListener('scroll', () => {
      if (this.#watching && this.host.isConnected) this.#top = this.view.scrollDOM.scrollTop;
    });
  }

  /** Puts the editor into an element, as it stood when it was taken out of one. */
  attach(parent: HTMLElement): void {
    parent.append(this.host);
    // An element that comes back into the page is scrolled to its top: what was seen is
    // brought back once the editor has measured itself.
    const top = this.#top;
    const { scrollDOM } = this.view;
    this.view.requestMeasure();
    requestAnimationFrame(() => {
      scrollDOM.scrollTop = top;
      this.#watching = true;
    });
  }

  detach(): void {
    this.#watching = false;
    this.host.remove();
  }

  get text(): string {
    return this.#form.toText(this.view.state.doc);
  }

  get ends() {
    return this.#form.ends;
  }

  /** Shows another text. What is the same stays where it is: cursor, scroll and folds. */
  show(text: string): void {
    if (!this.#form.fits(text)) {
      this.#form = Form.of(text);
      this.view.setState(this.#stateOf(text));
      this.setBase(this.#base);
      return;
    }
    const changes = this.#form.changes(this.view.state.doc, this.#form.toDoc(text));
    if (!changes.empty) this.view.dispatch({ changes, annotations: given.of(true) });
  }

  /** The version's text that spans count in, from now on. */
  setBase(base: string): void {
    if (base !== this.#base) this.#offsets = null;
    this.#base = base;
    this.#baseDoc = this.#form.toDoc(base);
    const doc = this.view.state.doc;
    this.#since = doc.eq(this.#baseDoc)
      ? ChangeSet.empty(doc.length).desc
      : this.#form.changes(this.#baseDoc, doc).desc;
  }

  setReadOnly(readOnly: boolean): void {
    if (this.view.state.readOnly === readOnly) return;
    this.view.dispatch({ effects: this.#readOnly.reconfigure(EditorState.readOnly.of(readOnly)) });
  }

  /** Marks a span of the version's bytes, and brings it into view. */
  mark(span: readonly [number, number] | null, reveal: boolean): void {
    const range = span === null ? null : this.#rangeOf(span);
    const effects: StateEffect<unknown>[] = [setPicked.of(range)];
    if (reveal && range !== null) effects.push(EditorView.scrollIntoView(range[0], { y: 'center', x: 'nearest' }));
    this.view.dispatch({ effects });
  }

  /** Puts the cursor before a span, and the span into view. */
  goTo(span: readonly [number, number]): void {
    const [from] = this.#rangeOf(span);
    this.view.dispatch({
      selection: { anchor: from },
      annotations: given.of(true),
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
  }

  #rangeOf([from, to]: readonly [number, number]): [number, number] {
    const offsets = (this.#offsets ??= new Offsets(this.#base));
    const at = (byte: number) => this.#form.positionOf(this.#baseDoc, offsets.toUnit(byte));
    return moved(this.#since, at(from), at(to));
  }

  /** The byte of the version under the cursor; null in what was typed since. */
  get byte(): number | null {
    const pos = this.view.state.selection.main.head;
    const inverse = this.#since.invertedDesc;
    const at = inverse.mapPos(pos, -1);
    if (at !== inverse.mapPos(pos, 1)) return null;
    const offsets = (this.#offsets ??= new Offsets(this.#base));
    return offsets.toByte(this.#form.indexOf(this.#baseDoc, at));
  }

  /** Where the selection is, by lines and characters. */
  get selection(): { head: Point; start: Point; end: Point } {
    const { head, from, to } = this.view.state.selection.main;
    return { head: this.#point(head), start: this.#point(from), end: this.#point(to) };
  }

  #point(pos: number): Point {
    const line = this.view.state.doc.lineAt(pos);
    let column = 1;
    for (const c of line.text.slice(0, pos - line.from)) column += c === '' ? 0 : 1;
    return { line: line.number, column };
  }

  find(): void {
    openSearchPanel(this.view);
  }

  focus(): void {
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }

  #stateOf(text: string): EditorState {
    return EditorState.create({ doc: this.#form.toDoc(text), extensions: this.#extensions() });
  }

  #extensions(): Extension[] {
    const form = this.#form;
    return [
      form.extension,
      EditorState.phrases.of(this.o.phrases),
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightSpecialChars({ render: specialChar }),
      history(),
      codeFolding(),
      foldGutter({ openText: '⌄', closedText: '›' }),
      drawSelection(),
      dropCursor(),
      EditorState.allowMultipleSelections.of(true),
      indentOnInput(),
      bracketMatching(),
      rectangularSelection(),
      crosshairCursor(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      search({ top: true }),
      EditorView.lineWrapping,
      keymap.of([
        { key: 'Enter', run: newlineAsUsual(form) },
        { key: 'Backspace', run: deletePairBackward },
        { key: 'Delete', run: deletePairForward },
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...foldKeymap,
        indentWithTab,
      ]),
      EditorView.clipboardInputFilter.of((text) => form.pasted(text)),
      this.isPlain ? [] : html(),
      highlighting,
      theme,
      picked,
      this.#readOnly.of(EditorState.readOnly.of(this.o.readOnly)),
      EditorView.contentAttributes.of({
        tabindex: '0',
        'aria-label': this.o.label,
        'aria-description': this.o.describedBy,
        spellcheck: 'false',
        autocorrect: 'off',
        autocapitalize: 'off',
      }),
      EditorView.updateListener.of((u) => {
        if (u.docChanged) {
          this.#since = this.#since.composeDesc(u.changes.desc);
          if (!u.transactions.some((tr) => tr.annotation(given))) this.onChange();
        }
        const byHand = u.selectionSet && !u.transactions.some((tr) => tr.annotation(given));
        if (u.docChanged || byHand) this.onCursor();
      }),
    ];
  }
}

/** A carriage return is shown as what it is; all others as a dot with their name. */
function specialChar(code: number, description: string | null, placeholder: string): HTMLElement {
  const span = document.createElement('span');
  span.className = 'cm-specialChar';
  span.textContent = code === 13 ? '␍' : placeholder;
  const name = code === 13 ? 'CR' : (description ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`);
  span.title = name;
  span.setAttribute('aria-label', name);
  return span;
}

function longestLine(text: string): number {
  let longest = 0;
  for (let at = 0; at < text.length;) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    longest = Math.max(longest, end - at);
    at = end + 1;
  }
  return longest;
}
