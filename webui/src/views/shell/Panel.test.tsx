// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Api } from '../../api/api';
import { Host } from '../../api/host';
import { type App, createApp } from '../../state/app';
import { AppContext } from '../context';
import { Panel } from './Panel';

let root: HTMLDivElement;
let app: App;

beforeEach(async () => {
  const api = new Proxy({}, { get: () => () => new Promise(() => undefined) });
  app = createApp(api as unknown as Api, new Host(() => Promise.reject(new Error('no'))), false, null);
  root = document.createElement('div');
  document.body.append(root);
  await act(() =>
    render(
      <AppContext.Provider value={app}>
        <main>the page</main>
        <Panel />
      </AppContext.Provider>,
      root,
    ),
  );
});

afterEach(() => {
  render(null, root);
  root.remove();
});

it('as a drawer goes with a press beside it, not with one in it', async () => {
  await act(() => void (app.places.drawer.value = true));
  const press = (where: string) =>
    act(() => void root.querySelector(where)?.dispatchEvent(new Event('pointerdown', { bubbles: true })));
  await press('.panel');
  expect(app.places.drawer.value).toBe(true);
  await press('main');
  expect(app.places.drawer.value).toBe(false);
});
