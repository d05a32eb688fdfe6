// node bench.mjs ROUNDS: reads a page from standard input and prints the
// milliseconds parse5 takes to parse it with source locations, the median of
// the rounds, as JSON.
import { readFileSync } from 'node:fs';
import { parse } from 'parse5';

const rounds = Number(process.argv[2] ?? 9);
const page = readFileSync(0, 'utf8');
const once = () => {
  const begin = performance.now();
  const document = parse(page, { sourceCodeLocationInfo: true });
  if (document.childNodes.length === 0) throw new Error('no document');
  return performance.now() - begin;
};
for (let i = 0; i < 3; i++) once(); // the compiler warms up
const times = Array.from({ length: rounds }, once).sort((a, b) => a - b);
console.log(JSON.stringify({ parse5: times[rounds >> 1] }));
