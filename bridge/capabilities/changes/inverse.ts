// The inverse of one file of a change, given what is there now and what the journal last left there. Never over bytes it does not know.
import type { Blobs } from '../../base/blobs/blobs.ts';
import { merge } from './merge.ts';
import { modeOf, type Now } from './now.ts';
import { afterOf, beforeOf, metaOf, setsMode, type FileRow, type Side } from './rows.ts';
import { imageOf, step, type Image, type Step } from './step.ts';
import type { Left, Trail } from './trail.ts';

export interface Inverse {
  /** Empty: it is as it was before already. */
  steps: Step[];
}

export interface Conflict {
  path: string;
  /** Half a sentence that names both sides. */
  conflict: string;
  /** The later changes that stand in the way; none when it was edited from outside. */
  later: string[];
  line?: number;
}

export interface Sight {
  trail: Trail;
  blobs: Blobs;
  now(path: string): Promise<Now>;
  /** Bytes beyond this are not held. */
  limitBytes: number;
}

const DONE: Inverse = { steps: [] };
const one = (made: Step): Inverse => ({ steps: [made] });

export async function inverseOf(row: FileRow, sight: Sight): Promise<Inverse | Conflict> {
  switch (row.action) {
    case 'create':
      return inverseOfCreate(row, sight);
    case 'replace':
      return inverseOfReplace(row, sight);
    case 'delete':
      return inverseOfDelete(row, sight);
    case 'move':
      return inverseOfMove(row, sight);
    case 'mkdir':
      return inverseOfFolder(row, sight);
    case 'rmdir': {
      const now = await sight.now(row.path);
      const afterMeta = metaOf(row);
      return now.kind === 'absent' ? one(step({ action: 'mkdir', path: row.path, afterMeta })) : DONE;
    }
  }
}

async function inverseOfCreate(row: FileRow, { trail, now }: Sight): Promise<Inverse | Conflict> {
  const found = await now(trail.path);
  if (found.kind === 'absent') return DONE;
  if (trail.path !== row.path && isLeft(found, trail.left)) return byLater(trail, 'a later change moved it');
  if (!isSide(found, afterOf(row)) || !hasBytes(found)) return changed(trail, found, 'a later change edited it');
  return one(step({ action: 'delete', path: trail.path, ...sideFound(found) }));
}

async function inverseOfReplace(row: FileRow, sight: Sight): Promise<Inverse | Conflict> {
  const { trail, now, blobs } = sight;
  const [before, after] = [beforeOf(row), afterOf(row)];
  if (before.kind !== 'file' || after.kind !== 'file' || before.hash === after.hash) return inverseOfExchange(row, sight);
  const found = await now(trail.path);
  if (isSide(found, before)) return DONE;
  if (found.kind === 'file' && isSide(found, after)) return one(replacing(row, sight, { found }));
  if (found.kind !== 'file' || found.bytes === null || !isLeft(found, trail.left))
    return changed(trail, found, 'a later change took it away');
  const sides = { base: blobs.get(after.hash ?? ''), ours: found.bytes, theirs: blobs.get(before.hash ?? '') };
  const merged = merge(sides);
  if (!('bytes' in merged)) return unmerged(trail, merged);
  return merged.bytes.equals(found.bytes) ? DONE : one(replacing(row, sight, { found, after: imageOf(merged.bytes) }));
}

/** With the mode that it had, unless somebody has set another one since. */
function replacing(row: FileRow, { trail, blobs, limitBytes }: Sight, at: { found: FileFound; after?: Image }): Step {
  const { found } = at;
  const [old, given] = [beforeOf(row).meta, afterOf(row).meta];
  const afterMeta = setsMode(row) && old !== null && found.meta.mode === given?.mode ? { ...found.meta, mode: old.mode } : null;
  const image = at.after ?? imageKept(blobs, row.before_hash ?? '', limitBytes);
  return step({ action: 'replace', path: trail.path, after: image, ...sideFound(found), afterMeta });
}

/** One kind of thing in the place of another, or another mode of the same: back to it only from exactly what the change left. */
async function inverseOfExchange(row: FileRow, { trail, now, blobs, limitBytes }: Sight): Promise<Inverse | Conflict> {
  const [before, after] = [beforeOf(row), afterOf(row)];
  const found = await now(trail.path);
  const [old, given] = setsMode(row) ? [before.meta?.mode, after.meta?.mode] : [undefined, undefined];
  const mode = modeOf(found);
  if (isSide(found, before) && (old === undefined || mode === old)) return DONE;
  if (!isSide(found, after) || !hasBytes(found) || (before.kind === after.kind && given !== undefined && mode !== given))
    return changed(trail, found, 'a later change put something else there');
  const image =
    before.hash === null
      ? null
      : before.kind === 'link'
        ? imageOf(blobs.get(before.hash), before.hash)
        : imageKept(blobs, before.hash, limitBytes);
  return one(
    step({ action: 'replace', path: trail.path, ...sideFound(found), afterKind: before.kind, after: image, afterMeta: before.meta }),
  );
}

