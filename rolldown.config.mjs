// Bundles the bridge into dist/bridge. Commands stay separate chunks, so that `stdio` starts without what only `start` needs.
import { chmodSync, rmSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const outDir = 'dist/bridge';

export default defineConfig({
  input: { main: 'bridge/main.ts' },
  platform: 'node',
  // The lowest Node that package.json names; `using` is lowered for it.
  transform: { target: 'node20' },
  // Native or bringing a program of their own: they stay where npm put them. The last two are optional parts of ws.
  external: ['better-sqlite3', 'fs-xattr', '@vscode/ripgrep', 'bufferutil', 'utf-8-validate'],
  plugins: [
    {
      name: 'program',
      buildStart: () => rmSync(outDir, { recursive: true, force: true }),
      writeBundle: () => chmodSync(`${outDir}/main.js`, 0o755),
    },
  ],
  output: {
    dir: outDir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    banner: (chunk) => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
  },
});
