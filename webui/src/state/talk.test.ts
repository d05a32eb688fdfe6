import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SendTurn } from '../api/api';
import type { Follow } from '../api/sse';
import type { Count, Turn, TurnEvent, TurnResult } from '../contract/types';
import { Notes } from './notes';
import { noProgress, reduce } from './steps';
import { Talk, type TalkApi } from './talk';
import { deferred, lost, note, pick, refuse, said } from './testing';

const turn = (id: string, over: Partial<Turn> = {}): Turn => ({
  id,
  sessionId: 's',
  requestId: 'r',
  fingerprint: 'f',
  documentId: 'doc_a',
  revisionId: 'rev_1',
  message: '',
  notes: [],
  state: 'running',
  model: '',
  at: '2026-01-01T00:00:00Z',
  running: true,
  waits: false,
  ...over,
});

const result = (status: TurnResult['status']): TurnResult => ({
  status,
  text: '',
  notes: [],
  edits: [],
  verification: null,
  usage: { calls: 1, promptTokens: 1, completionTokens: 1, largestPrompt: 1, estimated: false },
  written: true,
});

async function rig(drafts = [note('a', 1), note('b', 2)]) {
  const sent: SendTurn[] = [];
  let send: Follow['onEvent'] = () => undefined;
  const turns = new Map<string, Turn>();
  const list = [...drafts];
  const api: TalkApi = {
    send: (_, q) => {
      sent.push(q);
      list.length = 0;
      const made = turn(`trn_${sent.length}`, { message: q.message });
      turns.set(made.id, made);
      return Promise.resolve(made);
    },
    again: () => Promise.resolve({ turn: 't', ended: true, annotations: [] }),
    turn: (id) => Promise.resolve(turns.get(id) ?? turn(id)),
    cancel: () => Promise.resolve(undefined),
    count: () => Promise.resolve({ contextBytes: 10, maxContextBytes: 100 } as Count),
    documentEvents: (_, f) => {
      send = f.onEvent;
      return new Promise(() => undefined);
    },
    models: () => Promise.resolve([]),
  };
  const status = said();
  const notes = new Notes(
    {
      annotations: () => Promise.resolve([...list]),
      addNote: (_, q) => {
        const made = note(`new${list.length}`, list.length + 1, { instruction: q.instruction });
        list.push(made);
        return Promise.resolve(made);
      },
      changeNote: () => Promise.reject(refuse('x')),
      placeNote: () => Promise.resolve(undefined),
      discardNote: () => Promise.resolve(undefined),
    },
    's',
    status,
  );
  await notes.open('doc_a');
  const preferences = { review: signal(false), model: signal(''), write: signal(true) };
  let n = 0;
  const talk = new Talk(
    api,
    's',
    notes,
    preferences,
    {
      scene: () => ({ view: 'Preview', preview: 'prv', editor: null }),
      size: () => ({ width: 800, height: 600 }),
      allowed: () => [],
    },
    status,
    () => `req${++n}`,
  );
  talk.open('doc_a');
  const tell = (e: Partial<TurnEvent>) => send({ id: '1', event: e.kind ?? '', data: JSON.stringify(e) });
  return { api, sent, turns, notes, talk, status, preferences, tell };
}

