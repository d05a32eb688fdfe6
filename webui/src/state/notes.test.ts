import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Annotation } from '../contract/types';
import { Notes, type NotesApi, regret } from './notes';
import { deferred, note, pick, refuse, said } from './testing';

/** A gateway's drafts in an array. */
function gateway(list: Annotation[]) {
  const calls: string[] = [];
  let n = list.length;
  const api: NotesApi = {
    annotations: () => Promise.resolve([...list]),
    addNote: (_, q) => {
      calls.push(`add ${q.picks.join(' ')}: ${q.instruction}`);
      const made = note(`new${++n}`, n, { instruction: q.instruction });
      list.push(made);
      return Promise.resolve(made);
    },
    changeNote: (_, id, q) => {
      calls.push(`change ${id}: ${q.instruction}`);
      const at = list.findIndex((x) => x.id === id);
      const now = { ...list[at]!, instruction: q.instruction };
      list[at] = now;
      return Promise.resolve(now);
    },
    placeNote: (_, id, q) => {
      calls.push(`place ${id} ${q.place}`);
      return Promise.resolve(undefined);
    },
    discardNote: (_, id, q) => {
      calls.push(`discard ${id} seen ${q.seen}`);
      list.splice(
        list.findIndex((x) => x.id === id),
        1,
      );
      return Promise.resolve(undefined);
    },
  };
  return { api, calls, list };
}

async function open(list: Annotation[]) {
  const g = gateway(list);
  const status = said();
  const notes = new Notes(g.api, 's', status);
  await notes.open('doc_a');
  return { ...g, notes, status };
}

const ids = (notes: Notes) => notes.list.value.map((n) => n.id);

describe('the notes of a document', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('stand in their order, whatever order they come in, and are numbered by it', async () => {
    const { notes } = await open([note('b', 2), note('a', 1), note('c', 5)]);
    expect(ids(notes)).toEqual(['a', 'b', 'c']);
    expect(notes.numbers.value.get('c')).toBe(3);
  });

  it('are moved at once, and told to the gateway in order', async () => {
    const { notes, calls } = await open([note('a', 1), note('b', 2), note('c', 3)]);
    void notes.move('c', 1);
    void notes.move('a', 3);
    expect(ids(notes)).toEqual(['c', 'b', 'a']);
    await vi.runAllTimersAsync();
    expect(calls).toEqual(['place c 1', 'place a 3']);
    await notes.move('c', 0); // it is the first already
    expect(calls.length).toBe(2);
  });

  it('go back to where they are when a move is refused', async () => {
    const { notes, api, status } = await open([note('a', 1), note('b', 2)]);
    api.placeNote = () => Promise.reject(refuse('request_conflict'));
    await notes.move('b', 1);
    expect(ids(notes)).toEqual(['a', 'b']);
    expect(status.lines.length).toBe(1);
  });

  it('are discarded only after a moment, in which one can have them back', async () => {
    const { notes, calls } = await open([note('a', 1), note('b', 2)]);
    notes.discard('a');
    expect(ids(notes)).toEqual(['b']);
    expect(notes.going.value.map((n) => n.id)).toEqual(['a']);
    notes.restore('a');
    await vi.advanceTimersByTimeAsync(regret * 2);
    expect(ids(notes)).toEqual(['a', 'b']);
    expect(calls).toEqual([]);
    notes.discard('a');
    await vi.advanceTimersByTimeAsync(regret);
    expect(calls).toEqual(['discard a seen 2026-01-01T00:00:01Z']);
    expect(ids(notes)).toEqual(['b']);
    expect(notes.going.value).toEqual([]);
  });

  it('come back, with the reason, when they cannot be discarded', async () => {
    const { notes, api, status } = await open([note('a', 1)]);
    api.discardNote = () => Promise.reject(refuse('request_conflict'));
    notes.discard('a');
    await vi.advanceTimersByTimeAsync(regret);
    expect(ids(notes)).toEqual(['a']);
    expect(status.lines[0]?.tone).toBe('bad');
  });

  it('are settled before they are sent: typed ones stored, discarded ones gone', async () => {
    const { notes, calls } = await open([note('a', 1)]);
    notes.discard('a');
    notes.begin('prv', [pick('h1')]).text.type('shorter');
    expect(await notes.settle()).toBe(true);
    expect(calls).toEqual(['add pick_h1: shorter', 'discard a seen 2026-01-01T00:00:01Z']);
    expect(notes.list.value.map((n) => n.instruction)).toEqual(['shorter']);
    expect(notes.box.value).toBeNull();
  });

  it('are not settled while one cannot be stored: its box stays, with its text', async () => {
    const { notes, api } = await open([]);
    api.addNote = () => Promise.reject(refuse('stale_epoch'));
    const box = notes.begin('prv', [pick('h1')]);
    box.text.type('shorter');
    expect(await notes.settle()).toBe(false);
    expect(notes.box.value).toBe(box);
    expect(box.text.text.value).toBe('shorter');
    expect(box.text.refusal.value?.code).toBe('stale_epoch');
  });

  it('take other targets with their words, and in their place', async () => {
    const { notes, calls, list } = await open([note('z', 1)]);
    const first = notes.begin('prv', [pick('a')]);
    first.text.type('bold');
    await first.text.flush();
    await notes.move('new2', 1);
    const second = notes.begin('prv', [pick('a'), pick('b')]);
    expect(second.text.text.value).toBe('bold'); // at once: nothing flickers
    await vi.runAllTimersAsync();
    expect(list.length).toBe(2);
    expect(calls).toContain('add pick_a pick_b: bold');
    expect(calls).toContain('discard new2 seen 2026-01-01T00:00:02Z');
    expect(ids(notes)[0]).toBe(second.text.note.value?.id);
    expect(ids(notes).length).toBe(2);
  });

  it('open the same box for the same targets', async () => {
    const { notes } = await open([]);
    const box = notes.begin('prv', [pick('a')]);
    expect(notes.begin('prv', [pick('a')])).toBe(box);
    expect(notes.begin('prv', [pick('b')])).not.toBe(box);
  });

  it('go when their words were taken away, and can be had back', async () => {
    const { notes } = await open([]);
    const box = notes.begin('prv', [pick('a')]);
    box.text.type('x');
    await box.text.flush();
    box.text.type('');
    await notes.end();
    expect(notes.list.value).toEqual([]);
    expect(notes.going.value.length).toBe(1);
  });

  it('drop a late answer for a document that is no longer open', async () => {
    const { notes, api } = await open([note('a', 1)]);
    const late = deferred<Annotation[]>();
    api.annotations = (id) => (id === 'doc_b' ? late.promise : Promise.resolve([note('c', 1)]));
    const b = notes.open('doc_b');
    await vi.advanceTimersByTimeAsync(0);
    await notes.open('doc_c');
    late.resolve([note('b', 1)]);
    await b;
    expect(ids(notes)).toEqual(['c']);
  });

  it('are edited in the list, and the editing ends stored', async () => {
    const { notes, calls } = await open([note('a', 1), note('b', 2)]);
    notes.edit(notes.list.value[0]!).type('new words');
    expect(await notes.endEdit()).toBe(true);
    expect(calls).toEqual(['change a: new words']);
    expect(notes.list.value[0]?.instruction).toBe('new words');
    expect(notes.editing.value).toBeNull();
  });
});
