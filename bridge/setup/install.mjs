// Brings a clone to where it can run: what is missing or stale is installed and built, and all of that talk goes to stderr.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const at = (...names) => join(root, ...names);

export const tell = (line) => process.stderr.write(`${line}\n`);

/** A step that cannot go on; what it says is all a reader needs. */
export class SetupFailed extends Error {}

/** Runs a program with everything it prints on stderr, because stdout may belong to one JSON line. */
export function runQuietly(file, args) {
  const { status, error } = spawnSync(file, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error !== undefined && error.code !== 'ENOENT') throw error;
  return status ?? 1;
}

const node = (...args) => runQuietly(process.execPath, args);

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : null);

/** What an installation depends on: the lock, and the Node whose native modules were compiled. */
const installStamp = () =>
  `${sha256(readFileSync(at('package-lock.json')))} ${process.versions.modules} ${process.platform} ${process.arch}`;
const stampFile = () => at('node_modules', '.drawbridge-stamp');

function isInstalled() {
  const npmsOwn = at('node_modules', '.package-lock.json');
  // npm writes its own lock last: without it an installation was cut short.
  if (!existsSync(npmsOwn)) return false;
  const stamp = read(stampFile());
  if (stamp !== null) return stamp === installStamp();
  return statSync(npmsOwn).mtimeMs >= statSync(at('package-lock.json')).mtimeMs;
}

export function ensureInstalled() {
  if (isInstalled()) return;
  tell('Installing what Drawbridge needs; the first time takes a minute or two.');
  const args = ['ci', '--loglevel=error', '--include=dev', '--include=optional'];
  const npm = process.env.npm_execpath;
  const status = npm?.endsWith('.js') ? node(npm, ...args) : runQuietly(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  if (status !== 0) throw new SetupFailed('npm could not install what is needed; its own words are above.');
  writeFileSync(stampFile(), installStamp());
}

const builds = {
  web: {
    sources: ['web', 'shared', 'vite.config.ts', 'package.json', 'package-lock.json'],
    result: at('dist', 'web', 'index.html'),
    command: [at('node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'],
  },
  bridge: {
    sources: ['bridge', 'shared', 'rolldown.config.mjs', 'package.json', 'package-lock.json'],
    result: at('dist', 'bridge', 'main.js'),
    command: [at('node_modules', 'rolldown', 'bin', 'cli.mjs'), '-c', 'rolldown.config.mjs', '--log-level', 'warn'],
  },
};

/** Every source with its size and time, so that an added, changed and removed file all count. */
function fingerprint(sources) {
  const lines = sources
    .flatMap((source) => filesUnder(at(source)))
    .map((file) => {
      const { size, mtimeMs } = statSync(file);
      return `${file} ${size} ${mtimeMs}`;
    });
  return sha256(lines.join('\n'));
}

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.name.includes('.test.'))
    .flatMap((entry) => filesUnder(join(path, entry.name)))
    .sort();
}

export function ensureBuilt() {
  for (const [name, { sources, result, command }] of Object.entries(builds)) {
    const stamp = at('dist', `.${name}-stamp`);
    const wanted = fingerprint(sources);
    if (existsSync(result) && read(stamp) === wanted) continue;
    tell(`Building the ${name}.`);
    if (node(...command) !== 0 || !existsSync(result)) throw new SetupFailed(`The ${name} could not be built; the reason is above.`);
    mkdirSync(at('dist'), { recursive: true });
    writeFileSync(stamp, wanted);
  }
}

/** Runs the steps of one script; a step that cannot go on ends it with its words and code 1. */
export async function setUp(steps) {
  try {
    await steps();
  } catch (error) {
    if (!(error instanceof SetupFailed)) throw error;
    tell(error.message);
    process.exit(1);
  }
}
