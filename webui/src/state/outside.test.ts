import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../api/refusal';
import type { Doc, EditSession, Made, MergeConflict, Synced } from '../contract/types';
import { Outside, type OutsideApi } from './outside';

const head = '<p>größer</p>\n<p>zwei</p>\n';
const conflict: MergeConflict = { base: [0, 0], head: [19, 23], baseText: 'two', headText: 'zwei', mineText: 'deux' };

async function rig(conflicts: MergeConflict[]) {
  const calls: unknown[][] = [];
  const doc = (generation: number) => ({ id: 'd', generation }) as Doc;
  let noOp = false;
  const api: OutsideApi = {
    source: () => Promise.resolve(new TextEncoder().encode(head).buffer),
    sync: (_, choice) => {
      calls.push(['sync', choice]);
      return Promise.resolve({ state: 'took_theirs', document: doc(4) } as Synced);
    },
    beginEdit: (_, version) => Promise.resolve({ id: 'eds', updatedAt: `at ${version}` } as EditSession),
    saveEdit: (_, id, text, seen) => {
      calls.push(['save', text, seen]);
      return Promise.resolve({ id } as EditSession);
    },
    commitEdit: () =>
      noOp
        ? Promise.reject(new Refusal({ code: 'no_op', message: '' }, 422))
        : Promise.resolve({ merged: false, made: { document: doc(5) } as Made }),
    endEdit: () => Promise.resolve(calls.push(['end'])),
  };
  const state = signal<Synced | null>({
    state: 'conflict',
    document: doc(3),
    base: 2,
    sha256File: '',
    merge: { edits: [], conflicts },
  });
  const documents = {
    conflict: state,
    sync: (choice?: string) => Promise.resolve(void calls.push(['documents.sync', choice])),
    made: (m: Made) => void calls.push(['made', m.document.generation]),
    take: () => undefined,
  };
  const outside = new Outside(api, documents, { say: () => undefined });
  await new Promise((resolve) => setTimeout(resolve));
  return { outside, calls, state, refuse: () => (noOp = true) };
}

describe('a file that another program changed', () => {
  it('is compared with the newest version, place by place', async () => {
    const { outside } = await rig([conflict]);
    expect(outside.comparison.value).toMatchObject({
      generation: 3,
      base: 2,
      merge: { conflicts: [{ base: 'two', theirs: 'deux', mine: 'zwei', line: 2 }] },
    });
  });

  it('is joined as it was decided, with both sides in the history', async () => {
    const { outside, calls, state } = await rig([conflict]);
    await outside.join([{ take: 'mine+theirs' }]);
    expect(calls).toEqual([
      ['sync', 'theirs'],
      ['save', '<p>größer</p>\n<p>zweideux</p>\n', 'at 4'],
      ['made', 5],
    ]);
    expect([state.value, outside.comparison.value]).toEqual([null, null]);
  });

  it('is left to the gateway where nothing is to be decided', async () => {
    const { outside, calls } = await rig([]);
    await outside.join([]);
    expect(calls).toEqual([['documents.sync', 'merge']]);
  });

  it('makes no version of its own where all of it was taken', async () => {
    const { outside, calls, state, refuse } = await rig([conflict]);
    refuse();
    await outside.join([{ take: 'theirs' }]);
    expect([calls.at(-1), state.value]).toEqual([['end'], null]);
  });

  it('can be compared later', async () => {
    const { outside } = await rig([conflict]);
    const before = outside.comparison.value;
    outside.comparison.value = null;
    outside.show();
    await new Promise((resolve) => setTimeout(resolve));
    expect(outside.comparison.value).toEqual(before);
  });

  it('waits for every place to be decided', async () => {
    const { outside, calls } = await rig([conflict]);
    await outside.join([undefined]);
    expect(calls).toEqual([]);
  });
});
