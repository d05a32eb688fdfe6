// Prints what the build weighs, and fails where the workbench would start slower
// than it promises: the JavaScript that index.html loads is at most 120 kB gzip.
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const bar = 120 * 1024;
const dist = new URL('../static/app/', import.meta.url);
const html = readFileSync(new URL('index.html', dist), 'utf8');

if (/<script(?![^>]*\bsrc=)/.test(html) || /<style/.test(html) || /\sstyle=/.test(html)) {
  console.error('index.html has an inline script or style, which the CSP forbids');
  process.exit(1);
}

const weigh = (name) => gzipSync(readFileSync(new URL(`assets/${name}`, dist)), { level: 9 }).length;

/** The scripts that load before anything is shown: the entry and what it imports statically. */
function initial() {
  const seen = new Set();
  const queue = [...html.matchAll(/assets\/([^"']+\.js)/g)].map((m) => m[1]);
  while (queue.length > 0) {
    const name = queue.pop();
    if (seen.has(name)) continue;
    seen.add(name);
    const code = readFileSync(new URL(`assets/${name}`, dist), 'utf8');
    for (const m of code.matchAll(/(?:import|export)[^"'()]{0,2000}?["']\.\/([^"']+\.js)["']/g)) queue.push(m[1]);
  }
  return seen;
}

const first = initial();
let total = 0;
for (const name of readdirSync(new URL('assets/', dist)).sort()) {
  const bytes = weigh(name);
  const when = first.has(name) ? 'first' : 'later';
  if (first.has(name)) total += bytes;
  console.log(`${(bytes / 1024).toFixed(1).padStart(8)} kB  ${name.endsWith('.js') ? when : 'style'}  ${name}`);
}
console.log(`${(total / 1024).toFixed(1).padStart(8)} kB  initial JavaScript, gzip; the bar is ${bar / 1024} kB`);
if (total > bar) process.exit(1);
