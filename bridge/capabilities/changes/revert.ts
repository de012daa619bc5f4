// Takes one journalled file back to what it was, only where it is still what the change made it. Used after a failure and after a crash.
import { Failed } from '../../failed.ts';
import { isStill, metaAt, peek, type Peek } from '../../base/fs/peek.ts';
import {
  makeDirectory,
  moveWithoutOverwrite,
  removeDirectory,
  removeFile,
  removeIfThere,
  replaceWith,
  writeTemp,
  type Entry,
} from '../../base/fs/write.ts';
import type { Blobs } from '../../base/blobs/blobs.ts';
import { holdPlaces, type Places } from './places.ts';
import { metaOf, type FileRow } from './rows.ts';
import { splitPath } from './step.ts';

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

/** Whether the file is wholly what the change was to make it. */
export async function isAfter(row: FileRow, places: Places): Promise<boolean> {
  const found = await peekAt(places, row.path);
  switch (row.action) {
    case 'create':
    case 'replace':
      return isFile(found, row.after_hash);
    case 'delete':
    case 'rmdir':
      return found.kind === 'absent';
    case 'mkdir':
      return found.kind === 'directory';
    case 'move':
      return found.kind === 'absent' && isFile(await peekAt(places, row.dest_path ?? ''), row.after_hash);
  }
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
      if (isFile(found, row.after_hash)) removeFile(stillAt(places, row.path, found));
      return found.kind === 'absent' || isFile(found, row.after_hash);
    case 'replace':
      if (isFile(found, row.after_hash)) await putBack(row, { places, blobs }, found);
      return isFile(found, row.before_hash) || isFile(found, row.after_hash);
    case 'delete':
      if (found.kind === 'absent') await putBack(row, { places, blobs }, found);
      return found.kind === 'absent' || isFile(found, row.before_hash);
    case 'move':
      return moveBack(row, places, found);
    case 'mkdir':
      if (found.kind === 'directory') removeMade(row, places);
      return found.kind === 'directory' || found.kind === 'absent';
    case 'rmdir':
      if (found.kind === 'absent') makeDirectory(places.entry(row.path), metaOf(row)?.mode);
      return found.kind === 'absent' || found.kind === 'directory';
  }
}

/** The entry to act on, in the turn in which it was proven to hold what was found there. */
function stillAt(places: Places, path: string, found: Peek): Entry {
  const entry = places.entry(path);
  if (isStill(entry, found)) return entry;
  throw new Failed('FILE_CHANGED', `${JSON.stringify(path)} was changed from outside while it was put back. It was not overwritten.`);
}

/** The bytes of before under the temp name, then in their place: over what the change made, or where nothing is. */
async function putBack(row: FileRow, parts: { places: Places; blobs: Blobs }, found: Peek): Promise<void> {
  const temp = tempEntry(row, parts.places);
  if (temp === null || row.before_hash === null) throw new Error('A change to take back has no place for the bytes of before.');
  removeIfThere(temp);
  const target = parts.places.entry(row.path);
  try {
    await writeTemp(temp, { bytes: parts.blobs.stream(row.before_hash).pieces(), meta: metaAt(target) ?? metaOf(row) });
    if (found.kind === 'absent') return moveWithoutOverwrite(temp, target);
    const now = await peek(target);
    replaceWith(temp, stillAt(parts.places, row.path, isFile(now, row.after_hash) ? now : OTHER));
  } finally {
    removeIfThere(temp);
  }
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
  using places = holdPlaces(root);
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
  await places.sync();
  return { unrecovered: [...unrecovered] };
}
