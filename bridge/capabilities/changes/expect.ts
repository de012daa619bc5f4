// A file as a change has to find it: whole, proven, and with exactly the bytes the call names.
import { sha256 } from '../../base/digest.ts';
import { readMeta, type Meta } from '../../base/fs/meta.ts';
import { hashFile, openRegularSync, readWhole, type OpenFile } from '../../base/fs/read.ts';
import type { Located } from '../../base/fs/root.ts';
import { Failed } from '../../failed.ts';

const NOTHING = Buffer.alloc(0);

export interface Seen {
  hash: string;
  size: number;
  bytes: Buffer;
  meta: Meta;
}

export interface Wish {
  expectedHash: string;
  limitBytes: number;
  /** false: the bytes only have to be hashed, whatever their size. */
  isHeld?: boolean;
}

/** Reads a file and compares it with what the call expects. */
export async function expectFile(root: string, located: Located, wish: Wish): Promise<Seen> {
  const { relative } = located;
  if (located.kind === 'absent') throw missingFile(relative, wish.expectedHash);
  if (located.kind === 'directory')
    throw new Failed('CONFLICT', `${JSON.stringify(relative)} is a folder. Nothing was changed.`, { detail: { path: relative } });
  const file = openRegularSync(root, located);
  try {
    const seen = wish.isHeld === false ? { bytes: NOTHING, hash: await hashFile(file) } : await wholeFile(file, wish.limitBytes);
    if (seen.hash !== wish.expectedHash) throw fileChanged(relative, wish.expectedHash, seen.hash);
    return { ...seen, size: file.size, meta: readMeta({ fd: file.fd, path: located.absolute }) };
  } finally {
    file.close();
  }
}

async function wholeFile(file: OpenFile, limitBytes: number): Promise<{ bytes: Buffer; hash: string }> {
  requireSize(file.relative, file.size, limitBytes);
  const bytes = await readWhole(file);
  return { bytes, hash: sha256(bytes) };
}

function missingFile(path: string, expectedHash: string): Failed {
  if (expectedHash !== 'absent') return fileChanged(path, expectedHash, 'absent');
  return new Failed('NOT_FOUND', `There is no file ${JSON.stringify(path)} in the project. Nothing was changed.`);
}

export function fileChanged(path: string, expectedHash: string, currentHash: string): Failed {
  const what = currentHash === 'absent' ? 'is not there' : expectedHash === 'absent' ? 'is there already' : 'has other bytes by now';
  return new Failed('FILE_CHANGED', `${JSON.stringify(path)} ${what}, which the call does not expect. Nothing was changed.`, {
    recovery: 'Read the file again and send the call with its current hash.',
    detail: { path, expectedHash, currentHash },
  });
}

export function requireSize(path: string, bytes: number, limitBytes: number): void {
  if (bytes > limitBytes)
    throw new Failed(
      'FILE_TOO_LARGE',
      `${JSON.stringify(path)} has ${bytes} bytes; at most ${limitBytes} are changed as a whole. Nothing was changed.`,
      {
        recovery: 'Read parts of it with read_files; delete_path and move_path take a file of any size.',
        detail: { path, bytes, limitBytes },
      },
    );
}

export function requireRoom(path: string, bytes: number, limitBytes: number): void {
  if (bytes > limitBytes)
    throw new Failed(
      'FILE_TOO_LARGE',
      `${JSON.stringify(path)} would have ${bytes} bytes; at most ${limitBytes} are written as a whole. Nothing was changed.`,
      { recovery: 'Write it as several smaller files.', detail: { path, bytes, limitBytes } },
    );
}