describe('sending', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('takes the drafts in order, as they were seen, and clears what went out', async () => {
    const r = await rig();
    r.talk.type('  make it so ');
    expect(await r.talk.send()).toBe(true);
    expect(r.sent[0]).toMatchObject({
      message: 'make it so',
      annotations: ['a', 'b'],
      seen: ['2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z'],
      width: 800,
      scene: { view: 'Preview', leaveOut: [] },
    });
    expect(r.talk.message.value).toBe('');
    expect(r.notes.list.value).toEqual([]);
    expect(r.talk.turns.value.map((v) => v.id)).toEqual(['trn_1']);
  });

  it('stores first what is still being typed', async () => {
    const r = await rig([]);
    r.notes.begin('prv', [pick('h1')]).text.type('shorter');
    expect(r.talk.canSend.value).toBe(true);
    expect(await r.talk.send()).toBe(true);
    expect(r.sent[0]?.annotations).toEqual(['new0']);
  });

  it('does nothing with nothing', async () => {
    const r = await rig([]);
    expect(r.talk.canSend.value).toBe(false);
    expect(await r.talk.send()).toBe(false);
    expect(r.sent).toEqual([]);
  });

  it('keeps the words when it is refused', async () => {
    const r = await rig();
    r.api.send = () => Promise.reject(refuse('head_moved'));
    r.talk.type('words');
    expect(await r.talk.send()).toBe(false);
    expect(r.talk.message.value).toBe('words');
    expect(r.talk.refusal.value?.code).toBe('head_moved');
    expect(r.talk.sending.value).toBe(false);
  });

  it('goes out under the same name when nobody knows whether it arrived', async () => {
    const r = await rig();
    const names: string[] = [];
    const send = r.api.send;
    r.api.send = (id, q) => {
      names.push(q.requestId);
      return names.length === 1 ? Promise.reject(lost()) : send(id, q);
    };
    r.talk.type('words');
    await r.talk.send();
    await r.talk.send();
    expect(names).toEqual(['req1', 'req1']);
    r.talk.type('other words');
    await r.talk.send();
    expect(names[2]).toBe('req2');
  });

  it('goes out under another name when the words are others', async () => {
    const r = await rig();
    const names: string[] = [];
    r.api.send = (_, q) => {
      names.push(q.requestId);
      return Promise.reject(lost());
    };
    r.talk.type('one');
    await r.talk.send();
    r.talk.type('two');
    await r.talk.send();
    expect(new Set(names).size).toBe(2);
  });

  it('is not done twice at once', async () => {
    const r = await rig();
    const slow = deferred<Turn>();
    r.api.send = () => slow.promise;
    r.talk.type('x');
    const first = r.talk.send();
    expect(await r.talk.send()).toBe(false);
    slow.resolve(turn('trn_x'));
    expect(await first).toBe(true);
  });

  it('reviews the first change of a session, and then as the setting says', async () => {
    const r = await rig();
    r.talk.type('x');
    await r.talk.send();
    expect(r.sent[0]?.review).toBe(true);
    r.turns.set('trn_1', turn('trn_1', { running: false, state: 'applied', result: result('applied') }));
    await r.talk.load('trn_1');
    r.talk.type('y');
    await r.talk.send();
    expect(r.sent[1]?.review).toBe(false);
    r.preferences.review.value = true;
    r.talk.type('z');
    await r.talk.send();
    expect(r.sent[2]?.review).toBe(true);
  });

  it('counts a moment after the words rest, and only the last counts', async () => {
    const r = await rig();
    let counted = 0;
    r.api.count = (_, q) => {
      counted++;
      return Promise.resolve({ contextBytes: q.message.length, maxContextBytes: 100 } as Count);
    };
    for (const m of ['a', 'ab', 'abc']) r.talk.type(m);
    await vi.advanceTimersByTimeAsync(400);
    expect(counted).toBe(1);
    expect(r.talk.count.value?.contextBytes).toBe(3);
    r.talk.toggleSection('tabs');
    expect([...r.talk.leaveOut.value]).toEqual(['tabs']);
    r.talk.toggleSection('tabs');
    expect([...r.talk.leaveOut.value]).toEqual([]);
  });
});

