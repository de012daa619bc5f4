// Brings a clone to where it can run: what is missing or stale is installed and built, and all of that talk goes to stderr.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, isInstalled, rememberBuilt, rememberInstalled } from './stale.mjs';

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

export function ensureInstalled() {
  if (isInstalled(root)) return;
  tell('Installing what Drawbridge needs; the first time takes a minute or two.');
  const args = ['ci', '--loglevel=error', '--include=dev', '--include=optional'];
  const npm = process.env.npm_execpath;
  const status = npm?.endsWith('.js') ? node(npm, ...args) : runQuietly(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  if (status !== 0) throw new SetupFailed('npm could not install what is needed; its own words are above.');
  rememberInstalled(root);
}

const lock = ['package.json', 'package-lock.json'];
const builds = [
  {
    name: 'web',
    sources: ['web', 'shared', 'vite.config.ts', ...lock],
    result: 'dist/web/index.html',
    command: [at('node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'],
  },
  {
    name: 'bridge',
    sources: ['bridge', 'shared', 'rolldown.config.mjs', ...lock],
    result: 'dist/bridge/main.js',
    command: [at('node_modules', 'rolldown', 'bin', 'cli.mjs'), '-c', 'rolldown.config.mjs', '--log-level', 'warn'],
  },
];

export function ensureBuilt() {
  for (const build of builds.filter((each) => !isBuilt(root, each))) {
    tell(`Building the ${build.name}.`);
    if (node(...build.command) !== 0 || !existsSync(at(build.result)))
      throw new SetupFailed(`The ${build.name} could not be built; the reason is above.`);
    rememberBuilt(root, build);
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
