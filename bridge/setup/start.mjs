// npm start: installs and builds what is missing, then becomes the bridge, so that signals and the exit code are its own.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, root, setUp } from './install.mjs';

await setUp(() => {
  ensureInstalled();
  ensureBuilt();
});

const program = join(root, 'dist', 'bridge', 'main.js');
process.argv = [process.execPath, program, 'start', ...process.argv.slice(2)];
await import(pathToFileURL(program).href);
