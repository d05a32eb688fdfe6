// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { act } from 'preact/test-utils';
import { refuse, doc } from '../../state/testing';
import { appWith, show, type Shown } from '../testing';
import { Looks } from './Looks';
import { LooksDialog } from './LooksDialog';

let see: (is: boolean) => void = () => undefined;
let urls: Set<string>;
let view: Shown;

beforeEach(() => {
  urls = new Set();
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(told: (list: { isIntersecting: boolean }[]) => void) {
        see = (isIntersecting) => told([{ isIntersecting }]);
      }
      observe() {}
      disconnect() {}
    },
  );
  let n = 0;
  vi.spyOn(URL, 'createObjectURL').mockImplementation(() => {
    urls.add(`blob:${++n}`);
    return `blob:${n}`;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void urls.delete(url));
});
afterEach(() => {
  view.end();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function rig(answer: () => Promise<Blob>) {
  const asked: number[] = [];
  const app = appWith({
    versionPicture: (_: string, generation: number) => {
      asked.push(generation);
      return answer();
    },
  });
  app.documents.current.value = doc();
  const Both = () => (
    <>
      <Looks generation={3} />
      {app.looks.compared.value !== null && <LooksDialog />}
    </>
  );
  view = await show(app, <Both />);
  return { app, asked };
}

const rest = () => act(() => new Promise((resolve) => setTimeout(resolve, 200)));

describe('the page before and after a change', () => {
  it('is fetched when its card is to be seen, and not when it is scrolled past', async () => {
    const { asked } = await rig(() => Promise.resolve(new Blob()));
    await rest();
    see(true);
    see(false);
    await rest();
    expect(asked).toEqual([]);
    see(true);
    await rest();
    expect(asked).toEqual([2, 3]);
    expect([...view.root.querySelectorAll('img')].map((i) => i.alt)).toEqual([
      'The page before the change',
      'The page after the change',
    ]);
  });

  it('is compared in large, where the focus was comes back, and no address stays', async () => {
    await rig(() => Promise.resolve(new Blob()));
    see(true);
    await rest();
    const button = view.root.querySelector<HTMLElement>('.looks button');
    button?.focus();
    button?.click();
    await view.settle();
    const dialog = view.root.querySelector<HTMLElement>('[role=dialog]');
    expect(dialog?.querySelector('input[type=range]')).not.toBeNull();
    expect(urls.size).toBe(4);
    dialog?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    await view.settle();
    expect(view.root.querySelector('[role=dialog]')).toBeNull();
    expect(document.activeElement).toBe(button);
    expect(urls.size).toBe(2);
    view.end();
    expect(urls.size).toBe(0);
  });

  it('leaves its place empty where there is no browser, and takes none the next time', async () => {
    await rig(() => Promise.reject(refuse('no_browser')));
    see(true);
    await rest();
    expect(view.root.querySelectorAll('.looks')).toHaveLength(1);
    expect(view.root.querySelector('.looks')?.childElementCount).toBe(0);
    view.end();
    const { app } = await rig(() => Promise.resolve(new Blob()));
    view.end();
    app.looks.none.value = true;
    view = await show(app, <Looks generation={3} />);
    expect(view.root.querySelector('.looks')).toBeNull();
  });
});
