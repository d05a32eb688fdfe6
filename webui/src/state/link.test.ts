import { describe, expect, it } from 'vitest';
import { Refusal } from '../api/refusal';
import type { Pick } from '../contract/types';
import { Link } from './link';
import { PickedElement } from './picked';

const version = { id: 'rev_2', generation: 2 };

function rig() {
  const element = new PickedElement();
  element.preview.value = 'prv';
  const asked: { target: string; answer: (p: Pick | Refusal) => void }[] = [];
  const lit: string[] = [];
  const link = new Link(
    {
      pick: (_, target) =>
        new Promise((resolve, reject) =>
          asked.push({ target, answer: (p) => (p instanceof Refusal ? reject(p) : resolve(p)) }),
        ),
      highlight: (_, handle) => Promise.resolve(lit.push(handle)),
    },
    element,
  );
  return { link, element, asked, lit };
}

const pick = (handle: string) => ({ handle, name: 'p' }) as Pick;

describe('the thread from source to page', () => {
  it('shows the element that holds the byte', async () => {
    const { link, element, asked, lit } = rig();
    const done = link.fromSource(42, version);
    asked[0]!.answer(pick('a'));
    await done;
    expect([asked[0]!.target, lit, element.picked.value?.generation]).toEqual(['byte:42', ['a'], 2]);
    expect(link.isFromSource(element.picked.value)).toBe(true);
  });

  it('drops an answer that comes late, and one for a page that is gone', async () => {
    const { link, element, asked, lit } = rig();
    const all = [link.fromSource(1, version), link.fromSource(2, version)];
    asked[1]!.answer(pick('b'));
    asked[0]!.answer(pick('a'));
    await Promise.all(all);
    expect([lit, element.picked.value?.pick.handle]).toEqual([['b'], 'b']);
    const late = link.fromSource(3, version);
    element.preview.value = 'other';
    asked[2]!.answer(pick('c'));
    await late;
    expect(lit).toEqual(['b']);
  });

  it('is silent where the page has no such element', async () => {
    const { link, element, asked, lit } = rig();
    const done = link.fromSource(1, version);
    asked[0]!.answer(new Refusal({ code: 'selector_no_match', message: '' }, 422));
    await done;
    expect([lit, element.picked.value]).toEqual([[], null]);
  });

  it('goes out with the source, but leaves what was picked on the page', async () => {
    const { link, element, asked, lit } = rig();
    const done = link.fromSource(1, version);
    asked[0]!.answer(pick('a'));
    await done;
    link.leave();
    expect([lit, element.picked.value]).toEqual([['a', ''], null]);
    const own = { preview: 'prv', revisionId: 'r', generation: 2, pick: pick('page') };
    element.picked.value = own;
    link.leave();
    expect([lit.length, element.picked.value]).toEqual([2, own]);
  });
});
