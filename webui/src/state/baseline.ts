import type { Made } from '../contract/types';

/** A version's text, which the editor began with. */
export interface Baseline {
  /** 0 where it is older than what was looked through for it. */
  generation: number;
  /** How the gateway is asked for it. */
  version: string;
  text: string;
}

export function baseline(generation: number, text: string): Baseline {
  return { generation, version: String(generation), text };
}

/** The bytes of a version as text: with the mark some files begin with. */
export function decode(bytes: ArrayBuffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes);
}

/** What saving a version answers. */
export interface Committed {
  merged: boolean;
  made: Made;
}

export interface Point {
  line: number;
  column: number;
}

export interface Cursor {
  cursor: Point;
  selection: { start: Point; end: Point };
}
