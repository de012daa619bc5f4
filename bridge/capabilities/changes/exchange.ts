// The one act that puts a thing in the place of another, whatever the two are: a file, a link, a folder, or nothing.
import { Failed } from '../../failed.ts';
import {
  makeDirectory,
  makeLink,
  moveWithoutOverwrite,
  removeDirectory,
  removeFile,
  replaceWith,
  setMode,
  type Entry,
} from '../../base/fs/write.ts';
import type { Kind } from './step.ts';

/** What shall stand there. A file waits under the temp name, and a link is made there when it has to take a place in one step. */
export interface Coming {
  kind: Kind | null;
  temp: Entry;
  /** Where a link leads. */
  target: Buffer | null;
  /** Of a folder. */
  mode: number | null;
}

/** A folder is made so that it can be filled; its own mode may be narrower and comes last. */
export const roomy = (mode: number | null): number => (mode === null ? 0o777 : mode | 0o700);

/**
 * To be called in the turn in which `now` was proven to be what stands there. A folder goes only when it is empty:
 * FILE_CHANGED when it is not, or when something took a place that was free.
 */
export function exchange(at: Entry, now: Kind | null, coming: Coming): void {
  if (now === 'directory' && coming.kind === 'directory') return void (coming.mode !== null && setMode(at, coming.mode));
  if (coming.kind === null || coming.kind === 'directory') {
    clear(at, now);
    if (coming.kind === 'directory') makeDirectory(at, roomy(coming.mode));
    return;
  }
  const isOver = now === 'file' || now === 'link';
  if (!isOver) clear(at, now);
  if (coming.kind === 'link') makeLink(isOver ? coming.temp : at, coming.target ?? Buffer.alloc(0));
  if (isOver) replaceWith(coming.temp, at);
  else if (coming.kind === 'file') moveWithoutOverwrite(coming.temp, at);
}

function clear(at: Entry, now: Kind | null): void {
  if (now === 'file' || now === 'link') removeFile(at);
  if (now === 'directory' && !removeDirectory(at))
    throw new Failed('FILE_CHANGED', `Something was put into the folder ${JSON.stringify(at.name)} meanwhile. It was not removed.`);
}
