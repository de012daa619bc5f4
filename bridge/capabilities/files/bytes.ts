// One file of the project, whole and proven, or the refusal that names what it is instead.
import { sha256 } from '../../base/digest.ts';
import { openRegularSync, readWhole, type OpenFile } from '../../base/fs/read.ts';
import { resolveInside, type Located } from '../../base/fs/root.ts';
import { Failed } from '../../failed.ts';
import { locate, notFound } from './locate.ts';

export interface WholeFile {
  located: Located;
  bytes: Buffer;
  /** SHA-256 of the raw bytes. */
  hash: string;
  mode: number;
}

/** Opens a file by a caller's path and hands it to `use`; it is closed in every case. */
export async function withFile<T>(root: string, path: string, use: (file: OpenFile, located: Located) => Promise<T>): Promise<T> {
  const located = await locate(root, path, 'read');
  if (located.kind === 'absent') throw notFound(root, located.relative);
  if (located.kind === 'directory')
    throw new Failed('INVALID_INPUT', `${JSON.stringify(located.relative)} is a directory.`, {
      recovery: 'Use list_files to see what is in it.',
    });
  const file = openRegularSync(root, located);
  try {
    return await use(file, located);
  } finally {
    file.close();
  }
}

/** The whole file up to `limitBytes`; FILE_TOO_LARGE beyond, never a silent cut. */
export async function readBytes(root: string, path: string, limitBytes: number): Promise<WholeFile> {
  return withFile(root, path, async (file, located) => {
    if (file.size > limitBytes) throw tooLarge(located.relative, file.size, { limitBytes });
    const bytes = await readWhole(file);
    return { located, bytes, hash: sha256(bytes), mode: Number(file.stats.mode & 0o7777n) };
  });
}

/** `hash` when it was asked for all the same. */
export function tooLarge(path: string, bytes: number, { limitBytes, hash }: { limitBytes: number; hash?: string | null }): Failed {
  return new Failed('FILE_TOO_LARGE', `${JSON.stringify(path)} has ${bytes} bytes; at most ${limitBytes} are read as a whole.`, {
    recovery:
      'With read_files, give startLine and endLine for lines near its beginning, or tailLines for its end; includeHash: true tells its hash.',
    detail: { bytes, limitBytes, ...(hash === undefined || hash === null ? {} : { hash }) },
  });
}

/** The size and time of a file that was listed; null when it is gone, or no longer a plain file reached without a link. */
export async function plainFile(root: string, path: string): Promise<{ size: number; mtimeMs: number } | null> {
  try {
    const { kind, viaLink, stats } = await resolveInside(root, path);
    if (kind !== 'file' || viaLink || stats?.nlink !== 1n) return null;
    return { size: Number(stats.size), mtimeMs: Number(stats.mtimeNs) / 1e6 };
  } catch (error) {
    if (error instanceof Failed) return null;
    throw error;
  }
}
