// A project is its directory, not its path: device, inode and birth time prove that it is still the same one.
import { lstatSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import type { Readiness } from '#shared/contracts/projects.ts';

export interface Identity {
  device: string;
  inode: string;
  /** Nanoseconds as text; null where the file system keeps none. */
  birthNs: string | null;
}

type Unusable = { readiness: Exclude<Readiness, 'ready' | 'removed' | 'replaced'> };
export type Glance = { identity: Identity } | Unusable;
export type Sight = { identity: Identity; root: string } | Unusable;

/** Looks at a directory without following a link in its last name. Synchronous: it is asked for every call and takes microseconds. */
export function glance(path: string): Glance {
  try {
    const stats = lstatSync(path, { bigint: true });
    if (stats.isSymbolicLink()) return { readiness: 'symlinked' };
    if (!stats.isDirectory()) return { readiness: 'invalid' };
    const birthNs = stats.birthtimeNs > 0n ? String(stats.birthtimeNs) : null;
    return { identity: { device: String(stats.dev), inode: String(stats.ino), birthNs } };
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { readiness: 'missing' };
    if (code === 'EACCES' || code === 'EPERM' || code === 'ELOOP') return { readiness: 'inaccessible' };
    throw thrown;
  }
}

/** The same with the real path of the directory, for registering it. */
export async function sight(path: string): Promise<Sight> {
  const seen = glance(path);
  return 'identity' in seen ? { ...seen, root: await realpath(path) } : seen;
}

/**
 * Whether two sightings are one directory. Inode and birth time decide where there is a birth time, since a device
 * number can change with the next mount; without one the device must agree as well (an inode alone is reused).
 */
export function isSameDirectory(a: Identity, b: Identity): boolean {
  if (a.inode !== b.inode || a.birthNs !== b.birthNs) return false;
  return a.birthNs !== null || a.device === b.device;
}
