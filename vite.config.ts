// Builds the console into dist/web and holds the test settings of the whole repository. Nothing is inlined: the CSP allows no inline script.
import { readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

export default defineConfig({
  root: 'web',
  plugins: [svelte({ configFile: false })],
  define: { __DRAWBRIDGE_VERSION__: JSON.stringify(version) },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    root: import.meta.dirname,
    environment: 'node',
    include: ['shared/**/*.test.ts', 'bridge/**/*.test.ts', 'web/**/*.test.ts', 'e2e/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', './bridge/setup/plain-line-reporter.mjs'],
  },
});
