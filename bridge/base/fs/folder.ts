// A directory held by a descriptor: names looked up through it cannot be redirected by swapping one of its parents.
import { closeSync, constants, existsSync, fstatSync, fsync, lstatSync, openSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failed } from '../../failed.ts';
import { underRoot } from './root.ts';

export interface Folder {
  readonly fd: number;
  /** The directory itself for node:fs, under the same protection as its entries. */
  readonly path: string;
  /** The path of an entry for node:fs. On Linux it goes through the descriptor; elsewhere it is checked again here. */
  at(name: string): string;
  /** Makes the entries durable. */
  sync(): Promise<void>;
  close(): void;
}

const flush = promisify(fsync);
const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/** Opens a directory of the root without following a link, and proves that it is the one that was named. */
export async function openFolder(rootPath: string, relativeDir: string): Promise<Folder> {
  return openFolderSync(rootPath, relativeDir);
}

export function openFolderSync(rootPath: string, relativeDir: string): Folder {
  const expected = underRoot(rootPath, relativeDir);
  const fd = openDirectory(expected, relativeDir);
  const prove = () => {
    if (!isStillAt(fd, expected)) throw moved(relativeDir);
  };
  try {
    prove();
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  const path = hasDescriptorPaths ? `/proc/self/fd/${fd}` : expected;
  return {
    fd,
    path,
    at(name) {
      if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
        throw new Failed('PATH_DENIED', 'An entry of a folder is one plain name. Nothing was changed.');
      if (!hasDescriptorPaths) prove();
      return join(path, name);
    },
    sync: () => flush(fd),
    close: () => closeSync(fd),
  };
}

function openDirectory(path: string, relativeDir: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw new Failed('NOT_FOUND', `There is no folder ${JSON.stringify(relativeDir)} in the project.`, { cause });
    if (code === 'ENOTDIR' || code === 'ELOOP') throw moved(relativeDir, cause);
    if (code === 'EACCES' || code === 'EPERM')
      throw new Failed('PATH_DENIED', `The operating system does not allow access to ${JSON.stringify(relativeDir)}.`, { cause });
    throw cause;
  }
}

function isStillAt(fd: number, expected: string): boolean {
  if (hasDescriptorPaths) return readlinkSync(`/proc/self/fd/${fd}`) === expected;
  const named = lstatSync(expected, { bigint: true, throwIfNoEntry: false });
  const held = fstatSync(fd, { bigint: true });
  return named !== undefined && named.isDirectory() && named.dev === held.dev && named.ino === held.ino;
}

function moved(relativeDir: string, cause?: unknown): Failed {
  return new Failed(
    'PATH_DENIED',
    `The folder ${JSON.stringify(relativeDir)} is not the directory it was a moment ago. Nothing was read or changed.`,
    { cause },
  );
}
