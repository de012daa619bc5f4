// What stands under one name of a held folder, a file told by the hash of its bytes, and whether it is still that. Never follows a link.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Failed } from '../../failed.ts';
import { sha256 } from '../digest.ts';
import { readMeta, type Meta } from './meta.ts';
import { hashFile, type OpenFile } from './read.ts';
import { look, readLink, type Entry } from './write.ts';

export type Peek =
  | { kind: 'absent' }
  | { kind: 'directory'; mode: number }
  | { kind: 'file'; hash: string; stats: BigIntStats }
  /** The hash is that of where it leads. */
  | { kind: 'link'; hash: string; stats: BigIntStats }
  | { kind: 'other' };

/** Up to here a file is hashed in the turn in which it is acted on; a larger one would hold up everybody else. */
const SAME_TURN_BYTES = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** A disk counts time in ticks of a few milliseconds. Only of a file that has rested for longer does every later write show. */
const REST_MS = 20;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const ABSENT: Peek = { kind: 'absent' };
const OTHER: Peek = { kind: 'other' };

/** Other work gets its turn while a large file is hashed: ask `isStill` before acting on it. FILE_CHANGED when it is written to meanwhile. */
export async function peek(entry: Entry): Promise<Peek> {
  const stats = look(entry);
  if (stats === null) return ABSENT;
  if (stats.isDirectory()) return { kind: 'directory', mode: Number(stats.mode & 0o7777n) };
  if (stats.isSymbolicLink()) return peekLink(entry, stats);
  if (!stats.isFile()) return OTHER;
  const file = openEntry(entry);
  if (file === null) return OTHER;
  try {
    if (file.stats.ino !== stats.ino || file.stats.dev !== stats.dev) return OTHER;
    if (file.size <= SAME_TURN_BYTES) return { kind: 'file', hash: hashOf(file.fd), stats: file.stats };
    const rested = await atRest(file);
    return { kind: 'file', hash: await hashFile(rested), stats: rested.stats };
  } finally {
    file.close();
  }
}

function peekLink(entry: Entry, stats: BigIntStats): Peek {
  const target = readLink(entry);
  return target === null ? OTHER : { kind: 'link', hash: sha256(target), stats };
}

/** Whether the name has, this very moment, what was found under it: for a file the same one, not written to since. */
export function isStill(entry: Entry, found: Peek): boolean {
  const now = look(entry);
  switch (found.kind) {
    case 'absent':
      return now === null;
    case 'directory':
      return now?.isDirectory() === true;
    case 'file':
      return now !== null && now.isFile() && isSame(now, found.stats);
    case 'link':
      return now !== null && now.isSymbolicLink() && isSame(now, found.stats);
    case 'other':
      return false;
  }
}

const isSame = (a: BigIntStats, b: BigIntStats): boolean =>
  a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;

/** Whether its bytes are too many to be looked at again just before it is acted on. */
export const isLarge = (found: Peek): boolean => found.kind === 'file' && found.stats.size > SAME_TURN_BYTES;

/** The regular file of that name; null for anything else. */
export function openEntry(entry: Entry): OpenFile | null {
  const fd = open(entry.folder.at(entry.name));
  if (fd === null) return null;
  const stats = fstatSync(fd, { bigint: true });
  if (stats.isFile()) return { fd, relative: entry.name, size: Number(stats.size), stats, close: () => closeSync(fd) };
  closeSync(fd);
  return null;
}

/** The same opening, once what was written just before it can be told from what is written after it. */
export async function atRest(file: OpenFile): Promise<OpenFile> {
  if (Date.now() - Number(file.stats.ctimeMs) > REST_MS) return file;
  await setTimeout(REST_MS);
  const stats = fstatSync(file.fd, { bigint: true });
  return { ...file, size: Number(stats.size), stats };
}

/** Mode, owner and attributes of a file that was just seen there; null when it is none any more. */
export function metaAt(entry: Entry): Meta | null {
  const file = openEntry(entry);
  if (file === null) return null;
  try {
    return readMeta({ fd: file.fd, path: entry.folder.at(entry.name) });
  } finally {
    file.close();
  }
}

/** null for what became something else between the look and the opening. */
function open(path: string): number | null {
  try {
    return openSync(path, FLAGS);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ELOOP', 'EMLINK', 'ENXIO', 'ENODEV', 'EISDIR'].includes(code)) return null;
    if (code === 'EACCES' || code === 'EPERM')
      throw new Failed('PATH_DENIED', 'The operating system does not allow reading a file of the change. Nothing was changed.', { cause });
    throw cause;
  }
}

function hashOf(fd: number): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk)) hash.update(chunk.subarray(0, count));
  return hash.digest('hex');
}
