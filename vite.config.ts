// Builds the console into dist/web and holds the test settings of the whole repository. Nothing is inlined: the CSP allows no inline script.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };
const publicDir = new URL('web/public/', import.meta.url);

/** Tells the service worker which files make up this build; the same files always have the same version. */
function shellList(): Plugin {
  return {
    name: 'drawbridge-shell-list',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const worker = bundle['sw.js'];
        if (worker?.type !== 'chunk' || worker.imports.length > 0) throw new Error('The service worker must be one file of the build.');
        const built = Object.values(bundle).filter((file) => file !== worker && !file.fileName.endsWith('.map'));
        const hash = createHash('sha256').update(worker.code);
        for (const file of built) hash.update(file.fileName).update(file.type === 'chunk' ? file.code : file.source);
        const paths = built.map((file) => (file.fileName === 'index.html' ? '/' : `/${file.fileName}`));
        const files = [...paths, ...readdirSync(publicDir).map((name) => `/${name}`)].sort();
        const shell = JSON.stringify({ version: hash.digest('hex').slice(0, 16), files });
        worker.code = worker.code.replace('__DRAWBRIDGE_SHELL__', () => shell);
      },
    },
  };
}

export default defineConfig({
  root: 'web',
  plugins: [svelte({ configFile: false }), shellList()],
  define: { __DRAWBRIDGE_VERSION__: JSON.stringify(version) },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: 'web/index.html', sw: 'web/service-worker.ts' },
      output: { entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js') },
    },
  },
  test: {
    root: import.meta.dirname,
    environment: 'node',
    include: ['shared/**/*.test.ts', 'bridge/**/*.test.ts', 'web/**/*.test.ts', 'e2e/**/*.test.ts'],
    setupFiles: ['bridge/testing/cleanup.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', './bridge/setup/plain-line-reporter.mjs'],
  },
});
