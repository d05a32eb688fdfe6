/** Names that stand for this machine or its surroundings, and those that stand for nothing. */
const near = new Set(['localhost', 'local', 'internal', 'invalid', 'test', 'example', 'onion', 'home', 'lan', 'arpa']);

/**
 * canAllow tells of an origin that the gateway lets a person allow: https, by a
 * public name. The gateway decides; one name too many would make it refuse them all.
 */
export function canAllow(origin: string): boolean {
  const host = /^https:\/\/([a-z0-9_-]+(?:\.[a-z0-9_-]+)+)(?::\d+)?$/.exec(origin)?.[1];
  const last = host?.split('.').at(-1) ?? '';
  return /[^0-9]/.test(last) && !last.startsWith('0x') && !near.has(last);
}
