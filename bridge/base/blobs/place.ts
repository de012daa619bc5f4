// The folders of the blob store: `staging/` for what is being written, `sha256/<2>/<hash>` for what is durable.
import {
  chmodSync,
  closeSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writePieces, type Pieces } from '../fs/pieces.ts';

const flush = promisify(fsync);
const HASH = /^[0-9a-f]{64}$/;

export type Place = ReturnType<typeof openPlace>;

/** Makes the folders and removes what an interrupted write left in staging. */
export function openPlace(dir: string) {
  const staging = join(dir, 'staging');
  const kept = join(dir, 'sha256');
  for (const path of [dir, staging, kept]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
  }
  for (const name of readdirSync(staging)) unlinkSync(join(staging, name));
  const of = (hash: string) => {
    if (!HASH.test(hash)) throw new Error('A blob is named by 64 hex digits.');
    return join(kept, hash.slice(0, 2), hash);
  };
  const staged = (hash: string) => join(staging, hash);
  makeFolders(kept);

  return {
    size: (hash: string): number | undefined => lstatSync(of(hash), { throwIfNoEntry: false })?.size,
    /** Writes the bytes beside the kept ones and makes them durable there. */
    async stage(hash: string, bytes: Buffer | Pieces): Promise<void> {
      const file = openSync(staged(hash), 'w', 0o600);
      try {
        if (!Buffer.isBuffer(bytes)) await writePieces(file, bytes);
        else for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
        await flush(file);
      } catch (cause) {
        unlinkSync(staged(hash));
        throw cause;
      } finally {
        closeSync(file);
      }
    },
    unstage: (hash: string): void => removeFile(staged(hash)),
    /** Puts staged bytes under their name in one step, durably; the same bytes in its place are as good. */
    async keep(hash: string): Promise<void> {
      renameSync(staged(hash), of(hash));
      await flushFolder(join(kept, hash.slice(0, 2)));
    },
    read(hash: string): Buffer | null {
      try {
        return readFileSync(of(hash));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw cause;
      }
    },
    /** A descriptor of the bytes, or null. */
    open(hash: string): number | null {
      try {
        return openSync(of(hash), 'r');
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw cause;
      }
    },
    remove: (hash: string): void => removeFile(of(hash)),
    /** What the disk has left for this account. */
    freeBytes(): number {
      const { bavail, bsize } = statfsSync(kept);
      return bavail * bsize;
    },
    list: () => readdirSync(kept).flatMap((prefix) => readdirSync(join(kept, prefix)).filter((name) => HASH.test(name))),
  };
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
  }
}

/** One folder for each first byte, made once, so that no put has to make one and flush it. */
function makeFolders(kept: string): void {
  const there = new Set(readdirSync(kept));
  const missing = Array.from({ length: 256 }, (_unused, byte) => byte.toString(16).padStart(2, '0')).filter((name) => !there.has(name));
  for (const name of missing) mkdirSync(join(kept, name), { mode: 0o700 });
  if (missing.length === 0) return;
  const fd = openSync(kept, 'r');
  fsyncSync(fd);
  closeSync(fd);
}

async function flushFolder(folder: string): Promise<void> {
  const fd = openSync(folder, 'r');
  try {
    await flush(fd);
  } finally {
    closeSync(fd);
  }
}
