// The one moment in which a file changes: what stands there was proven in the same turn to be what the call saw.
import { isLarge, type Peek } from '../../base/fs/peek.ts';
import { makeLink, moveWithoutOverwrite, removeDirectory, removeFile, setMode, type Entry } from '../../base/fs/write.ts';
import { Failed } from '../../failed.ts';
import { exchange } from './exchange.ts';
import type { Places } from './places.ts';
import { isFile, isStillAt, peekAt } from './revert.ts';
import { isEarly, isModeOnly, splitPath, type Step } from './step.ts';

export const tempEntry = (step: Step, places: Places, temp: string): Entry => ({
  folder: places.folder(splitPath(step.path).folder),
  name: temp,
});

/** So that nothing is begun when one of them is not as the call saw it. */
export async function lookAtAll(steps: readonly Step[], places: Places, seen: Map<string, Peek>): Promise<void> {
  for (const step of steps) {
    if (isEarly(step) && step.action !== 'mkdir') continue; // It was done already.
    const found = await seeAgain(step, places, seen.get(step.path));
    requireBefore(step, places, found);
    seen.set(step.path, found);
  }
}

/** What is there now. A large file is not hashed once more as long as nobody has touched it. */
export const seeAgain = async (step: Step, places: Places, seen: Peek | undefined): Promise<Peek> =>
  seen !== undefined && isLarge(seen) && isStillAt(places, step.path, seen) ? seen : peekAt(places, step.path);

/** Throws FILE_CHANGED unless the place is exactly as the call saw it, and this very moment still what was found there. */
export function requireBefore(step: Step, places: Places, found: Peek): void {
  if (!isBefore(step, found) || !isStillAt(places, step.path, found)) throw changedSince(step.path);
  if (step.destPath !== null && !isStillAt(places, step.destPath, { kind: 'absent' })) throw changedSince(step.destPath);
}

function isBefore(step: Step, found: Peek): boolean {
  const { action, before, beforeKind } = step;
  switch (action) {
    case 'mkdir':
    case 'rmdir':
      return found.kind === 'directory';
    case 'create':
      return found.kind === 'absent';
    case 'move':
      return isFile(found, before?.hash ?? null);
    case 'replace':
    case 'delete':
      if (beforeKind === 'directory') return found.kind === 'directory';
      if (beforeKind === 'link') return found.kind === 'link' && found.hash === before?.hash;
      return found.kind === 'file' && found.hash === before?.hash && (found.stats.nlink === 1n || isModeOnly(step));
  }
}

const changedSince = (path: string): Failed =>
  new Failed(
    'FILE_CHANGED',
    `${JSON.stringify(path)} was changed from outside while the change was being applied. It was not overwritten.`,
    {
      recovery: 'Read the file again and send the change with its current hash.',
      detail: { path },
    },
  );

/** Acts in the same turn in which the place was looked at. */
export function swap(step: Step, places: Places, temp: string): void {
  const target = () => places.entry(step.path);
  switch (step.action) {
    case 'create':
      if (step.afterKind === 'link') return makeLink(target(), step.after?.bytes ?? Buffer.alloc(0));
      return moveWithoutOverwrite(tempEntry(step, places, temp), target());
    case 'replace':
      return exchangeAt(step, places, temp);
    case 'delete':
      return removeFile(target());
    case 'move':
      return moveWithoutOverwrite(target(), places.entry(step.destPath ?? ''));
    case 'rmdir':
      places.release(step.path);
      if (!removeDirectory(target())) throw changedSince(step.path);
      return;
    case 'mkdir':
  }
}

/** Also before the others, where a folder has to be there for them. */
export function exchangeAt(step: Step, places: Places, temp: string): void {
  const mode = step.afterMeta?.mode ?? null;
  if (isModeOnly(step)) return void (mode !== null && setMode(places.entry(step.path), mode));
  if (step.beforeKind === 'directory') places.release(step.path);
  const coming = { kind: step.afterKind, temp: tempEntry(step, places, temp), target: step.after?.bytes ?? null, mode };
  exchange(places.entry(step.path), step.beforeKind, coming);
}

/** The modes of folders that were made, once everything is in them; the inner ones first, as an outer one may close the way. */
export function setFolderModes(steps: readonly Step[], places: Places): void {
  for (const { action, beforeKind, afterKind, afterMeta, path } of steps.toReversed())
    if (afterMeta !== null && afterKind === 'directory' && (action === 'mkdir' || beforeKind !== 'directory'))
      setMode(places.entry(path), afterMeta.mode);
}
