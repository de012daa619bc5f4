// The bytes of a file as a change sees them: opened through its held folder, proven, hashed, with all that a replacement has to keep.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { sha256 } from '../../base/digest.ts';
import type { Entry } from '../../base/fs/write.ts';
import { Failed } from '../../failed.ts';

/** The bytes that are known to have this hash. */
export function readKept(entry: Entry, hash: string): Buffer {
  const fd = openSync(entry.folder.at(entry.name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(fstatSync(fd).size);
    for (let at = 0, count = -1; at < bytes.length && count !== 0; at += count) count = readSync(fd, bytes, at, bytes.length - at, at);
    if (sha256(bytes) === hash) return bytes;
  } finally {
    closeSync(fd);
  }
  throw new Failed('FILE_CHANGED', `${JSON.stringify(entry.name)} was changed from outside while it was read.`);
}
