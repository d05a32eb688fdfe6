import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button';
import { useCover } from './cover';
import { focusables, focusOr, trapTab } from './focus';
import { composing } from '../lib/ime';

export interface DialogProps {
  title: string;
  closeLabel: string;
  wide?: boolean;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog: focus goes in, stays in, and comes back to where it was. Esc closes. */
export function Dialog(p: DialogProps) {
  const box = useRef<HTMLDivElement>(null);
  const back = useRef<HTMLDivElement>(null);
  useCover(back);
  const title = useId();
  useEffect(() => {
    const before = document.activeElement;
    const root = box.current;
    if (root !== null && !root.contains(document.activeElement)) {
      const wanted = root.querySelector<HTMLElement>('[data-autofocus]') ?? focusables(root).at(1) ?? root;
      wanted.focus();
    }
    return () => focusOr(before);
  }, []);
  return (
    <div ref={back} class="dialog-back" onMouseDown={(e) => e.target === e.currentTarget && p.onClose()}>
      <div
        ref={box}
        class={['dialog', p.wide && 'wide', p.class].filter(Boolean).join(' ')}
        role="dialog"
        aria-modal="true"
        aria-labelledby={title}
        tabIndex={-1}
        onKeyDown={(e) => {
          if (e.key === 'Escape' && !composing(e)) {
            e.stopPropagation();
            p.onClose();
          } else trapTab(e.currentTarget, e);
        }}
      >
        <div class="head">
          <h2 id={title}>{p.title}</h2>
          <Button icon="close" label={p.closeLabel} kind="quiet" onClick={p.onClose} />
        </div>
        {p.children}
      </div>
    </div>
  );
}
