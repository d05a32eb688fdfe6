import { signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** What floats over the workbench now. Where the app shows the page itself, it has to make room for it. */
export const covers = signal<ReadonlySet<HTMLElement>>(new Set());

/** useCover is called by all that floats: it tells of its element for as long as it is there. */
export function useCover(ref: RefObject<HTMLElement | null>, on = true): void {
  useLayoutEffect(() => {
    const el = ref.current;
    if (!on || el === null) return;
    covers.value = new Set([...covers.peek(), el]);
    return () => {
      covers.value = new Set([...covers.peek()].filter((other) => other !== el));
    };
  }, [on]);
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** isCovered tells whether something that floats lies over a rectangle of the window. */
export function isCovered(room: Box): boolean {
  return [...covers.value].some((el) => {
    const at = el.getBoundingClientRect();
    return at.left < room.right && at.right > room.left && at.top < room.bottom && at.bottom > room.top;
  });
}
