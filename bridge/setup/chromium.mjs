// Finds a Chromium that starts, or gets one: the system's, else Playwright's download, else the package manager's when we are root.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { APT, installWithApt } from './apt.mjs';
import { root, runQuietly, SetupFailed, tell } from './install.mjs';

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** What was named comes first, then the system's, then the one that Playwright would download. */
export const candidatesOf = (env, own) => [env.DRAWBRIDGE_CHROMIUM, env.CHROME_PATH, ...SYSTEM, own];

/** A browser that is there but lacks a library is no browser: it has to say its version. */
const starts = (path) => typeof path === 'string' && existsSync(path) && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0;

export const firstThatStarts = (paths) => paths.find(starts);

async function playwrightsOwn() {
  const { chromium } = await import(pathToFileURL(join(root, 'node_modules', 'playwright', 'index.mjs')).href);
  return chromium.executablePath();
}

const fromPlaywright = () => runQuietly(process.execPath, [join(root, 'node_modules', 'playwright', 'cli.js'), 'install', 'chromium']);

function fromApt() {
  installWithApt('chromium');
}

/** How one can be got here, the least intrusive first. Only root may ask the package manager. */
export const waysFor = ({ uid, apt }) => (uid === 0 && existsSync(apt) ? [fromPlaywright, fromApt] : [fromPlaywright]);

/** Looks, and after each way to get one looks again; undefined when none of them brought one that starts. */
export async function findOrGet(find, ways) {
  let found = await find();
  for (const getOne of ways) {
    if (found !== undefined) break;
    tell('No Chromium starts here yet; getting one for the tests.');
    await getOne();
    found = await find();
  }
  return found;
}

/** The Chromium that everything here uses, if one starts. */
export const findChromium = async () => firstThatStarts(candidatesOf(process.env, await playwrightsOwn()));

/** The path of a Chromium that starts. */
export async function ensureChromium() {
  const found = await findOrGet(findChromium, waysFor({ uid: process.getuid?.(), apt: APT }));
  if (found !== undefined) return found;
  throw new SetupFailed(
    'The tests need a Chromium, and none could be found or fetched. Install one (for example "apt-get install chromium") or name it in DRAWBRIDGE_CHROMIUM.',
  );
}
