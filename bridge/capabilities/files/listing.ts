// One directory as read through a held descriptor: sorted names by kind, what the policy keeps out, and whether it can be trusted later.
import { fstatSync, lstatSync, opendirSync, type BigIntStats, type Dirent } from 'node:fs';
import { openFolderSync, type Folder } from '../../base/fs/folder.ts';
import { underRoot } from '../../base/fs/root.ts';
import { Failed } from '../../failed.ts';
import { IGNORE_FILES } from './ignoring.ts';
import type { Pause } from './pause.ts';
import { layerOfEntry } from './policy.ts';

/** Tells one state of a file or directory from the next. */
export interface Stamp {
  dev: bigint;
  ino: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
}

export interface FileEntry {
  path: string;
  size: number;
  stamp: Stamp;
  /** Whether it holds a NUL byte; null until someone has looked. */
  isBinary: boolean | null;
}

export interface Listing {
  path: string;
  stamp: Stamp;
  /** Changed so shortly before it was read that a later change might leave the same stamp. */
  isRacy: boolean;
  files: FileEntry[];
  folders: string[];
  counts: { secret: number; protected: number; symlink: number; special: number; unreadable: number };
  ignoreFiles: FileEntry[];
  /** Not everything was read: the directory has more entries than the limit. */
  isCut: boolean;
}

/** Coarse clocks of file systems (FAT has two seconds), the same caution that git calls "racily clean". */
const RACY_NS = 2_000_000_000n;

export const stampOf = ({ dev, ino, mtimeNs, ctimeNs }: BigIntStats): Stamp => ({ dev, ino, mtimeNs, ctimeNs });
export const isSameStamp = (a: Stamp, b: Stamp): boolean =>
  a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.dev === b.dev;

/** Whether a file is still the one that was listed. */
export function isSameFile(root: string, entry: FileEntry): boolean {
  const now = lstatSync(underRoot(root, entry.path), { bigint: true, throwIfNoEntry: false });
  return now !== undefined && isSameStamp(entry.stamp, now);
}

/** Whether a listing still holds: nothing was added, removed or renamed in the directory, and it never was doubtful. */
export function isCurrent(root: string, listing: Listing): boolean {
  if (listing.isRacy) return false;
  const now = lstatSync(underRoot(root, listing.path), { bigint: true, throwIfNoEntry: false });
  return now !== undefined && isSameStamp(listing.stamp, now);
}

export interface ListingRequest {
  root: string;
  path: string;
  previous: Listing | undefined;
  /** At most this many entries are read. */
  limit: number;
  pause: Pause;
}

/** Reads a directory, or answers null when it cannot be entered. What was learnt of unchanged files is carried over. */
export async function readListing({ root, path, previous, limit, pause }: ListingRequest): Promise<Listing | null> {
  let folder: Folder;
  try {
    folder = openFolderSync(root, path);
  } catch (error) {
    if (error instanceof Failed) return null;
    throw error;
  }
  try {
    const listing = emptyListing(path, fstatSync(folder.fd, { bigint: true }));
    const entries = entriesOf(folder, limit);
    listing.isCut = entries.length >= limit;
    const folderName = path.slice(path.lastIndexOf('/') + 1);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      addEntry(listing, { folder, folderName, entry });
      if (pause.isDue()) await pause.take();
    }
    if (previous !== undefined) carryOver(previous, listing);
    return listing;
  } finally {
    folder.close();
  }
}

function emptyListing(path: string, stats: BigIntStats): Listing {
  const counts = { secret: 0, protected: 0, symlink: 0, special: 0, unreadable: 0 };
  const isRacy = BigInt(Date.now()) * 1_000_000n - stats.mtimeNs < RACY_NS;
  return { path, stamp: stampOf(stats), isRacy, files: [], folders: [], counts, ignoreFiles: [], isCut: false };
}

function addEntry(listing: Listing, found: { folder: Folder; folderName: string; entry: Dirent }): void {
  const { folder, folderName, entry } = found;
  const layer = layerOfEntry(folderName, entry.name);
  const path = listing.path === '.' ? entry.name : `${listing.path}/${entry.name}`;
  if (layer !== null) listing.counts[layer] += 1;
  else if (entry.isDirectory()) listing.folders.push(path);
  else if (entry.isSymbolicLink()) listing.counts.symlink += 1;
  else if (entry.isFile()) addFile(listing, path, statsOf(folder, entry.name));
  else listing.counts.special += 1;
}

/** A second hard link may make the bytes someone else's; such a file is refused like a link, and counted as special. */
function addFile(listing: Listing, path: string, stats: BigIntStats | undefined): void {
  if (stats === undefined) listing.counts.unreadable += 1;
  else if (!stats.isFile() || stats.nlink !== 1n) listing.counts.special += 1;
  else {
    const entry: FileEntry = { path, size: Number(stats.size), stamp: stampOf(stats), isBinary: null };
    listing.files.push(entry);
    if (IGNORE_FILES.some((name) => path === name || path.endsWith(`/${name}`))) listing.ignoreFiles.push(entry);
  }
}

function entriesOf(folder: Folder, limit: number): Dirent[] {
  const entries: Dirent[] = [];
  const reader = opendirSync(folder.path, { bufferSize: 256 });
  try {
    for (let entry = reader.readSync(); entry !== null && entries.length < limit; entry = reader.readSync()) entries.push(entry);
  } finally {
    reader.closeSync();
  }
  return entries;
}

/** A directory that may be listed and not searched gives names without anything behind them. */
function statsOf(folder: Folder, name: string): BigIntStats | undefined {
  try {
    return lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
    throw error;
  }
}

function carryOver(previous: Listing, listing: Listing): void {
  const known = new Map(previous.files.filter((entry) => entry.isBinary !== null).map((entry) => [entry.path, entry]));
  for (const entry of listing.files) {
    const before = known.get(entry.path);
    if (before !== undefined && isSameStamp(before.stamp, entry.stamp)) entry.isBinary = before.isBinary;
  }
}
