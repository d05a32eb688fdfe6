import type { Card, CardAction, CardSaid, FrameState, Place, Rect } from './desktop.std';

// What a page may send, and how much of it. Each check gives a new value made of
// what it looked at, so that nothing else comes along, or null.

/** A note's text, in bytes of UTF-8. */
export const maxText = 16 << 10;
/** A file that is saved: the largest document, and a picture of it. */
export const maxSave = 64 << 20;
const maxWords = 4_000;
const maxId = 64;
const farthest = 1_000_000;

export type Check<T> = (args: readonly unknown[]) => { value: T } | null;

export const nothing: Check<null> = (args) => (args.length === 0 ? { value: null } : null);

export const placeArgs = one<Place>((v) => {
  const o = objectOf(v);
  const room = rectOf(o?.['room']);
  const page = rectOf(o?.['page']);
  const scale = o?.['scale'];
  const visible = o?.['visible'];
  if (room === null || page === null || typeof visible !== 'boolean') return null;
  if (typeof scale !== 'number' || !(scale >= 0.05 && scale <= 8)) return null;
  return { room, page, scale, visible };
});

export const cardArgs: Check<Card | null> = (args) => {
  if (args.length !== 1) return null;
  if (args[0] === null) return { value: null };
  const card = cardOf(args[0]);
  return card === null ? null : { value: card };
};

export const stateArgs = one<FrameState>((v) => {
  const o = objectOf(v);
  const title = words(o?.['title']);
  const language = o?.['language'];
  const theme = o?.['theme'];
  const commands = listOf(o?.['commands'], 100, (c) => {
    const entry = objectOf(c);
    const id = wordId(entry?.['id']);
    const enabled = entry?.['enabled'];
    return id === null || typeof enabled !== 'boolean' ? null : { id, enabled };
  });
  if (title === null || commands === null) return null;
  if (language !== 'en' && language !== 'zh') return null;
  if (theme !== 'light' && theme !== 'dark') return null;
  return { title: title.slice(0, 200), language, theme, commands };
});

export const pathArgs = one<string>((v) =>
  typeof v === 'string' && v.length <= 4_096 && !v.includes('\0') ? v : null,
);

export const saveArgs: Check<{ name: string; bytes: ArrayBuffer }> = (args) => {
  const [name, bytes] = args;
  if (args.length !== 2 || typeof name !== 'string' || !(bytes instanceof ArrayBuffer)) return null;
  if (bytes.byteLength > maxSave) return null;
  return { value: { name: fileName(name), bytes } };
};

export const draftArgs = one<CardSaid>((v) => {
  const text = noteText(v);
  return text === null ? null : { type: 'draft', text };
});

export const submitArgs: Check<CardSaid> = (args) => {
  const choice = wordId(args[0]);
  const text = noteText(args[1]);
  return args.length !== 2 || choice === null || text === null ? null : { value: { type: 'submit', choice, text } };
};

/** A name without any place in it, which a save dialog may offer. */
export function fileName(name: string): string {
  const bare = name.replace(/[\x00-\x1f\x7f<>:"/\\|?*]/g, '_').replace(/^[\s.]+|[\s.]+$/g, '');
  return bare.slice(0, 120) || 'page.html';
}

/** How many bytes of UTF-8 a text has. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function cardOf(v: unknown): Card | null {
  const o = objectOf(v);
  if (o === null) return null;
  const rect = rectOf(o['rect']);
  const text = o['text'] === null ? null : noteText(o['text']);
  const label = words(o['label']);
  const code = words(o['code']);
  const proof = words(o['proof']);
  const saving = words(o['saving']);
  const alert = words(o['alert']);
  const revision = o['revision'];
  const lines = listOf(o['lines'], 20, words);
  const actions = listOf(o['actions'], 8, actionOf);
  if (rect === null || lines === null || actions === null || (text === null && o['text'] !== null)) return null;
  if (label === null || code === null || proof === null || saving === null || alert === null) return null;
  if (typeof revision !== 'number' || !Number.isSafeInteger(revision)) return null;
  return { rect, label, text, revision, code, proof, saving, alert, lines, actions };
}

function actionOf(v: unknown): CardAction | null {
  const o = objectOf(v);
  const choice = wordId(o?.['choice']);
  const label = words(o?.['label']);
  const key = o?.['key'] === undefined ? undefined : words(o['key']);
  if (o === null || choice === null || label === null || key === null) return null;
  const flags = [o['primary'], o['quiet'], o['disabled']];
  if (flags.some((f) => f !== undefined && typeof f !== 'boolean')) return null;
  const [primary, quiet, disabled] = flags as (boolean | undefined)[];
  return { choice, label, key, primary, quiet, disabled };
}

function one<T>(read: (v: unknown) => T | null): Check<T> {
  return (args) => {
    const value = args.length === 1 ? read(args[0]) : null;
    return value === null ? null : { value };
  };
}

function objectOf(v: unknown): Record<string, unknown> | null {
  return typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Record<string, unknown>) : null;
}

function rectOf(v: unknown): Rect | null {
  const o = objectOf(v);
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((k) => o?.[k]);
  const fine = (n: unknown): n is number => typeof n === 'number' && Number.isFinite(n) && Math.abs(n) <= farthest;
  if (!fine(x) || !fine(y) || !fine(width) || !fine(height) || width < 0 || height < 0) return null;
  return { x, y, width, height };
}

function words(v: unknown): string | null {
  return typeof v === 'string' && v.length <= maxWords ? v : null;
}

function wordId(v: unknown): string | null {
  return typeof v === 'string' && v.length <= maxId && /^[a-z][a-zA-Z0-9._-]*$/.test(v) ? v : null;
}

function noteText(v: unknown): string | null {
  return typeof v === 'string' && v.length <= maxText && utf8Length(v) <= maxText ? v : null;
}

function listOf<T>(v: unknown, most: number, read: (item: unknown) => T | null): T[] | null {
  if (!Array.isArray(v) || v.length > most) return null;
  const out: T[] = [];
  for (const item of v as unknown[]) {
    const read1 = read(item);
    if (read1 === null) return null;
    out.push(read1);
  }
  return out;
}
