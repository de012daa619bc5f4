// Reading one regular file: opened without following or waiting, proven to be the file that was looked up, and unchanged while read.
import { closeSync, constants, fstatSync, openSync, read, readSync, type BigIntStats } from 'node:fs';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { Failed } from '../../failed.ts';
import { openFolderSync } from './folder.ts';
import { piecesOf } from './pieces.ts';
import type { Located } from './root.ts';

export interface OpenFile {
  readonly fd: number;
  readonly relative: string;
  readonly size: number;
  /** As of the opening. */
  readonly stats: BigIntStats;
  close(): void;
}

/** Below this a synchronous read costs less than the way to the thread pool and back. */
const SYNC_BYTES = 128 * 1024;
const readLater = promisify(read);

/** Opens what `resolveInside` found. O_NONBLOCK: a pipe put in its place answers at once instead of waiting for a writer. */
export async function openRegular(rootPath: string, located: Located): Promise<OpenFile> {
  return openRegularSync(rootPath, located);
}

export function openRegularSync(rootPath: string, located: Located): OpenFile {
  const { relative, stats: expected } = located;
  if (located.kind === 'absent') throw new Failed('NOT_FOUND', `There is no file ${JSON.stringify(relative)} in the project.`);
  if (located.kind !== 'file' || expected === null) throw denied(relative, 'it is not a regular file');
  const fd = openNoFollow(rootPath, relative);
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile()) throw denied(relative, 'it is not a regular file');
    if (stats.dev !== expected.dev || stats.ino !== expected.ino || stats.nlink === 0n) throw changed(relative);
    if (stats.nlink > 1n) throw denied(relative, 'it has more than one hard link, so its bytes may belong outside the project');
    return { fd, relative, size: Number(stats.size), stats, close: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openNoFollow(rootPath: string, relative: string): number {
  const cut = relative.lastIndexOf('/');
  const folder = openFolderSync(rootPath, cut < 0 ? '.' : relative.slice(0, cut));
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
    return openSync(folder.at(relative.slice(cut + 1)), flags);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') throw changed(relative, cause);
    if (code === 'ELOOP' || code === 'EMLINK') throw denied(relative, 'a link was put in its place', cause);
    if (code === 'ENXIO' || code === 'ENODEV' || code === 'EISDIR') throw denied(relative, 'it is not a regular file', cause);
    if (code === 'EACCES' || code === 'EPERM') throw denied(relative, 'the operating system does not allow it', cause);
    throw cause;
  } finally {
    folder.close();
  }
}

/** The whole file; the caller has checked `size`. FILE_CHANGED when it was written to meanwhile. */
export async function readWhole(file: OpenFile): Promise<Buffer> {
  const bytes = await readRange(file, 0, file.size);
  if (bytes.length !== file.size) throw changed(file.relative);
  assertUnchanged(file);
  return bytes;
}

/** Up to `length` bytes from `start`, fewer at the end of the file. Does not look whether the file changed. */
export async function readRange(file: OpenFile, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const target = { buffer: bytes, offset: filled, length: length - filled, position: start + filled };
    const count =
      length <= SYNC_BYTES
        ? readSync(file.fd, bytes, target)
        : (await readLater(file.fd, bytes, target.offset, target.length, target.position)).bytesRead;
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? bytes : bytes.subarray(0, filled);
}

/** SHA-256 of the whole file in bounded memory. FILE_CHANGED when it was written to meanwhile. */
export async function hashFile(file: OpenFile, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of piecesOf(file.fd, file.size)) {
    if (signal?.aborted === true) throw new Failed('TIMEOUT', 'The call was cancelled while a file was hashed. Nothing was changed.');
    hash.update(piece);
  }
  assertUnchanged(file);
  return hash.digest('hex');
}

/** Throws FILE_CHANGED when the file was written to since it was opened. */
export function assertUnchanged(file: OpenFile): void {
  const now = fstatSync(file.fd, { bigint: true });
  const { size, mtimeNs, ctimeNs } = file.stats;
  if (now.size !== size || now.mtimeNs !== mtimeNs || now.ctimeNs !== ctimeNs) throw changed(file.relative);
}

function changed(relative: string, cause?: unknown): Failed {
  return new Failed('FILE_CHANGED', `${JSON.stringify(relative)} changed while it was being read. Nothing was changed by this call.`, {
    retryable: true,
    cause,
  });
}

function denied(relative: string, reason: string, cause?: unknown): Failed {
  return new Failed('PATH_DENIED', `${JSON.stringify(relative)} was refused: ${reason}. Nothing was read or changed.`, { cause });
}
