// The folders of the blob store: `staging/` for what is being written, `sha256/<2>/<hash>` for what is durable.
import {
  chmodSync,
  closeSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
  const known = new Set<string>();

  return {
    size: (hash: string): number | undefined => lstatSync(of(hash), { throwIfNoEntry: false })?.size,
    /** Staged, flushed, then put under its name in one step; the same bytes in its place are as good. */
    async write(hash: string, bytes: Buffer): Promise<void> {
      const folder = join(kept, hash.slice(0, 2));
      if (!known.has(folder)) await makeFolder(kept, folder);
      known.add(folder);
      const temp = join(staging, hash);
      const file = openSync(temp, 'w', 0o600);
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
        await flush(file);
        renameSync(temp, of(hash));
      } catch (cause) {
        unlinkSync(temp);
        throw cause;
      } finally {
        closeSync(file);
      }
      await flushFolder(folder);
    },
    read(hash: string): Buffer | null {
      try {
        return readFileSync(of(hash));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw cause;
      }
    },
    remove(hash: string): void {
      try {
        unlinkSync(of(hash));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
      }
    },
    list: () => readdirSync(kept).flatMap((prefix) => readdirSync(join(kept, prefix)).filter((name) => HASH.test(name))),
  };
}

async function makeFolder(parent: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await flushFolder(parent);
}

async function flushFolder(folder: string): Promise<void> {
  const fd = openSync(folder, 'r');
  try {
    await flush(fd);
  } finally {
    closeSync(fd);
  }
}
