// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest';
import { chosen, type Choice, type Conflict } from '../../lib/merge3';
import { appWith, show, type Shown } from '../testing';
import { Join } from './Join';

const conflict = (base: string, theirs: string, mine: string): Conflict => ({
  base,
  theirs,
  mine,
  line: 1,
  before: '<p>',
  after: '</p>',
});
const conflicts = [conflict('one', 'eins', 'un'), conflict('', '<b>', 'x')];

let view: Shown;
afterEach(() => view.end());

async function open() {
  const done: Choice[][] = [];
  view = await show(
    appWith({}),
    <Join
      conflicts={conflicts}
      why="why"
      theirs="Version 3"
      mine="Yours"
      takeTheirs="Take version 3"
      takeMine="Take mine"
      onSave={(c) => done.push(c)}
      onLeave={() => done.push([])}
    />,
  );
  return done;
}

const click = async (place: number, name: string) => {
  const li = view.root.querySelectorAll('.join > ol > li')[place];
  [...(li?.querySelectorAll('button') ?? [])].find((b) => b.textContent === name)?.click();
  await view.settle();
};

describe('places that both changed', () => {
  it('show all three texts as text, in their line', async () => {
    await open();
    const columns = [...view.root.querySelectorAll('pre')].map((p) => p.textContent);
    expect(columns).toEqual(['<p>one</p>', '<p>eins</p>', '<p>un</p>', '<p>nothing</p>', '<p><b></p>', '<p>x</p>']);
    expect(view.root.querySelector('pre b')).toBeNull();
    expect(document.activeElement?.textContent).toBe('2 places were changed in both');
  });

  it('are saved when all are decided, and not before', async () => {
    const done = await open();
    await click(0, 'Both');
    view.named('Join and save').click();
    expect(done).toEqual([]);
    await click(1, 'Take mine');
    view.named('Join and save').click();
    expect(done).toEqual([[{ take: 'theirs+mine' }, { take: 'mine' }]]);
  });

  it('can be written anew, from what was chosen', async () => {
    const done = await open();
    await click(0, 'Take version 3');
    await click(0, 'Edit');
    const box = view.root.querySelector('textarea')!;
    expect(box.value).toBe('eins');
    box.value = 'eins, un';
    box.dispatchEvent(new Event('input', { bubbles: true }));
    await view.settle();
    await click(1, 'Both');
    view.named('Join and save').click();
    expect(done[0]?.map((c, i) => chosen(conflicts[i]!, c))).toEqual(['eins, un', '<b>x']);
  });
});
