// Where this program lies, what it is called, and how another program starts it. The same from the bundle and from its sources.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with our package.json, found upwards, because the bundle and the sources lie at different depths. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

export interface Installation {
  folder: string;
  version: string;
  /** The folder of the built console. */
  web: string;
}

export function findInstallation(): Installation {
  const folder = packageFolder();
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { folder, version, web: join(folder, 'dist', 'web') };
}

/** How a client starts the stdio side. An absolute Node: a client's own PATH may hold another one, or none. */
export function launchOf({ folder }: Pick<Installation, 'folder'>, home: string | undefined): { command: string; args: string[] } {
  const homeArgs = home === undefined ? [] : ['--home', home];
  return { command: process.execPath, args: [join(folder, 'dist', 'bridge', 'main.js'), 'stdio', ...homeArgs] };
}
