// The single list of paths on disk that are the bridge's own. No operation may read or write any of them.
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Fatal } from './failed.ts';

export interface Locations {
  home: string;
  database: string;
  blobs: string;
  /** Stand-ins for repositories, each for one call. */
  git: string;
  /** What jobs wrote. */
  jobs: string;
  lock: string;
  socket: string;
  /** The folder of the built console. */
  web: string;
}

/** The OS's own place for configuration, by its conventions. */
function configFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
}

/** `--home`, else DRAWBRIDGE_HOME, else the configuration folder. Touches nothing. */
export function locationsOf(home: string | undefined, web: string): Locations {
  const folder = resolve(home ?? (process.env['DRAWBRIDGE_HOME'] || join(configFolder(process.env, process.platform), 'drawbridge')));
  return {
    home: folder,
    database: join(folder, 'state.sqlite'),
    blobs: join(folder, 'blobs'),
    git: join(folder, 'git'),
    jobs: join(folder, 'jobs'),
    lock: join(folder, 'bridge.lock'),
    socket: join(folder, 'bridge.sock'),
    web,
  };
}

/** Makes the state folder for this account only. A folder that holds other things is never narrowed: it may be someone's whole home. */
export function makeHome({ home, database }: Locations): void {
  if (mkdirSync(home, { recursive: true, mode: 0o700 }) !== undefined) return;
  const { uid, mode } = statSync(home);
  if (process.getuid !== undefined && uid !== process.getuid())
    throw new Fatal(1, `The state folder ${home} belongs to another account. Choose another one with --home; nothing was changed.`);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  if (!existsSync(database) && readdirSync(home).length > 0)
    throw new Fatal(
      1,
      `${home} is open to other accounts and holds other things. Choose another state folder with --home; nothing was changed.`,
    );
  chmodSync(home, 0o700);
}
