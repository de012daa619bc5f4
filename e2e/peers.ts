// Other people's programs that tests and the bench run against: installed on first use into a cache of their own, never into the lock.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';

const cache = join(import.meta.dirname, '..', '.cache', 'peers');

/** The folder of the installed package, for example `…/node_modules/@scope/name`. Installs it when that version is not there. */
export async function ensurePeer(name: string, version: string): Promise<string> {
  const place = join(cache, basename(name));
  if (versionAt(place, name) === version) return packageAt(place, name);
  mkdirSync(cache, { recursive: true });
  // Installed aside and moved into place whole: a broken install, or another test that does the same, is never half seen.
  const aside = mkdtempSync(join(cache, '.installing-'));
  try {
    const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await execa('npm', ['install', '--prefix', aside, ...flags, `${name}@${version}`], { cwd: aside, stdin: 'ignore' });
    if (versionAt(place, name) !== version) {
      rmSync(place, { recursive: true, force: true });
      renameSync(aside, place);
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return packageAt(place, name);
}

/** The absolute path of a program that the package offers. */
export function programOf(folder: string, program: string): string {
  const { bin } = manifestAt(folder) as { bin: Record<string, string> };
  const relative = bin[program];
  if (relative === undefined) throw new Error(`${basename(dirname(folder))}/${basename(folder)} has no program ${program}.`);
  return join(folder, relative);
}

/** A port that was free a moment ago, for a program that has to be told one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const packageAt = (place: string, name: string): string => join(place, 'node_modules', name);
const manifestAt = (folder: string): unknown => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function versionAt(place: string, name: string): string | null {
  const folder = packageAt(place, name);
  return existsSync(join(folder, 'package.json')) ? (manifestAt(folder) as { version: string }).version : null;
}
