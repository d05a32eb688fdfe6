import { constants } from 'node:fs';
import { access, lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';

/** Of a file or folder: what tells who can write to it. */
export interface Owned {
  uid: number;
  mode: number;
}

/**
 * Why a program must not be started: others could have put something in its place.
 * A folder with the sticky bit is no better, for a name in it can be taken.
 */
export function exposed(what: Owned, uid: number): boolean {
  return (what.mode & 0o022) !== 0 || (what.uid !== 0 && what.uid !== uid);
}

/** Gives the real path of a gateway that can be started; throws where it is not there or not safe. */
export async function trustedProgram(path: string, check: boolean): Promise<string> {
  if (!isAbsolute(path)) throw new Error(`the gateway's path is not absolute: ${path}`);
  const real = await realpath(path);
  const file = await lstat(real);
  if (!file.isFile()) throw new Error(`the gateway is not a file: ${real}`);
  await access(real, constants.X_OK);
  const uid = process.getuid?.();
  // On Windows the folder a program is installed in has its own access list.
  if (!check || uid === undefined) return real;
  for (const p of [real, dirname(real)]) {
    if (exposed(await lstat(p), uid)) throw new Error(`others can change ${p}; it is not started`);
  }
  return real;
}
