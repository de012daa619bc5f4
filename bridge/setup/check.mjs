// npm run check: types, lint, format and dependency direction. Every check runs, so that one failure does not hide another.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, root, setUp } from './install.mjs';

const sources = ['shared', 'bridge', 'web', 'e2e'].filter((folder) => existsSync(join(root, folder)));

const checks = {
  'types of bridge and shared': ['typescript/bin/tsc', '-p', '.'],
  'types of the console': ['svelte-check/bin/svelte-check', '--tsconfig', 'web/tsconfig.json', '--fail-on-warnings'],
  lint: ['eslint/bin/eslint.js', '.', '--max-warnings', '0'],
  format: ['prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
  'dependency direction': ['dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.mjs', ...sources],
};

await setUp(ensureInstalled);

const failed = Object.entries(checks).filter(([name, [script, ...args]]) => {
  const { status, error } = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], { cwd: root, stdio: 'inherit' });
  if (error !== undefined) throw error;
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  return status !== 0;
});
process.exit(failed.length === 0 ? 0 : 1);