function unmerged(trail: Trail, reason: { conflict: string; line?: number }): Conflict {
  if (reason.conflict === 'overlap')
    return { ...byLater(trail, `a later change edited the same place (line ${reason.line ?? 0})`), line: reason.line ?? 0 };
  return byLater(
    trail,
    `a later change edited it, and it is ${reason.conflict === 'binary' ? 'not text' : 'too large'} to be merged by line`,
  );
}

async function inverseOfDelete(row: FileRow, { trail, now, blobs, limitBytes }: Sight): Promise<Inverse | Conflict> {
  const found = await now(row.path);
  const before = beforeOf(row);
  if (isSide(found, before)) return DONE;
  if (found.kind !== 'absent') return changed(trail, found, 'a later change put another file there');
  if (trail.path !== row.path && trail.left.kind === 'file') return byLater(trail, 'a later change made it anew and moved it');
  const hash = before.hash ?? '';
  const after = before.kind === 'link' ? imageOf(blobs.get(hash), hash) : imageKept(blobs, hash, limitBytes);
  return one(step({ action: 'create', path: row.path, after, afterKind: before.kind, afterMeta: before.meta }));
}

async function inverseOfMove(row: FileRow, { trail, now }: Sight): Promise<Inverse | Conflict> {
  const found = await now(trail.path);
  if (trail.path === row.path && isLeft(found, trail.left)) return DONE;
  if (trail.path !== row.dest_path && isLeft(found, trail.left)) return byLater(trail, 'a later change moved it on');
  if (found.kind !== 'file' || !(isLeft(found, trail.left) || found.hash === row.after_hash))
    return changed(trail, found, 'a later change took it away');
  const source = await now(row.path);
  if (source.kind !== 'absent')
    return {
      path: row.path,
      conflict: `something is at ${JSON.stringify(row.path)} by now, so ${JSON.stringify(trail.path)} cannot move back`,
      later: [],
    };
  const image: Image = { hash: found.hash, size: found.size, bytes: null };
  return one(step({ action: 'move', path: trail.path, destPath: row.path, before: image, after: image, beforeMeta: found.meta }));
}

/** A folder that is gone, or is no folder any more, needs no taking back. Whether it is empty is seen once all steps are known. */
async function inverseOfFolder(row: FileRow, { now }: Sight): Promise<Inverse> {
  const found = await now(row.path);
  if (found.kind !== 'directory') return DONE;
  return one(step({ action: 'rmdir', path: row.path, ...sideFound(found) }));
}

const isLeft = (found: Now, left: Left): boolean =>
  found.kind === left.kind && (!('hash' in left) || ('hash' in found && left.hash === found.hash));

const isSide = (found: Now, { kind, hash }: Side): boolean =>
  found.kind === (kind ?? 'absent') && (!('hash' in found) || found.hash === hash);

type FileFound = Extract<Now, { kind: 'file' }>;
type Found = Exclude<Now, { kind: 'absent' | 'foreign' }>;
const hasBytes = (found: Now): found is Found => found.kind !== 'absent' && found.kind !== 'foreign';

/** What a step expects at its place: exactly what was found there. */
function sideFound(found: Found): Pick<Step, 'before' | 'beforeKind' | 'beforeMeta'> {
  if (found.kind === 'directory')
    return { before: null, beforeKind: 'directory', beforeMeta: { mode: found.mode, uid: 0, gid: 0, xattrs: {} } };
  const before = { hash: found.hash, size: found.size, bytes: found.bytes };
  return { before, beforeKind: found.kind, beforeMeta: found.kind === 'file' ? found.meta : null };
}

/** What is there is either what a later change left, or it came from outside. */
function changed(trail: Trail, found: Now, byJournal: string): Conflict {
  if (isLeft(found, trail.left) && trail.later.length > 0) return byLater(trail, byJournal);
  const what = found.kind === 'absent' ? 'removed' : 'edited';
  return { path: trail.path, conflict: `${JSON.stringify(trail.path)} was ${what} from outside since`, later: [] };
}

const byLater = (trail: Trail, what: string): Conflict => ({
  path: trail.path,
  conflict: `${JSON.stringify(trail.path)}: ${what} (${trail.later.join(', ')})`,
  later: trail.later,
});

/** Bytes too many to hold are proven when they are put back, before anything takes their place. */
function imageKept(blobs: Blobs, hash: string, limitBytes: number): Image {
  const { size } = blobs.stream(hash);
  return size > limitBytes ? { hash, size, bytes: null } : imageOf(blobs.get(hash), hash);
}
