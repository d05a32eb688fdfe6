// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../../api/api';
import { Host } from '../../api/host';
import type { Preview } from '../../contract/types';
import { type App, createApp } from '../../state/app';
import { note, pick } from '../../state/testing';
import { AppContext } from '../context';
import { Cards } from './Layer';

let root: HTMLDivElement;
let app: App;
let made: string[];

beforeEach(async () => {
  vi.useFakeTimers();
  made = [];
  // What no test asks about is answered by nothing at all.
  const api = new Proxy<Record<string, unknown>>(
    {},
    {
      get: (own, name: string) => own[name] ?? (() => new Promise(() => undefined)),
    },
  );
  api.annotations = () => Promise.resolve([]);
  api.addNote = (_: string, q: { instruction: string }) => {
    made.push(q.instruction);
    return Promise.resolve(note('n1', 1, { instruction: q.instruction }));
  };
  api.changeNote = (_: string, id: string, q: { instruction: string }) => {
    made.push(q.instruction);
    return Promise.resolve(note(id, 1, { instruction: q.instruction }));
  };
  app = createApp(api as unknown as Api, new Host(() => Promise.reject(new Error('no'))), false, null);
  app.preview.preview.value = { id: 'prv', generation: 1, epoch: 1 } as Preview;
  app.preview.phase.value = 'shown';
  await app.notes.open('doc_a');
  root = document.createElement('div');
  document.body.append(root);
});

afterEach(() => {
  render(null, root);
  root.remove();
  vi.useRealTimers();
});

async function open() {
  app.pick.take(pick('h1'));
  app.notes.begin('prv', app.pick.selection.value);
  await act(() =>
    render(
      <AppContext.Provider value={app}>
        <Cards />
      </AppContext.Provider>,
      root,
    ),
  );
  const area = root.querySelector('textarea');
  if (area === null) throw new Error('no box');
  return area;
}

const type = (area: HTMLTextAreaElement, text: string) =>
  act(() => {
    area.value = text;
    area.dispatchEvent(new Event('input', { bubbles: true }));
  });

const press = async (area: HTMLElement, key: string, more: KeyboardEventInit = {}) => {
  const e = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
  await act(async () => {
    area.dispatchEvent(e);
    await vi.advanceTimersByTimeAsync(0);
  });
  return e;
};

describe('the box at the element', () => {
  it('has the focus, a name and the proof', async () => {
    const area = await open();
    expect(document.activeElement).toBe(area);
    expect(area.getAttribute('aria-label')).toBe('What should change here?');
    expect(root.querySelector('.proof')?.textContent).toBe('h1 · 1 place in the source ✓');
  });

  it('leaves Enter to an input method, and is kept by the one behind it', async () => {
    const area = await open();
    await type(area, '标题短一些');
    await press(area, 'Enter', { isComposing: true });
    expect(app.notes.box.value).not.toBeNull();
    await press(area, 'Enter');
    expect(app.notes.box.value).toBeNull();
    expect(made).toEqual(['标题短一些']);
    expect(app.notes.list.value.map((n) => n.instruction)).toEqual(['标题短一些']);
  });

  it('takes a new line with Shift, and leaves Ctrl Enter to sending', async () => {
    const area = await open();
    await type(area, 'one');
    expect((await press(area, 'Enter', { shiftKey: true })).defaultPrevented).toBe(false);
    expect((await press(area, 'Enter', { ctrlKey: true })).defaultPrevented).toBe(false);
    expect(app.notes.box.value).not.toBeNull();
  });

  it('goes by Esc, which keeps the selection, and not by one that an input method takes', async () => {
    const area = await open();
    await type(area, 'one');
    await press(area, 'Escape', { isComposing: true });
    expect(app.pick.writing.value).toBe(true);
    await press(area, 'Escape');
    expect(app.pick.writing.value).toBe(false);
    expect(app.pick.selection.value.length).toBe(1);
  });

  it('is stored while one types, without a word from the person', async () => {
    const area = await open();
    await type(area, 'make it sho');
    await act(async () => {
      await vi.advanceTimersByTimeAsync(1000);
    });
    expect(made).toEqual(['make it sho']);
    expect(root.querySelector('.saving')?.textContent).toBe('kept as a draft');
  });

  it('says that one tag makes several elements', async () => {
    app.pick.take(pick('li', { sharedBy: 3 }));
    const area = await open();
    expect(area).not.toBeNull();
    app.pick.take(pick('li', { sharedBy: 3 }));
    app.notes.begin('prv', app.pick.selection.value);
    await act(() => undefined);
    expect(root.querySelector('.proof')?.textContent).toContain('One tag in the file makes 3 elements here.');
  });

  it('shows a text of the page as text, whatever is in it', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    app.pick.take(pick('x', { refusal: { code: 'nobody_knows', message: evil }, startTag: null }));
    await act(() =>
      render(
        <AppContext.Provider value={app}>
          <Cards />
        </AppContext.Provider>,
        root,
      ),
    );
    expect(root.querySelector('img')).toBeNull();
    expect(root.querySelector('[role=alert]')?.textContent).toContain(evil);
  });
});
