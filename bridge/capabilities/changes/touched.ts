// Which files and folders the steps of one change touch, told by what they are on disk and not by how they are spelt.
import type { Located } from '../../base/fs/root.ts';
import { Failed } from '../../failed.ts';

export interface Touched {
  /** CONFLICT when the file was touched already, under this spelling or another. */
  file(located: Located): void;
  /** A folder that is going to be made. CONFLICT when a file is going to be there. */
  folder(path: string): void;
  isMade(path: string): boolean;
}

/** On these systems a disk usually takes two spellings of one name for one file. */
const foldsNames = (platform: NodeJS.Platform): boolean => platform === 'darwin' || platform === 'win32';

export function createTouched(platform: NodeJS.Platform = process.platform): Touched {
  const named = (path: string) => (foldsNames(platform) ? path.normalize('NFC').toLowerCase() : path);
  const files = new Map<string, string>();
  const folders = new Set<string>();
  const take = (key: string, path: string) => {
    const other = files.get(key);
    if (other === undefined) return void files.set(key, path);
    const spelt = other === path ? '' : `, once as ${JSON.stringify(other)}`;
    throw new Failed('CONFLICT', `One change touches ${JSON.stringify(path)} twice${spelt}. Nothing was changed.`, {
      recovery: 'Join the two into one, or send them as two changes.',
      detail: { path, other },
    });
  };
  return {
    file(located) {
      const { relative, stats } = located;
      if (folders.has(named(relative))) throw bothWays(relative);
      take(`path:${named(relative)}`, relative);
      if (stats !== null) take(`file:${stats.dev}:${stats.ino}`, relative);
    },
    folder(path) {
      if (files.has(`path:${named(path)}`)) throw bothWays(path);
      folders.add(named(path));
    },
    isMade: (path) => folders.has(named(path)),
  };
}

const bothWays = (path: string): Failed =>
  new Failed('CONFLICT', `One change would make ${JSON.stringify(path)} both a file and a folder. Nothing was changed.`, {
    detail: { path },
  });
