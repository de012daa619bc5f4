// Takes one journalled file back to what it was, only where it is still what the change made it. Used after a failure and after a crash.
import { Failed } from '../../failed.ts';
import { isStill, metaAt, peek, type Peek } from '../../base/fs/peek.ts';
import { moveWithoutOverwrite, removeDirectory, removeFile, removeIfThere, setMode, writeTemp, type Entry } from '../../base/fs/write.ts';
import type { Blobs } from '../../base/blobs/blobs.ts';
import { exchange, type Coming } from './exchange.ts';
import { holdPlaces, type Places } from './places.ts';
import { afterOf, beforeOf, exchangesFolder, metaOf, setsMode, type FileRow, type Side } from './rows.ts';
import { splitPath, type Kind } from './step.ts';

const ABSENT: Peek = { kind: 'absent' };
const OTHER: Peek = { kind: 'other' };

/** What stands at a path; a folder that is gone holds nothing. */
export async function peekAt(places: Places, path: string): Promise<Peek> {
  const entry = entryOrNull(places, path);
  return entry === null ? ABSENT : peek(entry);
}

/** Whether a path has, this very moment, what was found there. */
export function isStillAt(places: Places, path: string, found: Peek): boolean {
  const entry = entryOrNull(places, path);
  return entry === null ? found.kind === 'absent' : isStill(entry, found);
}

