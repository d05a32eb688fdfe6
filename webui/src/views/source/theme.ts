import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

// Colours are the workbench's tokens, which cross into the editor's shadow root,
// so that light and dark need no second theme.
export const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0 40vh' },
  '.cm-line': { padding: '0 16px 0 8px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '2px' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'light-dark(#bcd9fb, #24486f) !important',
  },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-2)', border: 'none', paddingLeft: '8px' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '4ch', padding: '0 8px 0 4px', fontVariantNumeric: 'tabular-nums' },
  '.cm-foldGutter .cm-gutterElement': { color: 'var(--text-2)', padding: '0 2px' },
  '.cm-activeLine': { backgroundColor: 'light-dark(rgb(20 26 38 / 4%), rgb(255 255 255 / 4%))' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-picked': {
    backgroundColor: 'var(--accent-tint)',
    boxShadow: 'inset 0 -2px 0 var(--accent)',
    borderRadius: '2px',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--surface-3)',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--loss-tint)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-tint)', outline: '1px solid var(--line-strong)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-tint)', outline: '2px solid var(--accent)' },
  '.cm-specialChar': { color: 'var(--text-2)', fontSize: '10px' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--surface-3)',
    border: '1px solid var(--line)',
    color: 'var(--text-2)',
    padding: '0 4px',
  },
  '.cm-panels': { backgroundColor: 'var(--surface-2)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '6px 36px 6px 12px', fontFamily: 'var(--font)', fontSize: '13px' },
  '.cm-panel.cm-search label': { fontSize: '12px', marginRight: '8px', color: 'var(--text-2)' },
  '.cm-textfield': {
    minHeight: '26px',
    padding: '2px 8px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '13px',
  },
  '.cm-button': {
    minHeight: '26px',
    padding: '0 10px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r)',
    background: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '12px',
  },
  '.cm-button:hover': { background: 'var(--surface-3)' },
  '.cm-button:active': { background: 'var(--surface-3)', backgroundImage: 'none' },
  '.cm-panel.cm-search [name=close]': { top: '6px', right: '8px', color: 'var(--text)', fontSize: '18px' },
  '.cm-textfield:focus-visible, .cm-button:focus-visible, [name=close]:focus-visible': {
    outline: '2px solid var(--accent)',
    outlineOffset: '1px',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--r)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
  },
});

const style = HighlightStyle.define([
  { tag: tags.tagName, color: 'light-dark(#0a57ae, #7db8ff)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'light-dark(#6b4aa0, #c3a6f0)' },
  { tag: [tags.attributeValue, tags.string], color: 'light-dark(#17683a, #8fd3a4)' },
  { tag: [tags.number, tags.bool, tags.atom, tags.unit, tags.color], color: 'light-dark(#8a4b08, #e2b070)' },
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'light-dark(#9a2258, #f09ac0)' },
  { tag: [tags.comment, tags.meta, tags.documentMeta], color: 'var(--text-2)', fontStyle: 'italic' },
  { tag: [tags.angleBracket, tags.punctuation, tags.bracket], color: 'var(--text-2)' },
  { tag: tags.character, color: 'light-dark(#8a4b08, #e2b070)' },
  { tag: tags.invalid, color: 'var(--loss)' },
]);

export const highlighting = syntaxHighlighting(style);
