// `npm run bench`: installs and builds what is missing, then measures. Peers go to a folder of their own, never into the lock.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare } from './install.mjs';

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
await prepare();
const bench = spawnSync(process.execPath, ['--import', 'tsx', join(repository, 'e2e/bench/main.ts'), ...process.argv.slice(2)], {
  cwd: repository,
  stdio: 'inherit',
});
process.exit(bench.status ?? 1);
