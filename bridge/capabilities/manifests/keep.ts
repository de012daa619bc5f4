// Reads what is new in a project, once and from an opening that is proven, and keeps its bytes: small ones together, large ones piece by piece.
import { fstatSync, lstatSync } from 'node:fs';
import type { Blobs, Staged, Stream } from '../../base/blobs/blobs.ts';
import { sha256 } from '../../base/digest.ts';
import { openFolderSync, type Folder } from '../../base/fs/folder.ts';
import { readMeta } from '../../base/fs/meta.ts';
import { atRest, openEntry } from '../../base/fs/peek.ts';
import { piecesOf } from '../../base/fs/pieces.ts';
import { assertUnchanged, hashFile, readWhole, type OpenFile } from '../../base/fs/read.ts';
import { readLink } from '../../base/fs/write.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { Pause } from '../files/service.ts';
import { isRacyAt, stampOf, type Entry, type Kept, type Why } from './entry.ts';
import type { Candidate } from './sight.ts';

export interface Wanted extends Candidate {
  /** How much of a file is wanted: its bytes in the store, its hash, or no more than its stamps. */
  depth: 'bytes' | 'hash' | 'stamps';
}

export interface KeepParts {
  root: string;
  store: Store;
  blobs: Blobs;
  pause: Pause;
  signal: AbortSignal | null;
  /** Told of each entry at once, so that its bytes are needed from then on. */
  onEntry(entry: Entry): void;
}

const SMALL_BYTES = 1024 * 1024;
const PACK_BYTES = 8 * 1024 * 1024;
const TRIES = 3;

/** Entries of what is gone meanwhile are left out. RESOURCE_LIMIT when the store has no room. */
export async function keepAll(parts: KeepParts, wanted: readonly Wanted[]): Promise<void> {
  const pack = createPack(parts);
  let held: { path: string; folder: Folder } | null = null;
  try {
    for (const one of wanted) {
      if (parts.signal?.aborted === true) throw new Failed('CONFLICT', 'The call was cancelled before anything was run.');
      const cut = one.path.lastIndexOf('/');
      const folder = cut < 0 ? '.' : one.path.slice(0, cut);
      if (held?.path !== folder) {
        held?.folder.close();
        held = openOr(parts.root, folder);
      }
      const entry = held === null ? null : await keepOne(parts, pack, { one, folder: held.folder, name: one.path.slice(cut + 1) });
      if (entry !== null) parts.onEntry(entry);
      if (pack.isFull()) await pack.flush();
      if (parts.pause.isDue()) await parts.pause.take();
    }
    await pack.flush();
  } finally {
    held?.folder.close();
  }
}

/** A folder that is gone or was swapped has nothing to keep. */
function openOr(root: string, path: string): { path: string; folder: Folder } | null {
  try {
    return { path, folder: openFolderSync(root, path) };
  } catch (error) {
    if (error instanceof Failed) return null;
    throw error;
  }
}

interface Pack {
  add(bytes: Buffer): void;
  isFull(): boolean;
  flush(): Promise<void>;
}

function createPack({ store, blobs }: KeepParts): Pack {
  let list: Buffer[] = [];
  let bytes = 0;
  return {
    add(content) {
      list.push(content);
      bytes += content.length;
    },
    isFull: () => bytes >= PACK_BYTES,
    async flush() {
      if (list.length === 0) return;
      const coming = list;
      [list, bytes] = [[], 0];
      await keepStaged(store, await blobs.pack(coming));
    },
  };
}

async function keepStaged(store: Store, staged: Staged): Promise<void> {
  await staged.keep();
  store.transaction(staged.record)();
}

interface Found {
  one: Wanted;
  folder: Folder;
  name: string;
}

/** null: it is gone. What cannot be read, or does not rest, is told by name. */
async function keepOne(parts: KeepParts, pack: Pack, found: Found): Promise<Entry | null> {
  const { one } = found;
  if (one.kind === 'directory') return folderEntry(one);
  if (one.kind === 'link') return keepLink(pack, found);
  if (one.depth === 'stamps') return { ...entryOf(one, null), why: 'too_large' };
  for (let tries = 0; ; tries += 1) {
    try {
      return await keepFile(parts, pack, found);
    } catch (error) {
      if (!(error instanceof Failed) || error.code === 'RESOURCE_LIMIT' || error.code === 'INTERNAL_ERROR') throw error;
      const isBusy = error.code === 'FILE_CHANGED';
      if (!isBusy || tries + 1 >= TRIES) return blindFor(one, isBusy ? 'busy' : 'unreadable');
    }
  }
}

const blindFor = ({ path, stats }: Wanted, why: Why): Entry => ({
  ...{ kind: 'blind', path, why, isFolder: false, skim: '', ...stampOf(stats) },
  isRacy: true,
});

const metaOf = ({ mode, uid, gid }: Candidate['stats']) => ({ mode: mode & 0o7777, uid, gid, xattrs: {} });

/** A folder is told by its mode alone: its stamps change with everything in it. */
export const folderEntry = ({ path, stats }: Candidate): Kept => ({
  ...{ kind: 'directory', path, meta: metaOf(stats), hash: null, why: null },
  ...{ dev: 0, ino: 0, size: 0, mtimeMs: 0, ctimeMs: 0, isRacy: false },
});

function entryOf({ path, kind, stats }: Candidate, hash: string | null): Kept {
  const stamp = stampOf(stats);
  return { kind, path, meta: metaOf(stats), hash, why: null, ...stamp, isRacy: isRacyAt(stamp, Date.now()) };
}

function keepLink(pack: Pack, { one, folder, name }: Found): Entry | null {
  const target = readLink({ folder, name });
  if (target === null) return null;
  pack.add(target);
  return entryOf({ ...one, stats: lstatSync(folder.at(name)) }, sha256(target));
}

async function keepFile(parts: KeepParts, pack: Pack, { one, folder, name }: Found): Promise<Entry | null> {
  const opened = openEntry({ folder, name });
  if (opened === null) return null;
  try {
    const meta = readMeta({ fd: opened.fd, path: folder.at(name) });
    const hash = await keepBytes(parts, pack, { file: opened, depth: one.depth });
    const entry = entryOf({ ...one, stats: fstatSync(opened.fd) }, hash);
    return { ...entry, meta, why: one.depth === 'bytes' ? null : 'too_large' };
  } finally {
    opened.close();
  }
}

/** Proves before and after that nobody writes to it meanwhile. */
async function keepBytes(parts: KeepParts, pack: Pack, { file, depth }: { file: OpenFile; depth: Wanted['depth'] }): Promise<string> {
  if (file.size <= SMALL_BYTES) {
    const bytes = await readWhole(file);
    if (depth === 'bytes') pack.add(bytes);
    return sha256(bytes);
  }
  const rested = await atRest(file);
  const hash = await hashFile(rested, parts.signal ?? undefined);
  if (depth === 'bytes' && !parts.blobs.has(hash)) await keepStaged(parts.store, await parts.blobs.stage([streamOf(rested, hash)]));
  return hash;
}

function streamOf(file: OpenFile, hash: string): Stream {
  const unlike = () =>
    new Failed('FILE_CHANGED', `${JSON.stringify(file.relative)} changed while its bytes were kept. Nothing was changed.`);
  async function* pieces() {
    yield* piecesOf(file.fd, file.size);
    assertUnchanged(file);
  }
  return { hash, size: file.size, pieces, unlike };
}