function entryOrNull(places: Places, path: string): Entry | null {
  try {
    return places.entry(path);
  } catch (error) {
    if (error instanceof Failed && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

export const isFile = (found: Peek, hash: string | null): boolean => found.kind === 'file' && found.hash === hash;

/** Whether a place has what one side of a change had there; the mode counts where one is given. */
function isSide(found: Peek, { kind, hash }: Side, mode: number | null): boolean {
  if (found.kind !== (kind ?? 'absent')) return false;
  if (found.kind === 'file' || found.kind === 'link') {
    if (found.hash !== hash) return false;
    return mode === null || found.kind === 'link' || Number(found.stats.mode & 0o7777n) === mode;
  }
  return mode === null || found.kind !== 'directory' || found.mode === mode;
}

/** Whether the file is wholly what the change was to make it. */
export async function isAfter(row: FileRow, places: Places): Promise<boolean> {
  const found = await peekAt(places, row.path);
  const after = afterOf(row);
  if (row.action === 'move') return found.kind === 'absent' && isSide(await peekAt(places, row.dest_path ?? ''), after, null);
  return isSide(found, after, row.action === 'mkdir' || setsMode(row) ? (after.meta?.mode ?? null) : null);
}

/** Removes the temp file of a row, if the crash left one. Always true: when it returns, none is there. */
export function removeTemp(row: FileRow, places: Places): true {
  const entry = tempEntry(row, places);
  if (entry !== null) removeIfThere(entry);
  return true;
}

function tempEntry(row: FileRow, places: Places): Entry | null {
  if (row.temp_name === null) return null;
  try {
    return { folder: places.folder(splitPath(row.path).folder), name: row.temp_name };
  } catch (error) {
    if (error instanceof Failed && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** true when the file is as it was before; false when it is neither that nor what the change made, and was left alone. */
export async function revert(row: FileRow, places: Places, blobs: Blobs): Promise<boolean> {
  const found = await peekAt(places, row.path);
  switch (row.action) {
    case 'create':
      if (isSide(found, afterOf(row), null)) removeFile(stillAt(places, row.path, found));
      return found.kind === 'absent' || isSide(found, afterOf(row), null);
    case 'replace':
    case 'delete':
      return putBack(row, { places, blobs }, found);
    case 'move':
      return moveBack(row, places, found);
    case 'mkdir':
      if (found.kind === 'directory') removeMade(row, places);
      return found.kind === 'directory' || found.kind === 'absent';
    case 'rmdir':
      if (found.kind === 'absent') exchange(places.entry(row.path), null, folderOf(row, places));
      return found.kind === 'absent' || found.kind === 'directory';
  }
}

/** The entry to act on, in the turn in which it was proven to hold what was found there. */
function stillAt(places: Places, path: string, found: Peek): Entry {
  const entry = places.entry(path);
  if (isStill(entry, found)) return entry;
  throw new Failed('FILE_CHANGED', `${JSON.stringify(path)} was changed from outside while it was put back. It was not overwritten.`);
}

/**
 * What was there comes back: over what the change made, or where nothing is, be it that the change took it away or that it
 * was stopped between the two. Anything else is not ours: false.
 */
async function putBack(row: FileRow, parts: { places: Places; blobs: Blobs }, found: Peek): Promise<boolean> {
  const [before, after] = [beforeOf(row), afterOf(row)];
  const counts = setsMode(row);
  if (isSide(found, before, counts ? (before.meta?.mode ?? null) : null)) return true;
  const isLeftBare = found.kind === 'absent' && before.kind !== after.kind;
  if (!isLeftBare && !isSide(found, after, null)) return false;
  if (counts && before.kind === after.kind && before.hash === after.hash)
    setMode(stillAt(parts.places, row.path, found), before.meta?.mode ?? 0);
  else if (before.kind === 'directory') exchange(stillAt(parts.places, row.path, found), kindOf(found), folderOf(row, parts.places));
  else if (before.kind !== null) await putBytesBack(row, parts, found);
  return true;
}

/** The bytes of before under the temp name, then in their place. */
async function putBytesBack(row: FileRow, { places, blobs }: { places: Places; blobs: Blobs }, found: Peek): Promise<void> {
  const temp = tempEntry(row, places);
  if (temp === null || row.before_hash === null) throw new Error('A change to take back has no place for the bytes of before.');
  removeIfThere(temp);
  const { kind } = beforeOf(row);
  try {
    if (kind === 'file') {
      const kept = setsMode(row) ? null : metaAt(places.entry(row.path));
      await writeTemp(temp, { bytes: blobs.stream(row.before_hash).pieces(), meta: kept ?? metaOf(row) });
    }
    const target = kind === 'link' ? blobs.get(row.before_hash) : null;
    const now = await peekAt(places, row.path);
    const isSame = now.kind === found.kind && !(now.kind === 'file' && found.kind === 'file' && now.hash !== found.hash);
    if (now.kind === 'directory') places.release(row.path);
    exchange(stillAt(places, row.path, isSame ? now : OTHER), kindOf(now), { kind, temp, target, mode: null });
  } finally {
    removeIfThere(temp);
  }
}

/** Once everything is back in a folder that had gone, it may be closed again. */
async function setFolderMode(row: FileRow, places: Places): Promise<boolean> {
  const { kind, meta } = beforeOf(row);
  if (kind !== 'directory' || afterOf(row).kind === 'directory' || meta === null) return true;
  const found = await peekAt(places, row.path);
  if (found.kind === 'directory' && found.mode !== meta.mode) setMode(stillAt(places, row.path, found), meta.mode);
  return true;
}

const kindOf = (found: Peek): Kind | null => (found.kind === 'absent' || found.kind === 'other' ? null : found.kind);

/** A folder as it was, its mode exactly. */
function folderOf(row: FileRow, places: Places): Coming {
  return {
    kind: 'directory',
    temp: tempEntry(row, places) ?? places.entry(row.path),
    target: null,
    mode: beforeOf(row).meta?.mode ?? null,
  };
}

/** A crash between the two halves of a move leaves one file under both names. */
async function moveBack(row: FileRow, places: Places, source: Peek): Promise<boolean> {
  const destPath = row.dest_path ?? '';
  const target = await peekAt(places, destPath);
  if (source.kind === 'absent') {
    if (!isFile(target, row.after_hash)) return false;
    moveWithoutOverwrite(stillAt(places, destPath, target), places.entry(row.path));
    return true;
  }
  if (!isFile(source, row.before_hash)) return false;
  if (source.kind === 'file' && target.kind === 'file' && source.stats.ino === target.stats.ino && source.stats.dev === target.stats.dev)
    removeFile(stillAt(places, destPath, target));
  return true;
}

/** A folder that holds something by now is not ours to take away; it stays. */
function removeMade(row: FileRow, places: Places): void {
  places.release(row.path);
  removeDirectory(places.entry(row.path));
}

/** Told where a change stands, for tests that stop it there. */
export type OnStage = (stage: string) => void | Promise<void>;

export interface Reverted {
  /** Paths that are neither before nor after, and were left alone. */
  unrecovered: string[];
}

/** Removes every temp file and takes the files back, last first. One that cannot be does not keep the others from it. */
export async function revertAll(
  root: string,
  change: { temps: readonly FileRow[]; files: readonly FileRow[] },
  parts: { blobs: Blobs; onStage?: OnStage },
): Promise<Reverted> {
  using places = holdPlaces(
    root,
    change.files.filter(exchangesFolder).map(({ path }) => path),
  );
  const unrecovered = new Set<string>();
  const attempt = async (row: FileRow, work: () => Promise<boolean>) => {
    try {
      if (!(await work())) unrecovered.add(row.path);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      unrecovered.add(row.path);
    }
  };
  for (const row of change.temps) await attempt(row, async () => removeTemp(row, places));
  for (const [index, row] of change.files.toReversed().entries()) {
    await parts.onStage?.(`reverting:${index}`);
    await attempt(row, () => revert(row, places, parts.blobs));
  }
  for (const row of change.files) await attempt(row, () => setFolderMode(row, places));
  await places.sync();
  return { unrecovered: [...unrecovered] };
}