describe('a turn', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('that runs nowhere and has not ended is interrupted, never busy', async () => {
    const r = await rig();
    r.turns.set('old', turn('old', { running: false, state: 'running' }));
    r.tell({ kind: 'accepted', turn: 'old', seq: 1 });
    await vi.advanceTimersByTimeAsync(100);
    const view = r.talk.turns.value[0];
    expect(view?.interrupted.value).toBe(true);
    expect(view?.busy.value).toBe(false);
  });

  it('asks for a decision once, if this window sent it', async () => {
    const r = await rig();
    const waits: string[] = [];
    r.talk.onWaits = (t) => waits.push(t);
    r.talk.type('x');
    await r.talk.send();
    r.turns.set('trn_1', turn('trn_1', { waits: true }));
    r.turns.set('theirs', turn('theirs', { waits: true }));
    await r.talk.load('theirs');
    await vi.advanceTimersByTimeAsync(4_000);
    expect(waits).toEqual(['trn_1']);
  });

  it('offers its notes as drafts until they are', async () => {
    const r = await rig();
    await r.talk.load('trn_1');
    const view = r.talk.turns.value[0];
    const done = r.api.again;
    r.api.again = () => Promise.reject(refuse('busy'));
    await r.talk.again('trn_1');
    expect(view?.drafted.value).toBe(false);
    r.api.again = done;
    await r.talk.again('trn_1');
    expect(view?.drafted.value).toBe(true);
  });

  it('is told once when it ends, and not when it had ended before', async () => {
    const r = await rig();
    const ended: string[] = [];
    r.talk.onEnded = (t) => ended.push(t.id);
    r.turns.set('old', turn('old', { running: false, state: 'applied', result: result('applied') }));
    r.tell({ kind: 'accepted', turn: 'old', seq: 1 });
    r.tell({ kind: 'accepted', turn: 'new', seq: 2 });
    await vi.advanceTimersByTimeAsync(100);
    r.turns.set('new', turn('new', { running: false, state: 'answered', result: result('answered') }));
    r.tell({ kind: 'ended', turn: 'new', seq: 3 });
    await vi.advanceTimersByTimeAsync(100);
    await r.talk.load('new');
    expect(ended).toEqual(['new']);
  });

  it('is not made unended by an answer that was overtaken', async () => {
    const r = await rig();
    const slow = deferred<Turn>();
    r.api.turn = () => slow.promise;
    const late = r.talk.load('t');
    r.api.turn = () => Promise.resolve(turn('t', { running: false, state: 'applied', result: result('applied') }));
    await r.talk.load('t');
    slow.resolve(turn('t'));
    await late;
    expect(r.talk.turns.value[0]?.turn.value?.result?.status).toBe('applied');
  });

  it('of long ago is loaded only when one asks', async () => {
    const r = await rig();
    const asked: string[] = [];
    r.api.turn = (id) => {
      asked.push(id);
      return Promise.resolve(turn(id, { running: false, state: 'applied', result: result('applied') }));
    };
    for (let i = 0; i < 20; i++) r.tell({ kind: 'accepted', turn: `t${i}`, seq: i });
    await vi.advanceTimersByTimeAsync(100);
    expect(asked).toEqual(['t12', 't13', 't14', 't15', 't16', 't17', 't18', 't19']);
    expect(r.talk.older.value).toBe(12);
    await r.talk.loadOlder();
    expect(r.talk.older.value).toBe(4);
  });
});

describe('the steps of a turn', () => {
  const run = (...events: Partial<TurnEvent>[]) =>
    events.reduce((p, e, i) => reduce(p, { turn: 't', seq: i + 1, ...e } as TurnEvent), noProgress);

  it('are verbs, and what ran is done when the next one is told', () => {
    const p = run(
      { kind: 'accepted', notes: 2 },
      { kind: 'thinking', round: 1 },
      { kind: 'tool_called', tool: 'document_inspect' },
      { kind: 'tool_returned', tool: 'document_inspect', ok: true, tookNs: 5e6 },
      { kind: 'tool_called', tool: 'document_apply' },
      { kind: 'candidate_staged', edits: 3, flags: 0 },
      { kind: 'tool_returned', tool: 'document_apply', ok: false, tookNs: 1 },
      { kind: 'verified', faults: 1 },
    );
    expect(p.steps.map((s) => [s.word, s.state])).toEqual([
      ['step.accepted', 'done'],
      ['step.tool.document_inspect', 'done'],
      ['step.tool.document_apply', 'failed'],
      ['step.staged', 'done'],
      ['step.verified.faults', 'failed'],
    ]);
    expect(p.looks).toBe(1); // for the pictures of what was seen
  });

  it('take pieces of text, and the whole text in their place', () => {
    const p = run({ kind: 'text_delta', text: 'Hel' }, { kind: 'text_delta', text: 'lo' });
    expect(p.saying).toBe('Hello');
    const q = reduce(p, { kind: 'said', turn: 't', text: 'Hello.' });
    expect([q.saying, q.said]).toEqual(['', ['Hello.']]);
  });

  it('count what the calls used, and name a tool nobody knows', () => {
    const p = run(
      { kind: 'usage', promptTokens: 10, completionTokens: 2 },
      { kind: 'usage', promptTokens: 5, completionTokens: 1 },
      { kind: 'tool_called', tool: 'never_heard_of' },
    );
    expect([p.calls, p.tokensIn, p.tokensOut]).toEqual([2, 15, 3]);
    expect(p.steps[0]).toMatchObject({ word: 'step.tool', values: { tool: 'never_heard_of' } });
  });

  it('end', () => {
    const p = run(
      { kind: 'thinking', round: 1 },
      { kind: 'committed', generation: 4, changeSet: 'chg' },
      { kind: 'ended' },
    );
    expect(p).toMatchObject({ ended: true, generation: 4, changeSet: 'chg' });
    expect(p.steps.some((s) => s.state === 'running')).toBe(false);
  });
});
