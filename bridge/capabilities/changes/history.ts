// The account of changes: who made which, what was taken back by what, and how the files stand to it now.
import type { Changeset, FileAction } from '#shared/contracts/changes.ts';
import type { Blobs } from '../../base/blobs/blobs.ts';
import { Failed } from '../../failed.ts';
import type { Caller, ProjectHandle } from '../../operation.ts';
import { diffBudget, diffText, modeDiff, tooLargeToShow, type DiffBudget } from './difftext.ts';
import { ifReadable, modeOf, type Now } from './now.ts';
import { afterOf, beforeOf, setsMode, type ChangeRow, type ChangeRows, type FileRow } from './rows.ts';
import type { Left } from './trail.ts';
import { planUndo, sightOf, standingUndo, trailOf, undoable, type UndoParts } from './undo.ts';

export interface InspectedFile {
  path: string;
  destPath: string | null;
  action: FileAction;
  beforeHash: string | null;
  afterHash: string | null;
  diff: string;
  diffTruncated: boolean;
  onDisk: OnDisk;
}

type OnDisk = 'after' | 'before' | 'later_change' | 'edited_outside' | 'missing' | 'unreadable';

export interface Inspected {
  changeset: Changeset;
  files: InspectedFile[];
  laterChanges: string[];
  undo: { possible: boolean; reason: string | null };
}

export interface HistoryParts extends UndoParts {
  openProject(projectId: string): Promise<ProjectHandle>;
}

/** Newest first. A client sees its own; the owner sees all. */
export function historyOf(rows: ChangeRows, projectId: string, asked: { caller: Caller; limit: number }): Changeset[] {
  const { caller, limit } = asked;
  const found = caller.kind === 'owner' ? rows.latest.all(projectId, limit) : rows.latestOf.all(projectId, caller.principal, limit);
  return found.map((row) => toChangeset(rows, row));
}

export const toChangeset = (rows: ChangeRows, row: ChangeRow): Changeset => ({
  changesetId: row.changeset_id,
  projectId: row.project_id,
  kind: row.kind,
  status: row.status,
  summary: row.summary,
  operation: row.operation,
  caller: row.caller_name,
  createdAt: row.created_at,
  committedAt: row.committed_at,
  planId: row.plan_id,
  undoes: row.undoes,
  undoneBy: standingUndo(rows, row.changeset_id),
  ...filesOf(rows, row.changeset_id),
});

/** A program can change any number of files; so many of them are told one by one. */
export const FILES_LISTED = 100;

function filesOf(rows: ChangeRows, changesetId: string): Pick<Changeset, 'files' | 'fileCount'> {
  const files = rows.firstFiles.all(changesetId, FILES_LISTED).map((file) => ({
    path: file.path,
    destPath: file.dest_path,
    action: file.action,
    beforeHash: file.before_hash,
    afterHash: file.after_hash,
  }));
  if (files.length < FILES_LISTED) return { files };
  const fileCount = rows.fileCount.get(changesetId)?.count ?? files.length;
  return fileCount > files.length ? { files, fileCount } : { files };
}

/** For the owner: one change with its diffs, its files on disk, and whether it can be taken back. */
export async function inspect(parts: HistoryParts, changesetId: string, caller: Caller): Promise<Inspected> {
  const change = parts.rows.byId.get(changesetId);
  if (change === undefined) throw new Failed('NOT_FOUND', 'There is no such change.');
  const project = await openOr(parts, change.project_id);
  const files: InspectedFile[] = [];
  const later = new Set<string>();
  const budget = diffBudget();
  const fileRows = parts.rows.files.all(changesetId);
  const now = project instanceof Failed ? null : sightOf(parts, project, fileRows);
  for (const row of fileRows.slice(0, FILES_LISTED)) {
    const trail = trailOf(parts.rows, change, row);
    if (change.status === 'committed') for (const id of trail.later) later.add(id);
    files.push({
      ...shown(parts, row, budget),
      onDisk: now === null ? 'unreadable' : onDisk(await ifReadable(() => now(trail.path)), row, trail.left),
    });
  }
  const undo =
    fileRows.length > FILES_LISTED
      ? UNSEEN
      : project instanceof Failed
        ? { possible: false, reason: project.message }
        : await undoOf(parts, project, { changesetId, caller });
  return { changeset: toChangeset(parts.rows, change), files, laterChanges: [...later], undo };
}

