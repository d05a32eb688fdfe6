// What stands on a command line, and what other programs hand over: file names and
// links that anybody could have written.

import { utf8Length } from '../ipc/shapes.std';

/** More than these are not opened at once. */
export const mostFiles = 8;

export interface Asked {
  /** Names of pages, not looked at yet: absolute, or of the folder the caller is in. */
  files: string[];
  /** Ids of documents. */
  documents: string[];
}

const link = /^proofmark:\/\/document\/(doc_[a-z2-7]{26})\/?$/;
const page = /\.html?$/i;

/** The document a link means; null for everything that is not exactly such a link. */
export function linkedDocument(text: string): string | null {
  return link.exec(text)?.[1] ?? null;
}

/** Whether a name can be a page's: no switch, no address, no network path. */
export function isPageName(name: string): boolean {
  if (name === '' || name.length > 4_096 || name.includes('\0')) return false;
  if (name.startsWith('-') || name.startsWith('\\\\') || name.startsWith('//')) return false;
  if (/^[a-z][a-z0-9+.-]+:/i.test(name)) return false; // a drive has one letter
  return page.test(name);
}

/** The path a file: address means on this machine, as file managers give it; the text itself where it is none. */
function pathOf(text: string): string {
  if (!/^file:\/\/\//i.test(text) || /%(2f|5c|00)/i.test(text)) return text;
  try {
    return decodeURIComponent(new URL(text).pathname);
  } catch {
    return text;
  }
}

/** Picks out of arguments what can be opened; the rest is dropped without a word. */
export function asked(args: readonly string[]): Asked {
  const documents = args.map(linkedDocument).filter((id) => id !== null);
  return { files: args.map(pathOf).filter(isPageName).slice(0, mostFiles), documents: documents.slice(0, 1) };
}

/**
 * Whether a second start can hand its command line to the first: Chromium's message of at most 32 KiB has it twice, once
 * perhaps in UTF-16, and the folder's name. A longer one gets no answer, and Chromium then kills the app that was
 * there first, as one that hangs.
 */
export function canBeHandedOver(argv: readonly string[]): boolean {
  return utf8Length(argv.join(' ')) <= 6 << 10;
}

/** What a second start of the app hands to the first; null where it is not that. */
export function handedOver(data: unknown): { args: string[]; folder: string } | null {
  const d = data as { args?: unknown; folder?: unknown } | null;
  if (typeof d !== 'object' || d === null || typeof d.folder !== 'string' || !Array.isArray(d.args)) return null;
  const args = d.args.filter((a): a is string => typeof a === 'string').slice(0, 64);
  return { args, folder: d.folder };
}
