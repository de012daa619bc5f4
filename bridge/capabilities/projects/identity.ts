// A project is its directory, not its path: device, inode and birth time prove that it is still the same one.
import { lstat, realpath } from 'node:fs/promises';
import type { Readiness } from '#shared/contracts/projects.ts';

export interface Identity {
  device: string;
  inode: string;
  /** Nanoseconds as text; null where the file system keeps none. */
  birthNs: string | null;
}

export type Sight = { identity: Identity; root: string } | { readiness: Exclude<Readiness, 'ready' | 'removed' | 'replaced'> };

/** Looks at a directory without following a link in its last name. */
export async function sight(path: string): Promise<Sight> {
  try {
    const stats = await lstat(path, { bigint: true });
    if (stats.isSymbolicLink()) return { readiness: 'symlinked' };
    if (!stats.isDirectory()) return { readiness: 'invalid' };
    const identity = {
      device: String(stats.dev),
      inode: String(stats.ino),
      birthNs: stats.birthtimeNs > 0n ? String(stats.birthtimeNs) : null,
    };
    return { identity, root: await realpath(path) };
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { readiness: 'missing' };
    if (code === 'EACCES' || code === 'EPERM' || code === 'ELOOP') return { readiness: 'inaccessible' };
    throw thrown;
  }
}

/**
 * Whether two sightings are one directory. Inode and birth time decide where there is a birth time, since a device
 * number can change with the next mount; without one the device must agree as well (an inode alone is reused).
 */
export function isSameDirectory(a: Identity, b: Identity): boolean {
  if (a.inode !== b.inode || a.birthNs !== b.birthNs) return false;
  return a.birthNs !== null || a.device === b.device;
}
