// What this machine offers and what it lacks, each found by trying it, with the mend for what is missing.
import { existsSync, linkSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../base/process/run.ts';
import type { Place } from './home.ts';

export interface Check {
  name: string;
  /** `missing` stops something that is needed; `limited` only narrows what can be done. */
  status: 'ok' | 'missing' | 'limited';
  found: string;
  mend: string | null;
}

const PROBE_DEADLINE_MS = 5_000;
const NODE_LEAST = [20, 19] as const;

export async function checkMachine(place: Place): Promise<Check[]> {
  return [
    nodeVersion(),
    consoleBuilt(place),
    ...(await Promise.all([ripgrep(), git(), chromium(), sandbox()])),
    stateFolder(place.locations.home),
    await fileSystem(),
  ];
}

const ok = (name: string, found: string): Check => ({ name, status: 'ok', found, mend: null });
const missing = (name: string, found: string, mend: string): Check => ({ name, status: 'missing', found, mend });
const limited = (name: string, found: string, mend: string): Check => ({ name, status: 'limited', found, mend });

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > NODE_LEAST[0] || (major === NODE_LEAST[0] && minor >= NODE_LEAST[1]);
  return isEnough
    ? ok('node', process.versions.node)
    : missing('node', process.versions.node, `Install Node ${NODE_LEAST.join('.')} or newer.`);
}

function consoleBuilt({ installation }: Place): Check {
  return existsSync(join(installation.web, 'index.html'))
    ? ok('console', 'built')
    : missing('console', 'not built', 'Run "npm start" or "npm run build" in the folder of Drawbridge.');
}

/** The first line a program says of itself, or null when there is none to start. */
async function firstLine(file: string, args: string[]): Promise<string | null> {
  let text = '';
  try {
    const { exitCode } = await run({
      file,
      args,
      cwd: tmpdir(),
      deadlineMs: PROBE_DEADLINE_MS,
      onStdout: (chunk) => void (text += chunk.toString()),
    });
    return exitCode === 0 ? (text.split('\n')[0] ?? '').trim() : null;
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

async function ripgrep(): Promise<Check> {
  const { rgPath } = await import('@vscode/ripgrep');
  const version = await firstLine(rgPath, ['--version']);
  return version === null
    ? missing('ripgrep', 'does not start', 'Install again with "npm ci" in the folder of Drawbridge.')
    : ok('ripgrep', version);
}

async function git(): Promise<Check> {
  const version = await firstLine('git', ['--version']);
  return version === null ? limited('git', 'not found', 'Install git to see branches and history.') : ok('git', version);
}

/** Names a Chromium goes by, best known first. Only the tests need one; the console opens in any browser. */
const chromiums = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

async function chromium(): Promise<Check> {
  const versions = await Promise.all(chromiums.map((name) => firstLine(name, ['--version'])));
  const version = versions.find((each) => each !== null);
  return version === undefined
    ? limited('chromium', 'not found', 'Only "npm test" needs one, and it fetches its own.')
    : ok('chromium', version);
}

async function sandbox(): Promise<Check> {
  const mend = 'Commands will then each need your approval.';
  if (process.platform === 'darwin')
    return existsSync('/usr/bin/sandbox-exec') ? ok('sandbox', 'sandbox-exec') : limited('sandbox', 'sandbox-exec not found', mend);
  if (process.platform !== 'linux') return limited('sandbox', 'none for this system', mend);
  const version = await firstLine('bwrap', ['--version']);
  if (version === null) return limited('sandbox', 'bubblewrap not found', `Install bubblewrap (apt-get install bubblewrap). ${mend}`);
  // Some systems ship it and forbid it: only a namespace that opens counts.
  const opens = await firstLine('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--', 'true']);
  return opens === null
    ? limited('sandbox', `${version}, but this system forbids it`, 'Allow unprivileged user namespaces. ' + mend)
    : ok('sandbox', version);
}

/** Whether anyone else on this machine could read the state. */
function stateFolder(home: string): Check {
  if (!existsSync(home)) return ok('state folder', `${home} (made at the first start)`);
  const stats = statSync(home);
  const isOurs = process.getuid === undefined || stats.uid === process.getuid();
  if (!isOurs) return missing('state folder', `${home} belongs to another account`, 'Choose another folder with --home.');
  const open = [home, ...readdirSync(home).map((name) => join(home, name))].filter((path) => (statSync(path).mode & 0o077) !== 0);
  if (process.platform === 'win32' || open.length === 0) return ok('state folder', home);
  return missing('state folder', `others may read ${open.join(', ')}`, `Run: chmod -R go-rwx '${home.replaceAll("'", "'\\''")}'`);
}

/** What the temporary folder's file system can do; projects on another one may do less, and then say so call by call. */
async function fileSystem(): Promise<Check> {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-doctor-'));
  try {
    const file = join(folder, 'a');
    writeFileSync(file, '');
    const able = [
      ['hard links', attempt(() => linkSync(file, join(folder, 'b')))],
      ['symbolic links', attempt(() => symlinkSync('a', join(folder, 'c')))],
      ['extended attributes', await hasAttributes(file)],
      ['descriptor paths', existsSync('/proc/self/fd')],
      ['letter case', !existsSync(join(folder, 'A'))],
    ] as const;
    const lacking = able.filter(([, has]) => !has).map(([what]) => what);
    const having = able.filter(([, has]) => has).map(([what]) => what);
    return lacking.length === 0
      ? ok('file system', having.join(', '))
      : limited('file system', `without ${lacking.join(', ')}`, 'Nothing to mend: the bridge checks more often where these are missing.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code === 'string') return false;
    throw error;
  }
}

async function hasAttributes(file: string): Promise<boolean> {
  const { setAttributeSync } = await import('fs-xattr');
  return attempt(() => setAttributeSync(file, 'user.drawbridge', Buffer.from('1')));
}
