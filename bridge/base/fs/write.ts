// Changing one folder entry at a time: durable before it shows, never over something that was not named, never through a link.
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { promisify } from 'node:util';
import { Failed } from '../../failed.ts';
import type { Folder } from './folder.ts';
import { applyMeta, type Meta } from './meta.ts';
import { writePieces, type Pieces } from './pieces.ts';

export interface Entry {
  folder: Folder;
  name: string;
}

export interface NewFile {
  bytes: Buffer | Pieces;
  /** Of the file it stands in for; a new file gets what the system gives it. */
  meta: Meta | null;
  /** For a new file: may it be run? */
  isExecutable?: boolean;
}

const FRESH = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const flush = promisify(fsync);
const pathOf = ({ folder, name }: Entry): string => folder.at(name);
const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? '';

/** Writes a file under a name that must be free, and makes its bytes durable. */
export async function writeTemp(entry: Entry, file: NewFile): Promise<void> {
  const mode = file.meta !== null ? 0o600 : file.isExecutable === true ? 0o777 : 0o666;
  const path = pathOf(entry);
  const fd = told(() => openSync(path, FRESH, mode));
  try {
    await writeBytes(fd, file.bytes);
    told(() => file.meta !== null && applyMeta({ fd, path }, file.meta));
    await flush(fd);
  } finally {
    closeSync(fd);
  }
}

async function writeBytes(fd: number, bytes: NewFile['bytes']): Promise<void> {
  try {
    if (!Buffer.isBuffer(bytes)) await writePieces(fd, bytes);
    else for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  } catch (cause) {
    throw refusal(cause);
  }
}

/** Puts a temp file in the place of one that the caller has just proven to be the expected one. */
export const replaceWith = (temp: Entry, target: Entry): void => told(() => renameSync(pathOf(temp), pathOf(target)));

/** Gives a file a second place's name and takes the first away; FILE_CHANGED when anything has the new name. */
export function moveWithoutOverwrite(from: Entry, to: Entry): void {
  if (hasLinked(from, to)) told(() => unlinkSync(pathOf(from)));
  else {
    told(() => closeSync(openSync(pathOf(to), FRESH, 0o600)), to.name); // Takes the free name by an empty file that only we replace.
    told(() => renameSync(pathOf(from), pathOf(to)));
  }
}

/** No hard links on this file system, or not to a file of another user. */
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** A second hard link is the one way to take a name that fails, in one step, when the name is taken. */
function hasLinked(from: Entry, to: Entry): boolean {
  try {
    linkSync(pathOf(from), pathOf(to));
    return true;
  } catch (cause) {
    if (WITHOUT_LINKS.has(codeOf(cause))) return false;
    throw refusal(cause, to.name);
  }
}

/** FILE_CHANGED when anything has the name. */
export const makeLink = (entry: Entry, target: Buffer): void => told(() => symlinkSync(target, pathOf(entry)), entry.name);

/** Where a link leads, byte by byte; null when it is no link any more. */
export function readLink(entry: Entry): Buffer | null {
  try {
    return readlinkSync(pathOf(entry), { encoding: 'buffer' });
  } catch (cause) {
    if (['EINVAL', 'ENOENT'].includes(codeOf(cause))) return null;
    throw refusal(cause);
  }
}

/** Opens the thing itself without any right on it, so that also one that may not be read can get its mode back. */
const O_PATH = 0x200000;

/** Of a file or directory, never of what a link leads to. */
export function setMode(entry: Entry, mode: number): void {
  const isLinux = process.platform === 'linux';
  const fd = told(() => openSync(pathOf(entry), (isLinux ? O_PATH : constants.O_RDONLY | constants.O_NONBLOCK) | constants.O_NOFOLLOW));
  try {
    told(() => (isLinux ? chmodSync(`/proc/self/fd/${fd}`, mode) : fchmodSync(fd, mode)));
  } finally {
    closeSync(fd);
  }
}

export const removeFile = (entry: Entry): void => told(() => unlinkSync(pathOf(entry)));

/** false when there was nothing of that name. */
export function removeIfThere(entry: Entry): boolean {
  try {
    unlinkSync(pathOf(entry));
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return false;
    throw refusal(cause);
  }
}

/** FILE_CHANGED when anything has the name. */
export const makeDirectory = (entry: Entry, mode = 0o777): void => told(() => mkdirSync(pathOf(entry), { mode }), entry.name);

/** false when it is not empty; then it stays. */
export function removeDirectory(entry: Entry): boolean {
  try {
    rmdirSync(pathOf(entry));
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'ENOTEMPTY' || codeOf(cause) === 'EEXIST') return false;
    throw refusal(cause);
  }
}

/** What has the name now, not following a link; null when nothing has. */
export const look = (entry: Entry): BigIntStats | null => lstatSync(pathOf(entry), { bigint: true, throwIfNoEntry: false }) ?? null;

/** Runs a system call and says a refusal of the system in our words. `name` is the one that had to be free. */
function told<T>(work: () => T, name?: string): T {
  try {
    return work();
  } catch (cause) {
    throw refusal(cause, name);
  }
}

function refusal(cause: unknown, name?: string): unknown {
  switch (codeOf(cause)) {
    case 'EEXIST':
      if (name === undefined) return cause;
      return new Failed('FILE_CHANGED', `Something has the name ${JSON.stringify(name)} there by now. It was not overwritten.`, { cause });
    case 'ENOSPC':
    case 'EDQUOT':
      return new Failed('RESOURCE_LIMIT', 'The disk is full, so the change could not be written. Nothing was changed.', { cause });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new Failed('PATH_DENIED', 'The operating system does not allow writing there. Nothing was changed.', { cause });
    case 'ENOENT':
    case 'ENOTDIR':
      return new Failed('FILE_CHANGED', 'A file or folder of the change was taken away meanwhile. Nothing was overwritten.', { cause });
    case 'EXDEV':
      return new Failed('NOT_SUPPORTED', 'A file cannot be moved to another disk in one step. Nothing was changed.', { cause });
    default:
      return cause;
  }
}