/** Of that many files it is looked at when it is done: then all of it is, or nothing. */
const UNSEEN: Inspected['undo'] = { possible: true, reason: null };

async function openOr(parts: HistoryParts, projectId: string): Promise<ProjectHandle | Failed> {
  try {
    return await parts.openProject(projectId);
  } catch (error) {
    if (error instanceof Failed) return error;
    throw error;
  }
}

async function undoOf(
  parts: HistoryParts,
  project: ProjectHandle,
  asked: { changesetId: string; caller: Caller },
): Promise<Inspected['undo']> {
  try {
    await planUndo(parts, project, undoable(parts.rows, project.projectId, asked));
    return { possible: true, reason: null };
  } catch (error) {
    if (error instanceof Failed) return { possible: false, reason: error.message };
    throw error;
  }
}

function onDisk(found: Now | { kind: 'unreadable' }, row: FileRow, left: Left): OnDisk {
  if (found.kind === 'unreadable' || found.kind === 'foreign') return 'unreadable';
  const [before, after] = [beforeOf(row), afterOf(row)];
  const kind = found.kind === 'absent' ? null : found.kind;
  const hash = 'hash' in found ? found.hash : null;
  if (setsMode(row) && before.hash === after.hash && kind === before.kind) return modeOf(found) === before.meta?.mode ? 'before' : 'after';
  if (kind === after.kind && hash === after.hash) return 'after';
  if (found.kind === left.kind && hash === ('hash' in left ? left.hash : null)) return 'later_change';
  if (kind === before.kind && hash === before.hash) return 'before';
  return kind === null ? 'missing' : 'edited_outside';
}

function shown({ blobs, files }: UndoParts, row: FileRow, budget: DiffBudget): Omit<InspectedFile, 'onDisk'> {
  const named = { path: row.path, destPath: row.dest_path, action: row.action, beforeHash: row.before_hash, afterHash: row.after_hash };
  if (row.before_hash === null && row.after_hash === null) return { ...named, diff: modeLines(row), diffTruncated: false };
  if (row.action === 'move') return { ...named, diff: `rename from ${row.path}\nrename to ${row.dest_path ?? ''}\n`, diffTruncated: false };
  if ([row.before_hash, row.after_hash].some((hash) => hash !== null && !blobs.has(hash)))
    return { ...named, diff: 'The bytes of this change are not kept.\n', diffTruncated: true };
  if (row.action === 'replace' && row.before_hash === row.after_hash) return { ...named, diff: modeLines(row), diffTruncated: false };
  const sizes = { before: sizeKept(blobs, row.before_hash), after: sizeKept(blobs, row.after_hash) };
  if (Math.max(sizes.before ?? 0, sizes.after ?? 0) > files.limits.readFileBytes) {
    const { diff, truncated } = tooLargeToShow(row.path, sizes);
    return { ...named, diff, diffTruncated: truncated };
  }
  const side = (hash: string | null) => (hash === null ? null : blobs.get(hash));
  const { diff, truncated } = diffText({ path: row.path, before: side(row.before_hash), after: side(row.after_hash) }, budget);
  return { ...named, diff: modeLines(row) + diff, diffTruncated: truncated };
}

function modeLines(row: FileRow): string {
  return setsMode(row) ? modeDiff(beforeOf(row).meta, afterOf(row).meta) : '';
}

const sizeKept = (blobs: Blobs, hash: string | null): number | null => (hash === null ? null : blobs.stream(hash).size);

/** Ends an interrupted change with the disk as it is. */
export function settle(rows: ChangeRows, changesetId: string): { changesetId: string; status: ChangeRow['status'] } {
  const change = rows.byId.get(changesetId);
  if (change === undefined) throw new Failed('NOT_FOUND', 'There is no such change.');
  if (change.status === 'committed') throw new Failed('CONFLICT', 'This change was completed; there is nothing to settle.');
  if (change.status === 'applying')
    throw new Failed('CONFLICT', 'This change is being applied, or waits for its project to be there again. Nothing was settled.');
  rows.end.run('failed', change.unrecovered, changesetId);
  return { changesetId, status: 'failed' };
}
