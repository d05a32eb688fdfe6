import { render, type ComponentChildren } from 'preact';
import { act } from 'preact/test-utils';
import type { Api } from '../api/api';
import { Host } from '../api/host';
import { type App, createApp } from '../state/app';
import { AppContext } from './context';

/** An app whose API answers what a test says; all else is never answered. */
export function appWith(answers: Record<string, (...args: never[]) => unknown>): App {
  const api = new Proxy(answers, {
    get: (own, name: string) => own[name] ?? (() => new Promise(() => undefined)),
  });
  return createApp(api as unknown as Api, new Host(() => Promise.reject(new Error('no'))), false, null);
}

export interface Shown {
  root: HTMLElement;
  end: () => void;
  /** Lets what was promised happen, and shows what came of it. */
  settle: () => Promise<void>;
  named: (name: string, role?: string) => HTMLElement;
  press: (key: string, more?: KeyboardEventInit) => Promise<void>;
}

/** Shows a view in a document, as the window does: with its one listener for keys. */
export async function show(app: App, view: ComponentChildren): Promise<Shown> {
  const root = document.createElement('div');
  document.body.append(root);
  const onKey = (e: KeyboardEvent) => {
    app.actions.handleKey(e);
  };
  window.addEventListener('keydown', onKey);
  await act(() => render(<AppContext.Provider value={app}>{view}</AppContext.Provider>, root));
  const settle = async () => {
    for (let i = 0; i < 5; i++) await act(() => new Promise((resolve) => setTimeout(resolve)));
  };
  await settle();
  return {
    root,
    settle,
    end: () => {
      window.removeEventListener('keydown', onKey);
      render(null, root);
      root.remove();
    },
    named: (name, role = 'button, input, textarea, [role]') => {
      const found = [...root.querySelectorAll<HTMLElement>(role)].find((el) =>
        (el.getAttribute('aria-label') ?? el.textContent).trim().startsWith(name),
      );
      if (found === undefined) throw new Error(`nothing is called ${name}: ${root.textContent}`);
      return found;
    },
    press: async (key, more = {}) => {
      const target = document.activeElement ?? document.body;
      await act(() => {
        target.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, composed: true, ...more }),
        );
      });
      await settle();
    },
  };
}
