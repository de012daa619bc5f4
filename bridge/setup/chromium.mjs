// Finds a Chromium that starts, or gets one: the system's, else Playwright's download, else the package manager's when we are root.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, runQuietly, SetupFailed, tell } from './install.mjs';

const known = [
  process.env.DRAWBRIDGE_CHROMIUM,
  process.env.CHROME_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** A browser that is there but lacks a library is no browser: it has to say its version. */
const starts = (path) => typeof path === 'string' && existsSync(path) && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0;

async function playwrightsOwn() {
  const { chromium } = await import(pathToFileURL(join(root, 'node_modules', 'playwright', 'index.mjs')).href);
  return chromium.executablePath();
}

const fromPlaywright = () => runQuietly(process.execPath, [join(root, 'node_modules', 'playwright', 'cli.js'), 'install', 'chromium']);

function fromApt() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  // It is asked nothing: there may be nobody at the terminal.
  process.env.DEBIAN_FRONTEND = 'noninteractive';
  runQuietly('/usr/bin/apt-get', ['update', '-qq']);
  runQuietly('/usr/bin/apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium']);
}

/** The path of a Chromium that starts. */
export async function ensureChromium() {
  const find = async () => [...known, await playwrightsOwn()].find(starts);
  let found = await find();
  for (const fetchOne of [fromPlaywright, fromApt]) {
    if (found !== undefined) return found;
    tell('No Chromium starts here yet; getting one for the tests.');
    fetchOne();
    found = await find();
  }
  if (found !== undefined) return found;
  throw new SetupFailed(
    'The tests need a Chromium, and none could be found or fetched. Install one (for example "apt-get install chromium") or name it in DRAWBRIDGE_CHROMIUM.',
  );
}
