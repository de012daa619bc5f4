// Where a project path leads on disk: walked name by name without following, and never out of the root.
import { lstatSync, realpathSync, type BigIntStats } from 'node:fs';
import { basename, sep } from 'node:path';
import { Failed } from '../../failed.ts';

export interface Located {
  /** Canonical, with "/" between names; "." for the root itself. Links are already followed in it. */
  relative: string;
  absolute: string;
  kind: 'file' | 'directory' | 'absent' | 'special';
  /** Whether a link inside the root was followed on the way. */
  viaLink: boolean;
  stats: BigIntStats | null;
}

const MAX_LINKS = 40;
/** Where two spellings can name one file, the disk's own is the canonical one. */
const foldsCase = process.platform === 'darwin' || process.platform === 'win32';

/** The root and a canonical relative path as one absolute path; works for a trailing separator and for "/" itself. */
export function underRoot(rootPath: string, relative: string): string {
  if (relative === '.') return trimmed(rootPath);
  return baseOf(rootPath) + (sep === '/' ? relative : relative.replaceAll('/', sep));
}

/** Of the root that was asked for last: a walk asks many thousand times for one. */
let latest = { rootPath: '', base: '' };

function baseOf(rootPath: string): string {
  if (latest.rootPath !== rootPath || rootPath === '') {
    const root = trimmed(rootPath);
    latest = { rootPath, base: root.endsWith(sep) ? root : root + sep };
  }
  return latest.base;
}

/** What `absolute` is called inside the root, or null when it is outside. Compares whole names, never prefixes. */
export function insideRoot(rootPath: string, absolute: string): string | null {
  const root = trimmed(rootPath);
  if (absolute === root) return '.';
  const base = root.endsWith(sep) ? root : root + sep;
  return absolute.startsWith(base) ? absolute.slice(base.length).split(sep).join('/') : null;
}

/**
 * Follows `relative` from the root. Metadata is asked synchronously: each question takes microseconds, and what is
 * learnt stays true for the shortest possible time before the caller opens the file and proves it again.
 */
export async function resolveInside(rootPath: string, relative: string): Promise<Located> {
  refuseMovedRoot(rootPath);
  const walk: Walk = { rootPath, done: [], rest: namesOf(relative), links: 0 };
  let stats: BigIntStats | undefined;
  while (walk.rest.length > 0) {
    const name = walk.rest.shift() as string;
    stats = look(walk, name);
    if (stats === undefined) return located(walk, [...walk.done, name, ...walk.rest], undefined);
    if (stats.isSymbolicLink()) {
      followLink(walk, name);
      stats = undefined;
    } else {
      if (!stats.isDirectory() && walk.rest.length > 0) throw denied(relative, 'a name in the middle of it is not a directory');
      walk.done.push(foldsCase ? basename(realpathSync.native(underRoot(rootPath, [...walk.done, name].join('/')))) : name);
    }
  }
  return located(walk, walk.done, stats ?? look(walk, null));
}

interface Walk {
  rootPath: string;
  done: string[];
  rest: string[];
  links: number;
}

function located(walk: Walk, names: string[], stats: BigIntStats | undefined): Located {
  const relative = names.length === 0 ? '.' : names.join('/');
  const absolute = underRoot(walk.rootPath, relative);
  return { relative, absolute, kind: kindOf(stats), viaLink: walk.links > 0, stats: stats ?? null };
}

function kindOf(stats: BigIntStats | undefined): Located['kind'] {
  if (stats === undefined) return 'absent';
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'directory' : 'special';
}

function look(walk: Walk, name: string | null): BigIntStats | undefined {
  const names = name === null ? walk.done : [...walk.done, name];
  const relative = names.join('/') || '.';
  try {
    return lstatSync(underRoot(walk.rootPath, relative), { bigint: true, throwIfNoEntry: false });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENAMETOOLONG') throw denied(relative, 'a name in it is too long for this disk', cause);
    if (code === 'EACCES' || code === 'EPERM') throw denied(relative, 'the operating system does not allow it', cause);
    if (code === 'ENOTDIR' || code === 'ELOOP') throw denied(relative, 'it changed while it was looked up', cause);
    throw cause;
  }
}

/** One text for both, so that a link cannot be used to learn what exists outside. */
const LED_ASTRAY = 'it is a link that leads nowhere or out of the project';

/** Replaces the link by its real target, which must exist and lie inside the root. Says nothing of where it led. */
function followLink(walk: Walk, name: string): void {
  const relative = [...walk.done, name].join('/');
  walk.links += 1;
  if (walk.links > MAX_LINKS) throw denied(relative, 'it goes through too many links');
  let target: string;
  try {
    target = realpathSync.native(underRoot(walk.rootPath, relative));
  } catch (cause) {
    throw denied(relative, LED_ASTRAY, cause);
  }
  const inside = insideRoot(walk.rootPath, target);
  if (inside === null) throw denied(relative, LED_ASTRAY);
  walk.done = namesOf(inside);
}

function refuseMovedRoot(rootPath: string): void {
  const stats = lstatSync(trimmed(rootPath), { throwIfNoEntry: false });
  if (!stats?.isDirectory())
    throw new Failed('PATH_DENIED', 'The project folder is no longer a real directory. Nothing was read or changed.');
}

function namesOf(relative: string): string[] {
  const names = relative.split('/').filter((name) => name !== '' && name !== '.');
  if (relative.startsWith('/') || names.includes('..') || relative.includes('\0'))
    throw new Failed('PATH_DENIED', 'The path is not a relative path inside the project. Nothing was read or changed.');
  return names;
}

function trimmed(rootPath: string): string {
  const path = rootPath.replace(sep === '/' ? /\/+$/ : /[\\/]+$/, '');
  return path === '' || /^[A-Za-z]:$/.test(path) ? path + sep : path;
}

function denied(relative: string, reason: string, cause?: unknown): Failed {
  return new Failed('PATH_DENIED', `${JSON.stringify(relative)} was refused: ${reason}. Nothing was read or changed.`, { cause });
}
