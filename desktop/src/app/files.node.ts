import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { isPageName } from './arguments.std';

/** The pages among some names, as absolute paths of regular files that are there. */
export async function pagesOf(names: readonly string[], folder: string): Promise<string[]> {
  if (!isAbsolute(folder)) return [];
  const found = await Promise.all(names.map((n) => pageOf(n, folder).catch(() => null)));
  return [...new Set(found.filter((p) => p !== null))];
}

async function pageOf(name: string, folder: string): Promise<string | null> {
  if (!isPageName(name)) return null;
  const path = await realpath(resolve(folder, name));
  if (!isPageName(path)) return null; // a link to something else
  return (await stat(path)).isFile() ? path : null;
}
