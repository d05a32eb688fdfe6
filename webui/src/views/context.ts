import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { App } from '../state/app';

export const AppContext = createContext<App | null>(null);

/** useApp gives the stores. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error('a view stands outside the workbench');
  return app;
}
