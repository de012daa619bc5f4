// One directory as read through a held descriptor: sorted names by kind, what the policy keeps out, and whether it can be trusted later.
import { fstatSync, lstatSync, readdirSync, type BigIntStats, type Dirent, type Stats } from 'node:fs';
import { openFolderSync, type Folder } from '../../base/fs/folder.ts';
import { underRoot } from '../../base/fs/root.ts';
import { Failed } from '../../failed.ts';
import { IGNORE_FILES } from './ignoring.ts';
import type { Pause } from './pause.ts';
import { layerOfEntry } from './policy.ts';

/** Tells one state of a directory from the next. */
interface FolderStamp {
  dev: bigint;
  ino: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
}

/** The same for a file, in the numbers that are cheap to ask for 20,000 times. */
interface FileStamp {
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

export interface FileEntry extends FileStamp {
  path: string;
  /** Whether it holds a NUL byte; null until someone has looked. */
  isBinary: boolean | null;
}

/** Why an entry is not among the files that may be read. */
export type Reason = 'secret' | 'protected' | 'special' | 'unreadable' | 'ignored';

export interface LeftOut {
  path: string;
  why: Reason;
  isFolder: boolean;
}

export interface Listing {
  path: string;
  stamp: FolderStamp;
  /** It, or an ignore file in it, changed so shortly before it was read that a later change might leave the same stamp. */
  isRacy: boolean;
  files: FileEntry[];
  folders: string[];
  counts: { secret: number; protected: number; symlink: number; special: number; unreadable: number };
  /** By name, for those who look at all of a project. */
  links: string[];
  leftOut: LeftOut[];
  ignoreFiles: FileEntry[];
  /** Not everything was read: the directory has more entries than the limit. */
  isCut: boolean;
}

/** Coarse clocks of file systems (FAT has two seconds), the same caution that git calls "racily clean". */
const RACY_MS = 2000;
export const isRecent = (mtimeMs: number): boolean => Date.now() - mtimeMs < RACY_MS;

const isSameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;

/** Whether a file is still the one that was listed. */
export function isSameFile(root: string, entry: FileEntry): boolean {
  const now = statsAt(root, entry.path);
  return now !== undefined && isSameStamp(entry, now);
}

/** Whether a listing still holds: nothing was added, removed or renamed in the directory, and it never was doubtful. */
export function isCurrent(root: string, { path, stamp, isRacy }: Listing): boolean {
  if (isRacy) return false;
  const now = orNothing(() => lstatSync(underRoot(root, path), { bigint: true, throwIfNoEntry: false }));
  return (
    now !== undefined && now.ino === stamp.ino && now.mtimeNs === stamp.mtimeNs && now.ctimeNs === stamp.ctimeNs && now.dev === stamp.dev
  );
}

/**
 * What lies at a path without following it, or nothing. By its plain path, which costs half of one through a descriptor:
 * a swapped parent could only lend a size and a time here, and whatever is told to a caller is proven again before.
 */
export function statsAt(root: string, path: string): Stats | undefined {
  return orNothing(() => lstatSync(underRoot(root, path), { throwIfNoEntry: false }));
}

const gone = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG']);

function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (gone.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
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
    const entries = readdirSync(folder.path, { withFileTypes: true });
    listing.isCut = entries.length > limit;
    const folderName = path.slice(path.lastIndexOf('/') + 1);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit)) {
      addEntry(listing, { root, folderName, entry });
      if (pause.isDue()) await pause.take();
    }
    if (previous !== undefined) carryOver(previous, listing);
    return listing;
  } finally {
    folder.close();
  }
}

function emptyListing(path: string, { dev, ino, mtimeNs, ctimeNs }: BigIntStats): Listing {
  const counts = { secret: 0, protected: 0, symlink: 0, special: 0, unreadable: 0 };
  const isRacy = isRecent(Number(mtimeNs) / 1e6);
  const none = { files: [], folders: [], links: [], leftOut: [], ignoreFiles: [] };
  return { path, stamp: { dev, ino, mtimeNs, ctimeNs }, isRacy, counts, ...none, isCut: false };
}

function addEntry(listing: Listing, { root, folderName, entry }: { root: string; folderName: string; entry: Dirent }): void {
  const layer = layerOfEntry(folderName, entry.name);
  const path = listing.path === '.' ? entry.name : `${listing.path}/${entry.name}`;
  const isFolder = entry.isDirectory();
  if (layer !== null) leaveOut(listing, { path, why: layer, isFolder });
  else if (isFolder) listing.folders.push(path);
  else if (entry.isSymbolicLink()) addLink(listing, path);
  else if (entry.isFile()) addFile(listing, path, statsAt(root, path));
  else leaveOut(listing, { path, why: 'special', isFolder });
}

function leaveOut(listing: Listing, one: LeftOut & { why: keyof Listing['counts'] }): void {
  listing.counts[one.why] += 1;
  listing.leftOut.push(one);
}

function addLink(listing: Listing, path: string): void {
  listing.counts.symlink += 1;
  listing.links.push(path);
}

/**
 * A second hard link may make the bytes someone else's; such a file is refused like a link, and counted as special.
 * No stats: a directory that may be listed and not searched gives names without anything behind them.
 */
function addFile(listing: Listing, path: string, stats: Stats | undefined): void {
  if (stats === undefined) leaveOut(listing, { path, why: 'unreadable', isFolder: false });
  else if (!stats.isFile() || stats.nlink !== 1) leaveOut(listing, { path, why: 'special', isFolder: false });
  else {
    const { ino, size, mtimeMs, ctimeMs } = stats;
    const entry: FileEntry = { path, ino, size, mtimeMs, ctimeMs, isBinary: null };
    listing.files.push(entry);
    if (!IGNORE_FILES.some((name) => path === name || path.endsWith(`/${name}`))) return;
    listing.ignoreFiles.push(entry);
    listing.isRacy ||= isRecent(mtimeMs);
  }
}

function carryOver(previous: Listing, listing: Listing): void {
  const known = new Map(previous.files.filter((entry) => entry.isBinary !== null).map((entry) => [entry.path, entry]));
  for (const entry of listing.files) {
    const before = known.get(entry.path);
    if (before !== undefined && isSameStamp(before, entry)) entry.isBinary = before.isBinary;
  }
}
