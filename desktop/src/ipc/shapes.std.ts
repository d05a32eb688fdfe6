import type { Card, CardAction, CardSaid, FrameState, Place, Rect } from './desktop.std';

// What a page may send, and how much of it. Each check gives a new value made of
// what it looked at, so that nothing else comes along, or null.

/** A note's text, in bytes of UTF-8. */
export const maxText = 16 << 10;
/** A file that is saved: the largest document, and a picture of it. */
const maxSave = 64 << 20;

export type Check<T> = (args: readonly unknown[]) => { value: T } | null;

/** Gives a value of its kind, or throws. */
type Read<T> = (v: unknown) => T;

const wrong = (): never => {
  throw new TypeError('not of this shape');
};
const flag: Read<boolean> = (v) => (typeof v === 'boolean' ? v : wrong());
const number = (least: number, most: number): Read<number> => {
  return (v) => (typeof v === 'number' && v >= least && v <= most ? v : wrong());
};
const words =
  (most: number): Read<string> =>
  (v) =>
    typeof v === 'string' && v.length <= most ? v : wrong();
const id: Read<string> = (v) => (/^[a-z][a-zA-Z0-9._-]{0,63}$/.test(words(64)(v)) ? (v as string) : wrong());
const note: Read<string> = (v) => (utf8Length(words(maxText)(v)) <= maxText ? (v as string) : wrong());
const either = <T>(...all: readonly T[]): Read<T> => {
  return (v) => all.find((one) => one === v) ?? wrong();
};
const maybe = <T>(read: Read<T>): Read<T | undefined> => {
  return (v) => (v === undefined ? undefined : read(v));
};
const list = <T>(most: number, read: Read<T>): Read<T[]> => {
  return (v) => (Array.isArray(v) && v.length <= most ? v.map((one) => read(one)) : wrong());
};
const object = <T>(shape: { [K in keyof T]-?: Read<T[K]> }): Read<T> => {
  return (v) => {
    if (typeof v !== 'object' || v === null || Array.isArray(v)) return wrong();
    const reads = Object.entries<Read<unknown>>(shape);
    return Object.fromEntries(reads.map(([k, read]) => [k, read((v as Record<string, unknown>)[k])])) as T;
  };
};

/** A channel's arguments, each of its own kind. */
function args<T extends unknown[], V>(reads: { [K in keyof T]: Read<T[K]> }, make: (...read: T) => V): Check<V> {
  return (given) => {
    if (given.length !== reads.length) return null;
    try {
      return { value: make(...(reads.map((read, i) => read(given[i])) as T)) };
    } catch {
      return null;
    }
  };
}
const one = <T>(read: Read<T>): Check<T> => args<[T], T>([read], (v) => v);

const coordinate = number(-1_000_000, 1_000_000);
const length = number(0, 1_000_000);
const label = words(4_000);
const rect = object<Rect>({ x: coordinate, y: coordinate, width: length, height: length });
const action = object<CardAction>({
  choice: id,
  label,
  key: maybe(label),
  primary: maybe(flag),
  quiet: maybe(flag),
  disabled: maybe(flag),
});
const card = object<Card>({
  rect,
  label,
  code: label,
  proof: label,
  saving: label,
  alert: label,
  text: (v) => (v === null ? null : note(v)),
  revision: number(0, Number.MAX_SAFE_INTEGER),
  lines: list(20, label),
  actions: list(8, action),
});

export const nothing: Check<null> = args<[], null>([], () => null);
export const placeArgs = one(object<Place>({ room: rect, page: rect, scale: number(0.05, 8), visible: flag }));
export const cardArgs = one<Card | null>((v) => (v === null ? null : card(v)));
export const stateArgs = one(
  object<FrameState>({
    title: words(1_000),
    language: either('en', 'zh'),
    theme: either('light', 'dark'),
    commands: list(100, object({ id, enabled: flag })),
  }),
);
export const pathArgs = one(words(4_096));
const bytes: Read<ArrayBuffer> = (v) => (v instanceof ArrayBuffer && v.byteLength <= maxSave ? v : wrong());
export const saveArgs = args<[string, ArrayBuffer], { name: string; bytes: ArrayBuffer }>(
  [words(1_000), bytes],
  (name, content) => ({ name: fileName(name), bytes: content }),
);
export const draftArgs = args<[string], CardSaid>([note], (text) => ({ type: 'draft', text }));
export const submitArgs = args<[string, string], CardSaid>([id, note], (choice, text) => {
  return { type: 'submit', choice, text };
});

/** A name without any place in it, which a save dialog may offer. */
export function fileName(name: string): string {
  const bare = name.replace(/[\x00-\x1f\x7f<>:"/\\|?*]/g, '_').replace(/^[\s.]+|[\s.]+$/g, '');
  return bare.slice(0, 120) || 'page.html';
}

/** How many bytes of UTF-8 a text has. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
