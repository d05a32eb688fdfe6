// Who may come in: the one gateway, by the token it was given over its standard
// input. Everything else that can reach a port of this machine is turned away.
import { createHash, timingSafeEqual } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Door {
  host: string; // "127.0.0.1:<port>"
  token: string;
  path: string;
  taken: boolean; // the one client is here, or was
}

/** Gives the status that an upgrade is refused with, 101 where it may go on. The order is fixed: a web page learns
 * nothing but that it is one. */
export function upgradeStatus(r: IncomingMessage, d: Door): number {
  if (count(r, 'origin') > 0) return 403;
  if (count(r, 'host') !== 1 || r.headers.host !== d.host) return 421;
  if (count(r, 'authorization') !== 1 || !same(r.headers.authorization ?? '', `Bearer ${d.token}`)) return 401;
  if (r.url !== d.path) return 404;
  return d.taken ? 409 : 101;
}

export function turnAway(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function count(r: IncomingMessage, name: string): number {
  return r.rawHeaders.filter((h, i) => i % 2 === 0 && h.toLowerCase() === name).length;
}

/** Compares in a time that tells nothing of the texts. */
function same(a: string, b: string): boolean {
  const digest = (s: string) => createHash('sha256').update(s).digest();
  return timingSafeEqual(digest(a), digest(b));
}
