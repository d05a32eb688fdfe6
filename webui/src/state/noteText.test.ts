import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Annotation } from '../contract/types';
import { type Keeper, NoteText, rest } from './noteText';
import { deferred, lost, note, refuse } from './testing';

/** A keeper that does as it is told, and remembers. */
function keeper(over: Partial<Keeper> = {}) {
  const calls: string[] = [];
  const k: Keeper = {
    create: (text) => {
      calls.push(`create ${text}`);
      return Promise.resolve(note('n', 1, { instruction: text }));
    },
    change: (n, text) => {
      calls.push(`change ${text} over ${n.updatedAt}`);
      return Promise.resolve({ ...n, instruction: text, updatedAt: `${n.updatedAt}+` });
    },
    ...over,
  };
  return { k, calls };
}

describe('the text of a note', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is stored when typing rests, once', async () => {
    const { k, calls } = keeper();
    const t = new NoteText(k, null);
    for (const text of ['m', 'ma', 'mak', 'make']) {
      t.type(text);
      await vi.advanceTimersByTimeAsync(rest - 1);
    }
    expect(calls).toEqual([]);
    expect(t.saving.value).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toEqual(['create make']);
    expect(t.saving.value).toBe('saved');
  });

  it('is stored one request at a time; what is typed meanwhile follows', async () => {
    const first = deferred<Annotation>();
    const { k, calls } = keeper({ create: () => first.promise });
    const t = new NoteText(k, null);
    t.type('one');
    await vi.advanceTimersByTimeAsync(rest);
    expect(t.saving.value).toBe('saving');
    t.type('one two');
    await vi.advanceTimersByTimeAsync(rest * 3);
    expect(calls).toEqual([]); // the draft is not made twice
    first.resolve(note('n', 1, { instruction: 'one' }));
    await vi.advanceTimersByTimeAsync(rest);
    expect(calls).toEqual(['change one two over 2026-01-01T00:00:01Z']);
    expect(t.text.value).toBe('one two');
    expect(t.saving.value).toBe('saved');
  });

  it('makes no draft of nothing, and keeps the last words of one that was emptied', async () => {
    const { k, calls } = keeper();
    const t = new NoteText(k, null);
    t.type('   ');
    expect(await t.flush()).toBe(true);
    t.type('words');
    expect(await t.flush()).toBe(true);
    t.type('');
    expect(await t.flush()).toBe(false);
    expect(calls).toEqual(['create words']);
  });

  it('is kept in a conflict, and a person decides: mine', async () => {
    const theirs = note('n', 1, { instruction: 'theirs', updatedAt: 'later' });
    let conflict = true;
    const { k, calls } = keeper();
    const change = k.change.bind(k);
    k.change = (n, text) => {
      if (conflict) return Promise.reject(refuse('request_conflict', 409, { now: theirs, yours: text }));
      return change(n, text);
    };
    const t = new NoteText(k, note('n', 1, { instruction: 'before' }));
    t.type('mine');
    expect(await t.flush()).toBe(false);
    expect(t.saving.value).toBe('conflict');
    expect(t.text.value).toBe('mine');
    expect(t.theirs.value).toEqual(theirs);
    t.type('mine, and more'); // typing goes on and nothing is sent
    await vi.advanceTimersByTimeAsync(rest * 4);
    expect(calls).toEqual([]);
    conflict = false;
    await t.keepMine();
    expect(calls).toEqual(['change mine, and more over later']);
    expect(t.saving.value).toBe('saved');
  });

  it('is kept in a conflict, and a person decides: theirs', async () => {
    const theirs = note('n', 1, { instruction: 'theirs', updatedAt: 'later' });
    const { k } = keeper({ change: () => Promise.reject(refuse('request_conflict', 409, { now: theirs })) });
    const t = new NoteText(k, note('n', 1));
    t.type('mine');
    await t.flush();
    t.takeTheirs();
    expect(t.text.value).toBe('theirs');
    expect(t.theirs.value).toBeNull();
    expect(t.dirty.value).toBe(false);
  });

  it('is made anew where the note was sent or discarded meanwhile', async () => {
    const gone = note('n', 1, { instruction: 'before', state: 'discarded' });
    const { k, calls } = keeper({ change: () => Promise.reject(refuse('request_conflict', 409, { now: gone })) });
    const t = new NoteText(k, note('n', 1, { instruction: 'before' }));
    t.type('still wanted');
    await t.flush();
    await t.keepMine();
    expect(calls).toEqual(['create still wanted']);
  });

  it('is tried again while the gateway is lost, and says why it is not stored', async () => {
    let answers = 0;
    const { k } = keeper({
      create: (text) => (++answers < 3 ? Promise.reject(lost()) : Promise.resolve(note('n', 1, { instruction: text }))),
    });
    const t = new NoteText(k, null);
    t.type('words');
    await vi.advanceTimersByTimeAsync(rest);
    expect(t.saving.value).toBe('failed');
    expect(t.refusal.value?.code).toBe('no_gateway');
    await vi.advanceTimersByTimeAsync(4_000);
    expect(t.saving.value).toBe('saved');
    expect(t.refusal.value).toBeNull();
  });

  it('is not tried again where it was refused for what it is', async () => {
    let answers = 0;
    const { k } = keeper({
      create: () => {
        answers++;
        return Promise.reject(refuse('instruction_too_long', 413));
      },
    });
    const t = new NoteText(k, null);
    t.type('words');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answers).toBe(1);
    expect(t.text.value).toBe('words');
  });

  it('shows what was stored elsewhere only while nothing is typed here', () => {
    const { k } = keeper();
    const t = new NoteText(k, note('n', 1, { instruction: 'a' }));
    t.adopt(note('n', 1, { instruction: 'b' }));
    expect(t.text.value).toBe('b');
    t.type('c');
    t.adopt(note('n', 1, { instruction: 'd' }));
    expect(t.text.value).toBe('c');
  });
});
