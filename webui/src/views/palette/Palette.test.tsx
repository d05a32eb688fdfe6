// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../state/app';
import { appWith, show, type Shown } from '../testing';
import { Palette } from './Palette';

let app: App;
let view: Shown;
let ran: string[];

beforeEach(() => {
  ran = [];
  app = appWith({ documents: () => Promise.resolve([]) });
  const action = (id: string, title: string, keys: string[]) => ({
    id,
    title,
    keys,
    group: 'general' as const,
    run: () => void ran.push(id),
  });
  app.actions.register(
    action('a', 'place.page', ['1']),
    action('b', 'place.source', ['2']),
    action('c', 'common.undo', ['z']),
  );
});

afterEach(() => view.end());

const rows = () => [...view.root.querySelectorAll('[role=option]')].map((r) => r.textContent);
const chosen = () => view.root.querySelector('[aria-selected=true]')?.textContent;

async function type(text: string) {
  const input = view.root.querySelector('input') as HTMLInputElement;
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  await view.settle();
}

describe('the palette', () => {
  beforeEach(async () => {
    app.places.palette.value = true;
    view = await show(app, <Palette />);
  });

  it('lists what can be done, with its keys, and says which one is chosen', async () => {
    expect(rows().slice(0, 3)).toEqual(['Page1', 'Source2', 'UndoZ']);
    const input = view.root.querySelector('input')!;
    expect(document.activeElement).toBe(input);
    await view.press('ArrowDown');
    expect(chosen()).toBe('Source2');
    expect(view.root.querySelector(`#${input.getAttribute('aria-activedescendant')}`)?.textContent).toBe('Source2');
    await view.press('ArrowUp');
    await view.press('ArrowUp');
    expect(chosen()).toBe(rows().at(-1)); // round to the last one
  });

  it('finds what the menu offers, too', async () => {
    await type('dark');
    expect(rows()).toEqual(['Theme: Dark']);
    await view.press('Enter');
    expect(app.preferences.theme.value).toBe('dark');
  });

  it('finds, runs and closes', async () => {
    await type('sou');
    expect(rows()).toEqual(['Source2']);
    await view.press('Enter');
    expect([ran, app.places.palette.value]).toEqual([['b'], false]);
  });

  it('takes letters as text, not as keys', async () => {
    await view.press('z');
    expect(ran).toEqual([]);
  });

  it('says when nothing is found', async () => {
    await type('qqq');
    expect(view.root.querySelector('[role=status]')?.textContent).toBe('Nothing is called that.');
    await view.press('Enter');
    expect(app.places.palette.value).toBe(true);
  });
});

describe('the sheet of keys', () => {
  beforeEach(async () => {
    app.places.sheet.value = true;
    view = await show(app, <Palette />);
  });

  const key = (name: string) => view.named(`Key of “${name}”`);

  it('shows keys of views that are not loaded, too', () => {
    expect(key('Approve').textContent).toBe('A');
    expect(key('Save as a version').textContent).toBe('Ctrl S');
  });

  it('gives an action another key, and back its own', async () => {
    key('Undo').click();
    await view.settle();
    view.named('Press a key').focus();
    await view.press('u');
    expect([app.actions.keysOf('c'), ran]).toEqual([['u'], []]);
    view.named('“Undo” gets its own key again').click();
    await view.settle();
    expect(app.actions.keysOf('c')).toEqual(['z']);
  });

  it('says which other action has the key', async () => {
    key('Undo').click();
    await view.settle();
    view.named('Press a key').focus();
    await view.press('1');
    expect(view.root.querySelectorAll('.key-conflict')).toHaveLength(2);
    expect(view.root.textContent).toContain('1 also means: Page');
  });

  it('leaves a key as it is with Esc, and takes it away with Backspace', async () => {
    key('Undo').click();
    await view.settle();
    view.named('Press a key').focus();
    await view.press('Escape');
    expect([app.actions.keysOf('c'), app.places.sheet.value]).toEqual([['z'], true]);
    key('Undo').click();
    await view.settle();
    view.named('Press a key').focus();
    await view.press('Backspace');
    expect(app.actions.keysOf('c')).toEqual([]);
    expect(app.actions.paused.value).toBe(false);
  });
});
