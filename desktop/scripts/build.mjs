// Builds the shell: one file for each environment, in dist/. A sandboxed preload
// can load nothing beside itself, so everything is bundled.
import { cp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { rolldown } from 'rolldown';

const out = new URL('../dist/', import.meta.url).pathname;
await rm(out, { recursive: true, force: true });
for (const [input, file] of [
  ['src/main.ts', 'main.cjs'],
  ['src/shell/shell.preload.ts', 'shell.preload.cjs'],
  ['src/overlay/overlay.preload.ts', 'overlay.preload.cjs'],
  ['src/overlay/overlay.dom.ts', 'overlay.js'],
]) {
  if (!existsSync(input)) continue;
  const bundle = await rolldown({
    input,
    external: ['electron', /^node:/],
    platform: file === 'overlay.js' ? 'browser' : 'node',
  });
  await bundle.write({ file: out + file, format: file === 'overlay.js' ? 'iife' : 'cjs', codeSplitting: false });
  await bundle.close();
}
await cp(new URL('../src/overlay/overlay.html', import.meta.url), out + 'overlay.html');
await cp(new URL('../src/overlay/overlay.css', import.meta.url), out + 'overlay.css');
await cp(new URL('../packaging/icon.png', import.meta.url), out + 'icon.png');
