import { describe, expect, it } from 'vitest';
import { Actions, isTextField, type Action, type KeyPress } from './actions';
import { keyName, wordsOf } from './keys';

function press(key: string, more: Partial<KeyPress> = {}): KeyPress & { prevented: boolean } {
  const e = {
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    target: null,
    isComposing: false,
    repeat: false,
    defaultPrevented: false,
    prevented: false,
    preventDefault() {
      e.prevented = true;
    },
    ...more,
  };
  return e;
}

function rig(...actions: (Partial<Action> & { id: string })[]) {
  const ran: string[] = [];
  const all = new Actions(false);
  all.register(
    ...actions.map((a): Action => ({ group: 'general', title: a.id, keys: [], run: () => ran.push(a.id), ...a })),
  );
  return { all, ran };
}

const textarea = { tagName: 'TEXTAREA' };

describe('keys', () => {
  it('are said in words', () => {
    expect(wordsOf(press('K', { ctrlKey: true, shiftKey: true }), false)).toBe('mod+shift+k');
    expect(wordsOf(press('k', { metaKey: true }), true)).toBe('mod+k');
    expect(wordsOf(press('?', { shiftKey: true }), false)).toBe('?');
    expect(wordsOf(press('Z', { shiftKey: true }), false)).toBe('shift+z');
    expect(wordsOf(press(' '), false)).toBe('space');
    expect(wordsOf(press('Shift', { shiftKey: true }), false)).toBe('');
    expect(wordsOf(press('Dead'), false)).toBe('');
  });

  it('have names as each system writes them', () => {
    expect([keyName('mod+k', false), keyName('mod+k', true)]).toEqual(['Ctrl K', '⌘K']);
    expect(keyName('mod++', false)).toBe('Ctrl +');
    expect(keyName('[', false)).toBe('[');
  });
});

describe('actions', () => {
  it('fire by their key', () => {
    const { all, ran } = rig({ id: 'point', keys: ['p'] });
    const e = press('p');
    expect(all.handleKey(e)).toBe(true);
    expect(e.prevented).toBe(true);
    expect(all.handleKey(press('q'))).toBe(false);
    expect(ran).toEqual(['point']);
  });

  it('never fire by a letter where text is typed, nor while an input method composes', () => {
    const { all, ran } = rig(
      { id: 'point', keys: ['p'], inText: true },
      { id: 'palette', keys: ['mod+k'], inText: true },
      { id: 'undo', keys: ['mod+u'] },
    );
    expect(all.handleKey(press('p', { target: textarea }))).toBe(false);
    expect(all.handleKey(press('u', { target: textarea, ctrlKey: true }))).toBe(false);
    expect(all.handleKey(press('k', { target: textarea, ctrlKey: true, isComposing: true }))).toBe(false);
    expect(all.handleKey(press('k', { target: textarea, ctrlKey: true, keyCode: 229 }))).toBe(false);
    expect(all.handleKey(press('k', { target: textarea, ctrlKey: true }))).toBe(true);
    const inShadow = { target: { tagName: 'DIV' }, composedPath: () => [{ isContentEditable: true }] };
    expect(all.handleKey(press('p', inShadow))).toBe(false);
    expect(all.handleKey(press('p', { target: { tagName: 'BUTTON', closest: () => ({}) } }))).toBe(false);
    expect(ran).toEqual(['palette']);
  });

  it('take turns: what is registered last and offered wins', () => {
    let open = true;
    const { all, ran } = rig({ id: 'back', keys: ['esc'] });
    const out = all.register({
      id: 'close',
      group: 'review',
      title: '',
      keys: ['esc'],
      when: () => open,
      run: () => ran.push('close'),
    });
    all.handleKey(press('Escape'));
    open = false;
    all.handleKey(press('Escape'));
    out();
    open = true;
    all.handleKey(press('Escape'));
    expect(ran).toEqual(['close', 'back', 'back']);
  });

  it('do not repeat while a key is held, unless they say so, and swallow the key all the same', () => {
    const { all, ran } = rig({ id: 'approve', keys: ['a'] }, { id: 'next', keys: [']'], repeats: true });
    expect(all.handleKey(press('a', { repeat: true }))).toBe(true);
    all.handleKey(press(']', { repeat: true }));
    expect(ran).toEqual(['next']);
  });

  it('can be rebound, freed and reset', () => {
    const { all, ran } = rig({ id: 'point', keys: ['p'] }, { id: 'sheet', keys: ['?'] });
    all.bind('point', 'mod+j');
    all.bind('sheet', null);
    expect(all.handleKey(press('p'))).toBe(false);
    expect(all.handleKey(press('?', { shiftKey: true }))).toBe(false);
    all.handleKey(press('j', { ctrlKey: true }));
    expect([all.keyName('point'), all.keyName('sheet'), all.ariaKeys('point')]).toEqual(['Ctrl J', '', 'Control+J']);
    all.unbind('point');
    all.handleKey(press('p'));
    expect(ran).toEqual(['point', 'point']);
    all.unbind();
    expect(all.keysOf('sheet')).toEqual(['?']);
  });

  it('tell which of them want one key, but not where they never meet', () => {
    const { all } = rig(
      { id: 'page.a', group: 'page', keys: ['a'] },
      { id: 'review.a', group: 'review', keys: ['a'] },
      { id: 'general.x', keys: ['x'] },
      { id: 'page.x', group: 'page', keys: ['x'] },
    );
    expect(all.conflicts()).toEqual([{ key: 'x', ids: ['general.x', 'page.x'] }]);
  });

  it('report what they throw, now or later', async () => {
    const seen: unknown[] = [];
    const all = new Actions(false, (e) => seen.push(e));
    all.register(
      {
        id: 'now',
        group: 'general',
        title: '',
        keys: ['n'],
        run: () => {
          throw new Error('now');
        },
      },
      { id: 'later', group: 'general', title: '', keys: ['l'], run: () => Promise.reject(new Error('later')) },
    );
    all.handleKey(press('n'));
    all.run('later');
    await Promise.resolve();
    await Promise.resolve();
    expect(seen.map(String)).toEqual(['Error: now', 'Error: later']);
  });

  it('know a field that takes text', () => {
    expect(
      [{ tagName: 'INPUT', type: 'text' }, { tagName: 'INPUT', type: 'range' }, { isContentEditable: true }, null].map(
        isTextField,
      ),
    ).toEqual([true, false, true, false]);
  });
});
