// What is said over the pipes between the shell and its gateway.

/** The relay a gateway reaches pages through. */
export interface RelayAddress {
  url: string;
  token: string;
}

/** A token of the shell, and when it ends (ms since 1970). */
export interface Grant {
  token: string;
  ends: number;
}

export interface Ready extends Grant {
  port: number;
  launch: string;
  /** 4: the page is driven through the relay; less: nobody can point. */
  protocol: number;
}

/** What an owned gateway prints in one line at most. */
export const maxLine = 16 << 10;

/** The one line a gateway is told. */
export function greeting(relay: RelayAddress): string {
  return JSON.stringify({ protocol: 4, relay }) + '\n';
}

/** The first line of a gateway; null where it is none. */
export function readyOf(line: string): Ready | null {
  const said = objectOf(line);
  const grant = grantOf(said);
  if (said === null || grant === null || said['ready'] !== true) return null;
  const { port, launch, protocol } = said;
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) return null;
  if (typeof launch !== 'string' || launch === '') return null;
  return { ...grant, port, launch, protocol: typeof protocol === 'number' ? protocol : 0 };
}

/** Each later line of a gateway: a token that takes the place of the one before. */
export function laterGrantOf(line: string): Grant | null {
  return grantOf(objectOf(line));
}

function grantOf(said: Record<string, unknown> | null): Grant | null {
  if (said === null) return null;
  const { token, tokenExpires } = said;
  if (typeof token !== 'string' || token === '' || typeof tokenExpires !== 'string') return null;
  const ends = Date.parse(tokenExpires);
  return Number.isNaN(ends) ? null : { token, ends };
}

function objectOf(line: string): Record<string, unknown> | null {
  try {
    const v: unknown = JSON.parse(line);
    return typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Gives whole lines of what comes in pieces; a line that is too long ends it all. */
export class Lines {
  #rest = '';

  constructor(
    private readonly line: (text: string) => void,
    private readonly tooLong: () => void,
  ) {}

  add(piece: string): void {
    const parts = (this.#rest + piece).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const p of parts) this.line(p);
    if (this.#rest.length > maxLine) {
      this.#rest = '';
      this.tooLong();
    }
  }
}

/** The last of what a program said on stderr, for a person who asks why it died. */
export class Tail {
  #text = '';

  constructor(private readonly most: number) {}

  add(piece: string): void {
    this.#text = (this.#text + piece).slice(-this.most);
  }

  get text(): string {
    return this.#text.trim();
  }
}

/** What the gateway gets of the shell's environment: all that does not steer Node or Electron. */
export function environmentFor(env: Record<string, string | undefined>): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !/^(NODE|ELECTRON|CHROME|npm|PROOFMARK_GATEWAY$)/i.test(name)) out[name] = value;
  }
  return out;
}
