import type { ComponentChildren, Ref } from 'preact';
import { Icon, type IconName } from './icons';

export interface ButtonProps {
  children?: ComponentChildren;
  icon?: IconName;
  /** The name, where there is no text: it is the tooltip, too. */
  label?: string;
  /** The key that does the same, for the tooltip. */
  keyName?: string;
  kind?: 'plain' | 'primary' | 'quiet' | 'loss';
  small?: boolean;
  pressed?: boolean | undefined;
  expanded?: boolean | undefined;
  hasPopup?: 'menu' | 'dialog' | 'listbox';
  disabled?: boolean;
  /** Why it does nothing now: it stays in the focus order and says so. */
  refused?: string | undefined;
  type?: 'button' | 'submit';
  class?: string;
  onClick?: (e: MouseEvent) => void;
  buttonRef?: Ref<HTMLButtonElement>;
}

export function Button(p: ButtonProps) {
  const iconOnly = p.children === undefined;
  const title = [p.refused ?? p.label, p.keyName].filter(Boolean).join('  ');
  const classes = ['btn', p.kind ?? 'plain', iconOnly && 'icon', p.small && 'small', p.class];
  return (
    <button
      ref={p.buttonRef ?? null}
      type={p.type ?? 'button'}
      class={classes.filter(Boolean).join(' ')}
      title={title === '' ? undefined : title}
      aria-label={p.label}
      aria-pressed={p.pressed}
      aria-expanded={p.expanded}
      aria-haspopup={p.hasPopup}
      aria-disabled={p.refused === undefined ? undefined : true}
      disabled={p.disabled}
      onClick={p.refused === undefined ? p.onClick : undefined}
    >
      {p.icon !== undefined && <Icon name={p.icon} />}
      {p.children}
    </button>
  );
}
