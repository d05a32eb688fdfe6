// Finding by a few letters, for the palette.

export interface Found {
  score: number;
  /** Places of the letters that were found, to be marked. */
  at: number[];
}

/**
 * Finds the letters of a query in their order. Letters that begin words and
 * letters that stand together count most, early ones a little. null where one of
 * them is not there.
 */
export function fuzzy(query: string, text: string): Found | null {
  const q = query.toLowerCase().replaceAll(' ', '');
  if (q === '') return { score: 0, at: [] };
  const t = text.toLowerCase();
  if (t.length !== text.length) return plain(q, t); // case changed the length: places would be wrong
  const whole = t.indexOf(query.toLowerCase().trim());
  if (whole >= 0) {
    const at = Array.from({ length: query.trim().length }, (_, i) => whole + i);
    // Two letters in the middle of a word are chance; more of them are meant.
    const worth = begins(t, whole) ? 100 : at.length > 2 ? 60 : 4;
    return { score: worth + at.length * 3 - Math.min(whole, 20) / 4, at };
  }
  return best(q, t);
}

// Greedy from each start of the first letter; texts here are a line long.
function best(q: string, t: string): Found | null {
  let out: Found | null = null;
  for (let start = t.indexOf(q[0] ?? ''); start >= 0; start = t.indexOf(q[0] ?? '', start + 1)) {
    const found = from(q, t, start);
    if (!found) break; // a later start finds no more
    if (!out || found.score > out.score) out = found;
  }
  return out;
}

function from(q: string, t: string, start: number): Found | null {
  const at = [start];
  let score = begins(t, start) ? 8 : 1;
  for (let i = 1; i < q.length; i++) {
    const after = (at[i - 1] ?? 0) + 1;
    const next = t.indexOf(q[i] ?? '', after);
    if (next < 0) return null;
    const word = next === after ? next : atWord(t, q[i] ?? '', next);
    // A word's beginning is better than a letter in the middle, if the rest is still behind it.
    const place = word >= 0 && hasRest(q, i + 1, t, word + 1) ? word : next;
    score += place === after ? 6 : begins(t, place) ? 7 : 1;
    at.push(place);
  }
  return { score: score - Math.min(start, 20) / 4 - (t.length - q.length) / 100, at };
}

function atWord(t: string, c: string, from: number): number {
  for (let i = from; i >= 0; i = t.indexOf(c, i + 1)) if (begins(t, i)) return i;
  return -1;
}

function hasRest(q: string, i: number, t: string, from: number): boolean {
  for (; i < q.length; i++) {
    const next = t.indexOf(q[i] ?? '', from);
    if (next < 0) return false;
    from = next + 1;
  }
  return true;
}

function begins(t: string, i: number): boolean {
  return i === 0 || !/[\p{L}\p{N}]/u.test(t[i - 1] ?? '');
}

function plain(q: string, t: string): Found | null {
  return hasRest(q, 0, t, 0) ? { score: q.length, at: [] } : null;
}
