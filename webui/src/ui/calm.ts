import { useEffect, useState } from 'preact/hooks';

/** How long what came up by itself is shown, with no key or press between, before it can be answered, in ms. */
export const moment = 600;

/**
 * useCalm tells whether what came up by itself, or has changed, was there for a
 * moment. A key or a press that was on its way then was meant for what stood there
 * before: for the page, which may choose that very time, or for a text. Who goes on
 * typing goes on answering nothing. `what` names what is shown; null is nothing.
 */
export function useCalm(what: string | null): boolean {
  const [seen, setSeen] = useState<string | null>(null);
  const calm = what !== null && seen === what;
  useEffect(() => {
    if (what === null) setSeen(null);
    if (what === null || calm) return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setSeen(what), moment);
    };
    wait();
    window.addEventListener('keydown', wait, true);
    window.addEventListener('pointerdown', wait, true);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('keydown', wait, true);
      window.removeEventListener('pointerdown', wait, true);
    };
  }, [what, calm]);
  return calm;
}
