import type { Card, CardAction, CardShown } from '../ipc/desktop.std';
import { maxText, meaning, utf8Length } from './field.std';
import type { CardHost } from './overlay.preload';

// The card at an element. All text of others goes in as text, never as markup.

const host = (window as unknown as { proofmarkCard: CardHost }).proofmarkCard;
const box = document.getElementById('card') as HTMLDivElement;
const tooLong = { en: 'A note holds at most 16 KiB of text.', zh: '一条批注最多 16 KiB 文字。' };

const field = document.createElement('textarea');
field.rows = 2;
field.spellcheck = false;
const facts = make('div', 'facts');
const proof = make('p', 'proof');
const saving = make('span', 'saving');
const alert = make('p', 'alert');
const lines = make('div', 'lines');
const row = make('div', 'row');
alert.setAttribute('role', 'alert');
saving.setAttribute('role', 'status');
facts.append(proof, saving);
box.append(field, facts, alert, lines, row);

let shown: CardShown | null = null;
let revision = -1;
/** The text before an input method began, where what it gave does not fit. */
let before = '';

host.onShow((s) => {
  shown = s;
  show(s);
});

function show({ card, begins, theme, language }: CardShown): void {
  document.documentElement.dataset['theme'] = theme;
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  box.hidden = false;
  box.setAttribute('role', card.text === null ? 'alert' : 'dialog');
  box.setAttribute('aria-label', card.label);
  field.hidden = card.text === null;
  field.placeholder = card.label;
  field.setAttribute('aria-label', card.label);
  box.className = card.text === null ? 'told' : '';
  if (card.text !== null && (begins || card.revision !== revision)) {
    revision = card.revision;
    if (field.value !== card.text) field.value = card.text;
  }
  proof.replaceChildren(...proofOf(card));
  saving.textContent = card.saving;
  say(card.alert);
  lines.replaceChildren(...card.lines.map((l) => Object.assign(make('p', 'line'), { textContent: l })));
  lines.hidden = card.lines.length === 0;
  facts.hidden = card.proof === '' && card.code === '' && card.saving === '';
  row.hidden = card.actions.length === 0;
  buttons(card.actions);
  if (card.text !== null && (begins || document.activeElement === document.body)) field.focus();
}

function proofOf(card: Card): (Node | string)[] {
  if (card.code === '') return [card.proof];
  const code = Object.assign(document.createElement('code'), { textContent: card.code });
  return card.proof === '' ? [code] : [code, ' · ', card.proof];
}

/** Buttons stay where they are the same, so that focus does. */
function buttons(actions: CardAction[]): void {
  const old = new Map([...row.querySelectorAll('button')].map((b) => [b.dataset['choice'], b]));
  const next = actions.map((a) => {
    const b = old.get(a.choice) ?? document.createElement('button');
    b.type = 'button';
    b.dataset['choice'] = a.choice;
    b.className = a.primary === true ? 'primary' : a.quiet === true ? 'quiet' : '';
    b.disabled = a.disabled === true;
    b.title = a.key ?? '';
    if (b.textContent !== a.label) b.textContent = a.label;
    b.onclick = () => host.submit(a.choice, field.value);
    return b;
  });
  if (next.length !== row.children.length || next.some((b, i) => row.children[i] !== b)) row.replaceChildren(...next);
}

function say(text: string): void {
  if (alert.textContent !== text) alert.textContent = text;
  alert.hidden = text === '';
}

function make(tag: 'div' | 'p' | 'span', name: string): HTMLElement {
  const e = document.createElement(tag);
  e.className = name;
  return e;
}

// What does not fit is refused before it is in, so that nothing that was there is lost.
field.addEventListener('beforeinput', (e) => {
  if (e.isComposing || e.data === null) return;
  const chosen = field.value.slice(field.selectionStart, field.selectionEnd);
  if (utf8Length(field.value) - utf8Length(chosen) + utf8Length(e.data) <= maxText) return;
  e.preventDefault();
  say(tooLong[shown?.language ?? 'en']);
});
field.addEventListener('compositionstart', () => (before = field.value));
field.addEventListener('input', (e) => {
  if (e instanceof InputEvent && e.isComposing) return;
  changed();
});
field.addEventListener('compositionend', () => changed());

function changed(): void {
  if (utf8Length(field.value) > maxText) {
    field.value = before; // only an input method comes this far
    say(tooLong[shown?.language ?? 'en']);
  }
  host.draft(field.value);
}

document.addEventListener('keydown', (e) => {
  const m = meaning(e);
  if (m === 'cancel') {
    e.preventDefault();
    host.cancel();
  } else if (m !== null && (e.target === field || m === 'send')) {
    e.preventDefault();
    const offered = shown?.card.actions.find((a) => a.choice === m);
    if (offered !== undefined && offered.disabled !== true) host.submit(m, field.value);
  } else if (e.key === 'Tab') {
    keepFocus(e);
  }
});

/** The card is a dialog: Tab goes around in it. */
function keepFocus(e: KeyboardEvent): void {
  const stops = [field, ...row.querySelectorAll('button')].filter((x) => !x.hidden && !x.disabled);
  const at = stops.indexOf(document.activeElement as HTMLTextAreaElement | HTMLButtonElement);
  const next = stops.at((at + (e.shiftKey ? -1 : 1)) % stops.length) ?? stops[0];
  e.preventDefault();
  next?.focus();
}

// A file or text that is dropped here goes nowhere.
for (const name of ['dragover', 'drop']) {
  document.addEventListener(name, (e) => {
    if (e.target !== field || (e as DragEvent).dataTransfer?.types.includes('Files') === true) e.preventDefault();
  });
}
