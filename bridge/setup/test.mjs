// npm test: installs what is missing, a Chromium included, builds, and runs every test. Its exit code is the tests'.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBubblewrap } from './bubblewrap.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureBuilt, ensureInstalled, root, setUp } from './install.mjs';

let chromium;
await setUp(async () => {
  ensureInstalled();
  chromium = await ensureChromium();
  ensureBubblewrap();
  ensureBuilt();
});

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status, error } = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, DRAWBRIDGE_CHROMIUM: chromium },
});
if (error !== undefined) throw error;
process.exit(status ?? 1);
