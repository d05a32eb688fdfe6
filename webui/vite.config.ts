import { defineConfig } from 'vitest/config';

// The output goes into the gateway's binary, so it has to be the same on every
// machine: names by content, nothing inline, nothing that needs a looser CSP.
export default defineConfig({
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'static/app',
    emptyOutDir: true,
    target: 'chrome120',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The editor, which is loaded when the source is first shown; scripts/sizes.mjs holds the bar.
    chunkSizeWarningLimit: 700,
    manifest: false,
    rollupOptions: {
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
  test: {
    // Stores and pure functions need no DOM; a test that does says so at its top
    // with "@vitest-environment happy-dom".
    environment: 'node',
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
  },
});
