// Bundles a test program: node test/build.mjs INPUT OUTPUT
import { rolldown } from 'rolldown';

const [input, file] = process.argv.slice(2);
const bundle = await rolldown({ input, external: ['electron', /^node:/], platform: 'node' });
await bundle.write({ file, format: file.endsWith('.cjs') ? 'cjs' : 'esm', codeSplitting: false });
await bundle.close();
