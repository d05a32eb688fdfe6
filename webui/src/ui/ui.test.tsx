// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Button } from './button';
import { Dialog } from './dialog';
import { Menu, type MenuItem } from './menu';
import { Splitter } from './splitter';
import { Tabs } from './tabs';

let root: HTMLDivElement;
beforeEach(() => {
  root = document.createElement('div');
  document.body.append(root);
});
afterEach(() => {
  render(null, root);
  root.remove();
});

const show = (vnode: Parameters<typeof render>[0]) => act(() => render(vnode, root));
const press = (el: Element | null, key: string, more: KeyboardEventInit = {}) => {
  const e = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
  void act(() => void el?.dispatchEvent(e));
  return e;
};
const button = (name: string) =>
  [...root.querySelectorAll('button')].find((b) => (b.ariaLabel ?? b.textContent).trim() === name) ?? null;

describe('a dialog', () => {
  const dialog = (onClose: () => void) => (
    <Dialog title="Open" closeLabel="Close" onClose={onClose}>
      <input aria-label="first" />
      <button type="button">last</button>
    </Dialog>
  );

  it('takes the focus, keeps it, and gives it back', async () => {
    await show(<button type="button">before</button>);
    button('before')?.focus();
    const opener = document.activeElement;
    const host = document.createElement('div');
    document.body.append(host);
    await act(() =>
      render(
        dialog(() => undefined),
        host,
      ),
    );
    const input = host.querySelector('input');
    expect(document.activeElement).toBe(input);
    const last = [...host.querySelectorAll('button')].at(-1);
    last?.focus();
    press(last ?? null, 'Tab');
    expect(document.activeElement).toBe(host.querySelector('button')); // the cross, which is first
    press(document.activeElement, 'Tab', { shiftKey: true });
    expect(document.activeElement).toBe(last);
    await act(() => render(null, host));
    expect(document.activeElement).toBe(opener);
    host.remove();
  });

  it('closes by Esc, but not by one that an input method takes', async () => {
    const closed = vi.fn();
    await show(dialog(closed));
    press(root.querySelector('input'), 'Escape', { isComposing: true });
    expect(closed).not.toHaveBeenCalled();
    press(root.querySelector('input'), 'Escape');
    expect(closed).toHaveBeenCalledOnce();
  });
});

describe('a menu', () => {
  const items = (ran: string[]): MenuItem[] => [
    { id: 'a', label: 'Alpha', run: () => void ran.push('a') },
    { id: 'b', label: 'Beta', checked: true, run: () => void ran.push('b') },
    { id: 'c', label: 'Gamma', disabled: true, run: () => void ran.push('c') },
  ];

  it('is gone through by keys, begins at what is chosen, and gives the focus back', async () => {
    const ran: string[] = [];
    await show(<Menu label="Things" button={{ children: 'Things' }} items={items(ran)} />);
    await act(() => button('Things')?.click());
    const menu = root.querySelector('[role=menu]');
    expect(document.activeElement?.textContent).toBe('Beta');
    press(menu, 'ArrowDown');
    expect(document.activeElement?.textContent).toBe('Gamma');
    press(menu, 'ArrowDown');
    expect(document.activeElement?.textContent).toBe('Alpha');
    press(menu, 'ArrowUp');
    expect(document.activeElement?.textContent).toBe('Gamma');
    press(menu, 'b');
    expect(document.activeElement?.textContent).toBe('Beta');
    await act(() => {
      (document.activeElement as HTMLElement).click();
    });
    expect(ran).toEqual(['b']);
    expect(root.querySelector('[role=menu]')).toBeNull();
    expect(document.activeElement).toBe(button('Things'));
  });

  it('closes by Esc, and runs nothing that is disabled', async () => {
    const ran: string[] = [];
    await show(<Menu label="Things" button={{ children: 'Things' }} items={items(ran)} />);
    await act(() => button('Things')?.click());
    await act(() => {
      [...root.querySelectorAll<HTMLElement>('[role^=menuitem]')].at(-1)?.click();
    });
    expect(ran).toEqual([]);
    press(root.querySelector('[role=menu]'), 'Escape');
    await act(() => undefined);
    expect(root.querySelector('[role=menu]')).toBeNull();
  });
});

describe('controls', () => {
  it('that are refused stay in the focus order, say why, and do nothing', async () => {
    const clicked = vi.fn();
    await show(
      <Button refused="Desktop required" onClick={clicked}>
        Point
      </Button>,
    );
    const b = button('Point');
    await act(() => b?.click());
    expect(clicked).not.toHaveBeenCalled();
    expect(b?.disabled).toBe(false);
    expect(b?.getAttribute('aria-disabled')).toBe('true');
    expect(b?.title).toBe('Desktop required');
  });

  it('tabs have one stop, and arrows go around', async () => {
    const went: string[] = [];
    const tabs = [
      { id: 'a', label: 'A' },
      { id: 'b', label: 'B' },
    ];
    await show(<Tabs label="Places" controls="x" tabs={tabs} value="a" onChange={(v) => went.push(v)} />);
    const all = [...root.querySelectorAll('[role=tab]')];
    expect(all.map((t) => t.getAttribute('tabindex'))).toEqual(['0', '-1']);
    press(all[0] ?? null, 'ArrowLeft');
    press(all[0] ?? null, 'ArrowRight');
    expect(went).toEqual(['b', 'b']);
  });

  it('a splitter is moved by keys, and not beyond its bounds', async () => {
    const widths: number[] = [];
    await show(<Splitter label="Width" value={300} min={280} max={310} onChange={(v) => widths.push(v)} />);
    const s = root.querySelector('[role=separator]');
    press(s, 'ArrowLeft');
    press(s, 'ArrowRight');
    press(s, 'Home');
    press(s, 'End');
    expect(widths).toEqual([310, 284, 310, 280]);
  });
});
