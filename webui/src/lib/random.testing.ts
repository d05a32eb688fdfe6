/** Random numbers that are the same in each run, for property tests. */
export function random(seed: number): () => number {
  let a = seed * 0x9e3779b9;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const words = ['<p>', '</p>', 'a', 'b', 'sum', 'größer', '漢', '😀', ' ', ' ', '\n', '\r\n', '\r', '"', '='];

/** Pieces of pages in any order. */
export function sample(rnd: () => number, most: number): string {
  let s = '';
  for (let n = Math.floor(rnd() * most); n > 0; n--) s += words[Math.floor(rnd() * words.length)] ?? '';
  return s;
}

/** A text with some pieces replaced. */
export function changed(rnd: () => number, text: string): string {
  let out = text;
  for (let n = Math.floor(rnd() * 4); n > 0; n--) {
    const from = Math.floor(rnd() * (out.length + 1));
    const to = Math.min(out.length, from + Math.floor(rnd() * 8));
    out = out.slice(0, from) + sample(rnd, 4) + out.slice(to);
  }
  return out;
}
