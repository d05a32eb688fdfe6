import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, type ButtonProps } from './button';
import { useCover } from './cover';
import { focusOr } from './focus';
import { Icon } from './icons';

export interface MenuItem {
  id: string;
  label: string;
  /** Shown at the end of the line: a key, a number. */
  note?: string;
  /** A choice: checked or not. Left out: a command. */
  checked?: boolean;
  /** Set on the first item of a group. */
  group?: string;
  rule?: boolean;
  disabled?: boolean;
  run: () => void;
}

export interface MenuProps {
  button: ButtonProps;
  items: MenuItem[];
  label: string;
  align?: 'start' | 'end';
  onOpen?: () => void;
}

/** A button with a menu: arrows, Home, End, first letters, Esc; focus comes back. */
export function Menu({ button, items, label, align = 'start', onOpen }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  useCover(sheet, open);

  useEffect(() => {
    if (!open) return;
    const list = entries(root.current);
    (list.find((el) => el.getAttribute('aria-checked') === 'true') ?? list[0])?.focus();
    const away = (e: Event) => {
      if (!root.current?.contains(e.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', away, true);
    window.addEventListener('blur', away);
    return () => {
      document.removeEventListener('pointerdown', away, true);
      window.removeEventListener('blur', away);
    };
  }, [open]);

  // Items that come later: the first of them gets the focus that its placeholder had.
  useEffect(() => {
    if (open && root.current?.contains(document.activeElement) !== true) entries(root.current)[0]?.focus();
  }, [open, items.length]);

  const close = () => {
    setOpen(false);
    focusOr(trigger.current);
  };

  const onKey = (e: KeyboardEvent) => {
    const list = entries(root.current);
    const at = list.indexOf(document.activeElement as HTMLElement);
    const go = (i: number) => list.at(i % Math.max(list.length, 1))?.focus();
    if (e.key === 'Escape' || e.key === 'Tab') {
      if (e.key === 'Escape') e.preventDefault();
      close();
    } else if (e.key === 'ArrowDown') go(at + 1);
    else if (e.key === 'ArrowUp') go(at <= 0 ? -1 : at - 1);
    else if (e.key === 'Home') go(0);
    else if (e.key === 'End') go(-1);
    else if (e.key.length === 1 && e.key !== ' ' && !e.ctrlKey && !e.metaKey) {
      const letter = e.key.toLowerCase();
      const rest = [...list.slice(at + 1), ...list.slice(0, at + 1)];
      rest.find((el) => el.textContent.trim().toLowerCase().startsWith(letter))?.focus();
    } else return;
    e.stopPropagation();
    if (e.key.startsWith('Arrow') || e.key === 'Home' || e.key === 'End') e.preventDefault();
  };

  return (
    <div class="menu-root" ref={root}>
      <Button
        {...button}
        buttonRef={trigger}
        hasPopup="menu"
        expanded={open}
        onClick={() => {
          if (!open) onOpen?.();
          setOpen(!open);
        }}
      />
      {open && (
        <div ref={sheet} class={`menu ${align}`} role="menu" aria-label={label} onKeyDown={onKey}>
          {items.map((item) => (
            <Fragment key={item.id}>
              {item.rule === true && <div role="separator" />}
              {item.group !== undefined && (
                <div class="group" role="presentation">
                  {item.group}
                </div>
              )}
              <button
                type="button"
                tabIndex={-1}
                role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
                aria-checked={item.checked}
                aria-disabled={item.disabled === true ? true : undefined}
                onClick={() => {
                  if (item.disabled === true) return;
                  close();
                  item.run();
                }}
              >
                {item.checked !== undefined && <span class="check">{item.checked && <Icon name="check" />}</span>}
                <span class="grow">{item.label}</span>
                {item.note !== undefined && <span class="hintkey">{item.note}</span>}
              </button>
            </Fragment>
          ))}
        </div>
      )}
    </div>
  );
}

function entries(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
}
