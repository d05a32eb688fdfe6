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
