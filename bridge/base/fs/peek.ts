// What stands under one name of a held folder right now, a file told by the hash of its bytes. Never follows, never waits.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { Failed } from '../../failed.ts';
import { readMeta, type Meta } from './meta.ts';
import { look, type Entry } from './write.ts';

export type Peek =
  { kind: 'absent' } | { kind: 'directory'; mode: number } | { kind: 'file'; hash: string; stats: BigIntStats } | { kind: 'other' };

const CHUNK_BYTES = 256 * 1024;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const ABSENT: Peek = { kind: 'absent' };
const OTHER: Peek = { kind: 'other' };

/** Synchronous on purpose: what it finds is acted on in the same turn, with nothing of ours in between. */
export function peek(entry: Entry): Peek {
  const stats = look(entry);
  if (stats === null) return ABSENT;
  if (stats.isDirectory()) return { kind: 'directory', mode: Number(stats.mode & 0o7777n) };
  if (!stats.isFile()) return OTHER;
  const fd = open(entry.folder.at(entry.name));
  if (fd === null) return OTHER;
  try {
    const held = fstatSync(fd, { bigint: true });
    if (!held.isFile() || held.ino !== stats.ino || held.dev !== stats.dev) return OTHER;
    return { kind: 'file', hash: hashOf(fd), stats: held };
  } finally {
    closeSync(fd);
  }
}

/** Mode, owner and attributes of a file that was just seen there; null when it is none any more. */
export function metaAt(entry: Entry): Meta | null {
  const path = entry.folder.at(entry.name);
  const fd = open(path);
  if (fd === null) return null;
  try {
    return fstatSync(fd).isFile() ? readMeta({ fd, path }) : null;
  } finally {
    closeSync(fd);
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
