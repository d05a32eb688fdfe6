// Line ends of a text. The editor counts lines, the file has bytes: what a person
// did not touch has to come back with the line ends it had.

export type LineEnd = '\n' | '\r\n' | '\r';

export interface LineEnds {
  lf: number;
  crlf: number;
  cr: number;
  /** What a new line ends with: the end most lines have, as the gateway counts it. */
  usual: LineEnd;
  /** More than one kind: the editor then keeps each CR as a character of its line. */
  mixed: boolean;
}

export function lineEnds(text: string): LineEnds {
  let lf = 0;
  let crlf = 0;
  let cr = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 10) lf++;
    else if (c === 13) {
      if (text.charCodeAt(i + 1) === 10) {
        crlf++;
        i++;
      } else cr++;
    }
  }
  const usual = crlf > 0 && crlf >= lf && crlf >= cr ? '\r\n' : cr > lf ? '\r' : '\n';
  return { lf, crlf, cr, usual, mixed: Number(lf > 0) + Number(crlf > 0) + Number(cr > 0) > 1 };
}

/** Every line end, of whatever kind, written as one. */
export function withLineEnd(text: string, end: LineEnd): string {
  return text.replace(/\r\n?|\n/g, end);
}

/** The part of an editor's document that is needed to count line ends. */
export interface Lines {
  readonly length: number;
  readonly lines: number;
  line(n: number): { from: number; to: number; number: number };
  lineAt(pos: number): { from: number; to: number; number: number };
}

/**
 * Index in the text of a place in the editor's document, which counts one for
 * each line end. Nothing differs but where every line ends in CRLF.
 */
export function toTextIndex(doc: Lines, pos: number, ends: LineEnds): number {
  return isWide(ends) ? pos + doc.lineAt(pos).number - 1 : pos;
}

/** The place in the editor's document of an index in the text. */
export function toDocPosition(doc: Lines, index: number, ends: LineEnds): number {
  if (!isWide(ends)) return Math.min(index, doc.length);
  let low = 1;
  let high = doc.lines;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (doc.line(mid).from + mid - 1 <= index) low = mid;
    else high = mid - 1;
  }
  const line = doc.line(low);
  return Math.min(index - (low - 1), line.to); // between CR and LF is the end of the line
}

function isWide(ends: LineEnds): boolean {
  return !ends.mixed && ends.usual === '\r\n';
}
