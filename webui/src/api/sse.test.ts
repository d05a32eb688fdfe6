import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { follow, Parser, type StreamEvent } from './sse';
import { Transport } from './transport';

const all = (pieces: string[]): StreamEvent[] => {
  const p = new Parser();
  return pieces.flatMap((x) => [...p.push(x)]);
};

describe('the parser', () => {
  const text =
    ': hello\n\nid: 7\nevent: said\ndata: {"a":\ndata: 1}\n\nevent: text_delta\ndata: ü\n\nevent: end\ndata: {}\n\n';
  const want = [
    { id: '7', event: 'said', data: '{"a":\n1}' },
    { id: '', event: 'text_delta', data: 'ü' },
    { id: '', event: 'end', data: '{}' },
  ];

  it('gives the same events wherever the pieces are cut', () => {
    expect(all([text])).toEqual(want);
    expect(all(text.split(''))).toEqual(want);
    for (let i = 0; i <= text.length; i++) expect(all([text.slice(0, i), text.slice(i)])).toEqual(want);
  });

  it('takes every end of line', () => {
    expect(all([text.replaceAll('\n', '\r\n')])).toEqual(want);
    expect(all(text.replaceAll('\n', '\r\n').split(''))).toEqual(want);
  });

  it('makes no event of comments alone', () => {
    expect(all([': a\n\n: b\n\n'])).toEqual([]);
  });
});

describe('follow', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Answers one after the other; a string is a stream that is cut at its end, null no answer. */
  function script(answers: (string | null | number)[]) {
    const from: string[] = [];
    const transport = new Transport(
      (_, init = {}) => {
        from.push((init.headers as Record<string, string>)['Last-Event-ID'] ?? '');
        const a = answers.shift();
        if (a === undefined || a === null) return Promise.reject(new TypeError('Failed to fetch'));
        if (typeof a === 'number') {
          const body = JSON.stringify({ error: { code: 'not_found', message: 'gone' } });
          return Promise.resolve(new Response(body, { status: a }));
        }
        return Promise.resolve(new Response(a, { status: 200 }));
      },
      { token: () => Promise.resolve('t'), drop: () => undefined },
    );
    return { transport, from };
  }

  it('goes on behind the last numbered event, and loses and repeats nothing', async () => {
    const s = script([
      'id: 1\nevent: a\ndata: 1\n\nid: 2\nevent: a\ndata: 2\n\nevent: text_delta\ndata: x\n\n',
      null,
      'id: 3\nevent: a\ndata: 3\n\nevent: end\ndata: {}\n\n',
    ]);
    const got: string[] = [];
    const live: boolean[] = [];
    const done = follow(s.transport, '/e', {
      signal: new AbortController().signal,
      onEvent: (e) => got.push(e.data),
      onLive: (l) => live.push(l),
    });
    await vi.runAllTimersAsync();
    await done;
    expect(got).toEqual(['1', '2', 'x', '3']);
    expect(s.from).toEqual(['', '2', '2']);
    expect(live.at(0)).toBe(true);
    expect(live).toContain(false);
  });

  it('waits longer each time, and less again after an event', async () => {
    const s = script([null, null, null, 'id: 1\nevent: a\ndata: 1\n\n', 'event: end\ndata: {}\n\n']);
    const done = follow(s.transport, '/e', { signal: new AbortController().signal, onEvent: () => undefined });
    await vi.advanceTimersByTimeAsync(250);
    expect(s.from.length).toBe(2);
    await vi.advanceTimersByTimeAsync(499);
    expect(s.from.length).toBe(2);
    await vi.advanceTimersByTimeAsync(1 + 1000);
    expect(s.from.length).toBe(4);
    await vi.advanceTimersByTimeAsync(250);
    await done;
    expect(s.from.length).toBe(5);
  });

  it('ends when nobody listens any more', async () => {
    const s = script([null, null, null]);
    const stop = new AbortController();
    const done = follow(s.transport, '/e', { signal: stop.signal, onEvent: () => undefined });
    await vi.advanceTimersByTimeAsync(10);
    stop.abort();
    await vi.runAllTimersAsync();
    await done;
    expect(s.from.length).toBe(1);
  });

  it('throws what cannot be mended', async () => {
    const s = script([404]);
    await expect(
      follow(s.transport, '/e', { signal: new AbortController().signal, onEvent: () => undefined }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
