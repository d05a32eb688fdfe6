// Where a page of ours may be and go. Addresses are read as addresses, never
// compared by their beginning alone.

export const overlayScheme = 'proofmark-overlay';
export const overlayAddress = `${overlayScheme}://card/overlay.html`;

/** Whether an address belongs to the gateway's origin, with no user name in it. */
export function isGateway(url: string, origin: string): boolean {
  const u = parsed(url);
  return u !== null && origin !== '' && u.origin === origin && u.username === '' && u.password === '';
}

/** Whether the workbench stands at an address: the gateway's one page, whatever its fragment. */
export function isWorkbench(url: string, origin: string): boolean {
  return isGateway(url, origin) && parsed(url)?.pathname === '/' && parsed(url)?.search === '';
}

/** The fragment that names the document a workbench shows; "" for any other. */
export function documentHash(url: string): string {
  const hash = parsed(url)?.hash ?? '';
  return /^#\/d\/doc_[a-z2-7]{26}$/.test(hash) ? hash : '';
}

/** What the workbench may load: the gateway, and what it made itself. */
export function mayLoad(url: string, origin: string): boolean {
  const u = parsed(url);
  if (u === null) return false;
  if (u.protocol === 'data:') return true;
  if (u.protocol === 'blob:') return u.origin === origin;
  return isGateway(url, origin);
}

const overlayFiles = {
  '/overlay.html': 'text/html',
  '/overlay.js': 'text/javascript',
  '/overlay.css': 'text/css',
} as const;

/** The file of the overlay that an address means, and its media type; null for anything else. */
export function overlayFile(url: string): { name: string; type: string } | null {
  const u = parsed(url);
  if (u?.protocol !== `${overlayScheme}:` || u.host !== 'card' || u.search !== '') return null;
  const type = Object.entries(overlayFiles).find(([path]) => path === u.pathname)?.[1];
  return type === undefined ? null : { name: u.pathname.slice(1), type: `${type}; charset=utf-8` };
}

/** The overlay runs and shows its own two files, and nothing else at all. */
export const overlayPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function parsed(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}
