const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex]:not([tabindex="-1"])';

/** focusables gives what the tab key reaches inside an element, in order. */
export function focusables(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(focusable)].filter((el) => el.closest('[hidden], [inert]') === null);
}

/** trapTab keeps the tab key inside an element. */
export function trapTab(root: HTMLElement, e: KeyboardEvent): void {
  if (e.key !== 'Tab') return;
  const list = focusables(root);
  const first = list[0];
  const last = list.at(-1);
  if (first === undefined || last === undefined) {
    e.preventDefault();
    return;
  }
  const at = document.activeElement;
  if (e.shiftKey && (at === first || !root.contains(at))) {
    e.preventDefault();
    last.focus();
  } else if (!e.shiftKey && (at === last || !root.contains(at))) {
    e.preventDefault();
    first.focus();
  }
}

/** Where focus goes when what had it is gone, so that it never falls to the body. */
let home: HTMLElement | null = null;

export function setFocusHome(el: HTMLElement | null): void {
  home = el;
}

/** focusOr focuses an element, or what is nearest to it in meaning when it is gone. */
export function focusOr(el: Element | null): void {
  if (el instanceof HTMLElement && el.isConnected && el !== document.body) el.focus();
  if (document.activeElement === null || document.activeElement === document.body) home?.focus();
}

/** keepFocus watches for focus that fell to the body, and brings it home. */
export function keepFocus(): () => void {
  const look = (e: FocusEvent) => {
    if (e.relatedTarget !== null) return;
    // What took focus away may be about to give it to something else.
    setTimeout(() => {
      if (document.hasFocus() && document.activeElement === document.body) home?.focus({ preventScroll: true });
    });
  };
  document.addEventListener('focusout', look);
  return () => document.removeEventListener('focusout', look);
}

/**
 * guardFocus keeps a page in a frame from taking the keyboard while one types in
 * the workbench: a frame has the focus only when the pointer is over it, where a
 * person may have pressed. What was typed in gets it back. `onTaken` is told when
 * the page has the keyboard, for then no key of the workbench works.
 */
export function guardFocus(isKept: () => boolean, onTaken: () => void = () => undefined): () => void {
  let last: HTMLElement | null = null;
  let over = false;
  const inFrame = (e: Event) => e.target instanceof HTMLIFrameElement;
  const focused = (e: FocusEvent) => {
    if (e.target instanceof HTMLElement && !inFrame(e)) last = e.target;
  };
  const enter = (e: Event) => {
    over = inFrame(e);
  };
  const left = () => {
    // Only now does the frame stand as what has the focus.
    setTimeout(() => {
      if (!(document.activeElement instanceof HTMLIFrameElement)) return;
      const typing = last?.isConnected === true && last.matches('textarea, input, select, [contenteditable]');
      if (last?.isConnected === true && ((typing && !over) || isKept())) last.focus({ preventScroll: true });
      else onTaken();
    });
  };
  document.addEventListener('focusin', focused);
  document.addEventListener('mouseover', enter);
  window.addEventListener('blur', left);
  return () => {
    document.removeEventListener('focusin', focused);
    document.removeEventListener('mouseover', enter);
    window.removeEventListener('blur', left);
  };
}
