import type { Card, CardAnswer, Desktop, Placed, WindowState } from '../contract/desktop';
import type { Annotation, Doc, Pick } from '../contract/types';
import { Refusal } from '../api/refusal';

// Makers of what the API answers, for the tests of the stores.

export function doc(over: Partial<Doc> = {}): Doc {
  return {
    id: 'doc_a',
    path: '/tmp/page.html',
    name: 'page.html',
    headId: 'rev_1',
    generation: 1,
    stateRev: 1,
    syncedId: 'rev_1',
    syncedSha: 's',
    createdAt: '2026-01-01T00:00:00Z',
    ahead: false,
    head: {
      id: 'rev_1',
      documentId: 'doc_a',
      generation: 1,
      sha256: 's',
      bytes: 10,
      source: 'import',
      actor: 'ui',
      at: '2026-01-01T00:00:00Z',
    },
    ...over,
  };
}

export function pick(name: string, over: Partial<Pick> = {}): Pick {
  return {
    handle: `pick_${name}`,
    epoch: 1,
    path: `/html/2/${name}`,
    name,
    text: name,
    rect: { x: 0, y: 0, width: 10, height: 10 },
    startTag: [1, 5],
    tag: `<${name}>`,
    sharedBy: 1,
    ...over,
  };
}

export function note(id: string, order: number, over: Partial<Annotation> = {}): Annotation {
  return {
    id,
    sessionId: 's',
    documentId: 'doc_a',
    revisionId: 'rev_1',
    order,
    instruction: `do ${id}`,
    anchors: [],
    state: 'draft',
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: `2026-01-01T00:00:0${order}Z`,
    ...over,
  };
}

export function refuse(code: string, status = 409, detail: Record<string, unknown> = {}): Refusal {
  return new Refusal({ code, message: code, detail }, status);
}

export const lost = () => refuse('no_gateway', 0);

/** A promise that is settled from outside. */
export function deferred<T>(): { promise: Promise<T>; resolve: (v: T) => void; reject: (e: unknown) => void } {
  let resolve: (v: T) => void = () => undefined;
  let reject: (e: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Lets everything run that waits for promises only. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

export function said() {
  const lines: { text: string; tone: string }[] = [];
  return { lines, say: (text: string, tone = 'plain') => void lines.push({ text, tone }) };
}

/** What Electron puts before the workbench: it remembers what it is told, and a test does what a person does there. */
export function fakeDesktop(protocol = 4) {
  const placed: Placed[] = [];
  const cards: (Card | null)[] = [];
  const states: WindowState[] = [];
  const calls: string[] = [];
  const saved: { name: string; text: string }[] = [];
  let hear: (m: CardAnswer) => void = () => undefined;
  let command: (id: string) => void = () => undefined;
  let open: (path: string) => void = () => undefined;
  let leave: () => Promise<unknown> = () => Promise.resolve();
  let press: (m: { adds: boolean }) => void = () => undefined;
  const answers = {
    hello: () => Promise.resolve({ host: 'desktop' as const, protocol, features: null }),
    token: () => Promise.resolve({ token: 'given', expires: new Date(Date.now() + 900_000).toISOString() }),
    still: (): Promise<ArrayBuffer | null> => Promise.resolve(new ArrayBuffer(4)),
    save: () => true,
  };
  const desktop: Desktop = {
    hello: () => answers.hello(),
    token: () => answers.token(),
    place: (p) => void placed.push(p),
    still: () => {
      calls.push('still');
      return answers.still();
    },
    card: (c) => void cards.push(c),
    onCard: (cb) => (hear = cb),
    onCommand: (cb) => (command = cb),
    onOpen: (cb) => (open = cb),
    onPress: (cb) => (press = cb),
    onLeave: (cb) => (leave = cb),
    openDialog: () => void calls.push('dialog'),
    dropped: (file) => void calls.push(`dropped ${file.name}`),
    save: (name, bytes) => {
      saved.push({ name, text: new TextDecoder().decode(bytes) });
      return Promise.resolve(answers.save());
    },
    state: (s) => void states.push(s),
  };
  return {
    desktop,
    answers,
    placed,
    cards,
    states,
    calls,
    saved,
    hear: (m: CardAnswer) => hear(m),
    command: (id: string) => command(id),
    open: (path: string) => open(path),
    leave: () => leave(),
    press: (adds: boolean) => press({ adds }),
  };
}
