import type { Transport } from './transport';
import { Refusal, refusalOf } from './refusal';

/** One event of a stream. */
export interface StreamEvent {
  /** Its number, "" where it has none and is not resumed behind. */
  id: string;
  event: string;
  data: string;
}

/** Cuts what arrives into events; a piece may end anywhere. */
export class Parser {
  #rest = '';
  #id = '';
  #event = '';
  #data: string[] = [];

  *push(piece: string): Generator<StreamEvent> {
    this.#rest += piece;
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(this.#rest);
      if (end === null) return;
      const line = this.#rest.slice(0, end.index);
      this.#rest = this.#rest.slice(end.index + end[0].length);
      const done = this.#line(line);
      if (done !== null) yield done;
    }
  }

  #line(line: string): StreamEvent | null {
    if (line === '') {
      const done = { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') };
      const any = this.#data.length > 0;
      this.#id = '';
      this.#event = '';
      this.#data = [];
      return any ? done : null;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return null; // a comment that shows the stream lives
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (field === 'id') this.#id = value;
    else if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    return null;
  }
}

export interface Follow {
  signal: AbortSignal;
  /** Begins behind this event. */
  lastId?: string;
  onEvent: (e: StreamEvent) => void;
  /** True while events arrive, false while the connection is being made again. */
  onLive?: (live: boolean) => void;
}

/** Waits between attempts, doubled each time; the gateway is on this machine. */
const firstWait = 250;
const longestWait = 8_000;
/** A stream speaks every 15 seconds; one that is silent for three times that is dead. */
const silence = 45_000;

/**
 * follow reads a stream to its end and makes the connection again when it
 * breaks, behind the last event that had a number. It gives back when the stream
 * has said "end" or the signal is aborted, and throws what cannot be mended.
 */
export async function follow(transport: Transport, path: string, f: Follow): Promise<void> {
  let last = f.lastId ?? '';
  let wait = firstWait;
  while (!isOver(f.signal)) {
    try {
      const ended = await readOnce(transport, path, last, f, (id) => {
        if (id !== '') last = id;
        wait = firstWait;
      });
      if (ended) return;
    } catch (e) {
      if (isOver(f.signal)) return;
      const r = refusalOf(e);
      f.onLive?.(false);
      if (!passes(r)) throw r;
    }
    f.onLive?.(false);
    await pause(wait, f.signal);
    wait = Math.min(wait * 2, longestWait);
  }
}

/** Asked anew each time: while one waits, it may be aborted. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Whether it may work a little later. */
function passes(r: Refusal): boolean {
  // 401: a plain browser is paired anew, and the stream goes on with the new token.
  return (
    r.status === 0 || r.status === 401 || r.status === 429 || r.status === 503 || r.status === 504 || r.status === 500
  );
}

async function readOnce(
  transport: Transport,
  path: string,
  last: string,
  f: Follow,
  seen: (id: string) => void,
): Promise<boolean> {
  const once = new AbortController();
  const stop = () => once.abort();
  f.signal.addEventListener('abort', stop);
  let watch = setTimeout(stop, silence);
  try {
    const headers: Record<string, string> = last === '' ? {} : { 'Last-Event-ID': last };
    const answer = await transport.send(path, { headers, signal: once.signal });
    if (answer.body === null) return false;
    f.onLive?.(true);
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    const parser = new Parser();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return false;
      clearTimeout(watch);
      watch = setTimeout(stop, silence);
      for (const e of parser.push(decoder.decode(value, { stream: true }))) {
        seen(e.id);
        if (e.event === 'end') return true;
        f.onEvent(e);
      }
    }
  } finally {
    clearTimeout(watch);
    f.signal.removeEventListener('abort', stop);
    once.abort();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
