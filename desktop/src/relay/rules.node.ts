// What the gateway may say, as the gateway's own tables state it: protocol4.json is
// written from them. This is the other side's copy of the same list, so a gateway
// that was taken over gains nothing here.
import { createHash } from 'node:crypto';
import list from './protocol4.json';

/** One parameter's rule; the fields that its kind uses are set. */
export interface Check {
  is: string;
  min?: number;
  max?: number;
  values?: unknown[];
  of?: Check[];
  fields?: Record<string, Check>;
  need?: string[];
}

export interface Rule {
  params: Record<string, Check>;
  need: string[];
  /** Answered in the browser's place; nothing is sent. */
  stub?: object;
}

export const protocol = list.protocol;
export const limits = list.limits;

const hostRules = new Map(Object.entries(list.host as unknown as Record<string, Rule>));
const pageRules = new Map(Object.entries(list.page as unknown as Record<string, Rule>));
const large = new Map(Object.entries(list.large));
const slow = new Set(list.slow);
const functions = new Set(list.functions);
const scripts = new Set(list.scripts);
const originPattern = new RegExp(list.originPattern);

export const pageEvents: ReadonlySet<string> = new Set(list.pageEvents);
export const floods: ReadonlySet<string> = new Set(list.floods);

export const denied = -32601; // the method is not in the list
export const refused = -32000; // a parameter is not, or it came to nothing

/** A refusal that goes back to the gateway. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Gives the stub, undefined where the command is to be carried out, or throws a Refusal. `origin` is that of the
 * page, undefined for the relay itself; `bytes` is the size of the whole message. */
export function judge(method: string, params: object, origin: string | undefined, bytes: number): object | undefined {
  const rule = (origin === undefined ? hostRules : pageRules).get(method);
  if (!rule) throw new Refusal(denied, `'${method.slice(0, 40)}' is not allowed by the preview bridge`);
  const envelope = 1024;
  if (bytes > (large.get(method) ?? limits.commandBytes) + envelope) throw new Refusal(refused, 'command too large');
  const wrong = fields(params, rule.params, rule.need, origin ?? '');
  if (wrong !== '') throw new Refusal(refused, `${method}: ${wrong}`);
  return rule.stub;
}

/** How long the browser may take, milliseconds. */
export function patience(method: string, params: object): number {
  if ('awaitPromise' in params && params.awaitPromise === true) return limits.awaitMs;
  return slow.has(method) ? limits.slowMs : limits.commandMs;
}

/** Tells what is wrong, '' for nothing. */
export function check(c: Check, v: unknown, origin: string): string {
  switch (c.is) {
    case 'number':
      return say(finite(v, -limits.number, limits.number), 'out of range');
    case 'whole':
      return say(Number.isInteger(v) && finite(v, c.min ?? 0, c.max ?? 0), 'out of range');
    case 'boolean':
      return say(typeof v === 'boolean', 'wrong type');
    case 'only':
      return say((c.values ?? []).includes(v), 'value not allowed');
    case 'list':
      return Array.isArray(v) && c.of?.[0] ? entries(v, c.max ?? 0, c.of[0], origin) : 'wrong type';
    case 'object':
      return fields(v, c.fields ?? {}, c.need ?? [], origin);
    case 'anyOf': {
      const wrong = (c.of ?? []).map((one) => check(one, v, origin));
      return wrong.includes('') ? '' : (wrong.at(-1) ?? 'value not allowed');
    }
    case 'clip':
      return clip(v);
    case 'anything':
      return '';
  }
  return typeof v === 'string' ? text(c, v, origin) : 'wrong type';
}

function text(c: Check, s: string, origin: string): string {
  switch (c.is) {
    case 'text':
      return say(Buffer.byteLength(s) <= (c.max ?? 0), 'too long');
    case 'leaseUrl':
      return say(within(s, origin), 'url not in preview origin');
    case 'origin':
      return say(originPattern.test(s), 'not the origin of a preview');
    case 'function':
      return say(functions.has(sha256(s)), "not one of the bridge's functions");
    case 'script':
      return say(scripts.has(sha256(s)), "not the bridge's script");
    case 'world':
      return say(s === list.world, "not the bridge's world");
  }
  return 'is of no known kind';
}

function fields(v: unknown, known: Record<string, Check>, need: string[], origin: string): string {
  if (typeof v !== 'object' || v === null || Array.isArray(v)) return 'not an object';
  for (const [name, value] of Object.entries(v)) {
    const c = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!c) return `parameter "${name.slice(0, 40)}" is not allowed`;
    const wrong = check(c, value, origin);
    if (wrong !== '') return `${name}: ${wrong}`;
  }
  const missing = need.find((name) => !Object.hasOwn(v, name));
  return missing === undefined ? '' : `parameter "${missing}" is needed`;
}

function entries(v: unknown[], most: number, of: Check, origin: string): string {
  if (v.length > most) return 'too many';
  return v.map((e) => check(of, e, origin)).find((wrong) => wrong !== '') ?? '';
}

function clip(v: unknown): string {
  if (typeof v !== 'object' || v === null) return 'wrong type';
  const { x, y, width, height, scale, ...more } = v as Record<string, unknown>;
  const sides = [x, y, width, height];
  if (Object.keys(more).length > 0 || !sides.every((n) => finite(n, 0, limits.number))) return 'out of range';
  if (!finite(scale, Number.MIN_VALUE, limits.clipScale)) return 'clip too large';
  const pixels = Number(width) * Number(height) * Number(scale) ** 2;
  return say(pixels <= limits.clipPixels, 'clip too large');
}

/** The origin is compared after parsing, too: a prefix alone would also match "http://a.localhost:1234@evil". */
function within(s: string, origin: string): boolean {
  if (origin === '' || s.length > limits.urlBytes || !s.startsWith(origin + '/') || !URL.canParse(s)) return false;
  const u = new URL(s);
  return u.origin === origin && u.username === '' && u.password === '';
}

function finite(v: unknown, lo: number, hi: number): boolean {
  return typeof v === 'number' && v >= lo && v <= hi;
}

function say(fine: boolean, wrong: string): string {
  return fine ? '' : wrong;
}

function sha256(s: string): string {
  return createHash('sha256').update(s).digest('hex');
}
