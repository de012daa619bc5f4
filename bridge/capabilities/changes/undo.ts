// Taking back exactly one change while later ones stay: a new change whose steps are the old one's inverses, or a refusal naming both sides.
import { readdirSync } from 'node:fs';
import type { Blobs } from '../../base/blobs/blobs.ts';
import { openFolderSync } from '../../base/fs/folder.ts';
import { Failed } from '../../failed.ts';
import type { Caller, ProjectHandle } from '../../operation.ts';
import type { Files } from '../files/service.ts';
import { seeNow, type Now } from './now.ts';
import { createJudge } from './loss.ts';
import { inverseOf, type Conflict, type Inverse } from './inverse.ts';
import { exchangesFolder, type ChangeRow, type ChangeRows, type FileRow } from './rows.ts';
import { isEarly, isLate, splitPath, step, type Step } from './step.ts';
import { follow, leftBy, type Trail } from './trail.ts';

export interface UndoParts {
  rows: ChangeRows;
  blobs: Blobs;
  files: Files;
}

export interface Undo {
  change: ChangeRow;
  steps: Step[];
  warnings: string[];
  /** Committed later changes of the same files, which stay. */
  later: string[];
}

const CONFLICTS_LISTED = 20;

/** The committed undo that took a change back and was not itself taken back. */
export function standingUndo(rows: ChangeRows, changesetId: string): string | null {
  const standing = rows.undosOf.all(changesetId).find((undo) => standingUndo(rows, undo.changeset_id) === null);
  return standing?.changeset_id ?? null;
}

/** The change a caller may take back in this project. */
export function undoable(rows: ChangeRows, projectId: string, asked: { changesetId: string; caller: Caller }): ChangeRow {
  const change = rows.byId.get(asked.changesetId);
  if (change === undefined || change.project_id !== projectId)
    throw new Failed('NOT_FOUND', 'There is no such change in this project. Nothing was changed.');
  if (asked.caller.kind !== 'owner' && change.principal !== asked.caller.principal)
    throw new Failed('FORBIDDEN', 'This change was made by another caller; only the owner can take it back. Nothing was changed.');
  if (change.status !== 'committed')
    throw new Failed(
      'CONFLICT',
      `This change was not completed (${change.status}), so there is nothing to take back. Nothing was changed.`,
    );
  const undoneBy = standingUndo(rows, change.changeset_id);
  if (undoneBy !== null)
    throw new Failed('CONFLICT', `This change was taken back already, by ${undoneBy}. Nothing was changed.`, {
      recovery: 'To bring it back, undo that change.',
      detail: { undoneBy },
    });
  return change;
}

/** Looks at every file first; one conflict refuses all. Changes nothing. */
export async function planUndo(parts: UndoParts, project: ProjectHandle, change: ChangeRow): Promise<Undo> {
  const inverses: Inverse[] = [];
  const later = new Set<string>();
  const conflicts: Conflict[] = [];
  const fileRows = parts.rows.files.all(change.changeset_id);
  const now = sightOf(parts, project, fileRows);
  for (const row of fileRows.toReversed()) {
    const trail = trailOf(parts.rows, change, row);
    for (const id of trail.later) later.add(id);
    const { blobs, files } = parts;
    const limitBytes = files.limits.readFileBytes;
    const found = await inverseOf(row, { trail, blobs, limitBytes, now });
    if ('conflict' in found) conflicts.push(found);
    else inverses.push(found);
  }
  refuseConflicts(change, conflicts);
  const { steps, warnings } = await arrange(parts, project, inverses);
  if (steps.length === 0)
    throw new Failed('CONFLICT', ['Nothing is left of this change to take back. Nothing was changed.', ...warnings].join(' '), {
      detail: { changesetId: change.changeset_id, later: [...later] },
    });
  return { change, steps: steps.map(createJudge(parts.blobs)), warnings, later: [...later] };
}

/** What stands at each path. Where a folder gave its place to something else nothing is below it. */
export function sightOf({ files }: UndoParts, project: ProjectHandle, rows: readonly FileRow[]): (path: string) => Promise<Now> {
  const given = rows.filter(exchangesFolder).map(({ path }) => path);
  return async (path) => {
    const above = given.find((folder) => path.startsWith(`${folder}/`));
    if (above !== undefined && (await seeNow(files, project, above)).kind !== 'directory') return { kind: 'absent' };
    return seeNow(files, project, path);
  };
}

/** Where the journal last left the file of a row. */
export function trailOf(rows: ChangeRows, change: ChangeRow, row: FileRow): Trail {
  const left = leftBy(row);
  const path = row.action === 'move' ? (row.dest_path ?? '') : row.path;
  return follow(rows, { projectId: change.project_id, path, left, ordinal: change.ordinal ?? 0 });
}

function refuseConflicts(change: ChangeRow, conflicts: readonly Conflict[]): void {
  const [first] = conflicts;
  if (first === undefined) return;
  const more = conflicts.length > 1 ? ` (and ${conflicts.length - 1} more files)` : '';
  throw new Failed('CONFLICT', `This change cannot be taken back: ${first.conflict}${more}. Nothing was changed.`, {
    recovery:
      first.later.length > 0 ? 'Undo the later change first, or edit the file.' : 'Compare the file with the change and edit it by hand.',
    detail: { changesetId: change.changeset_id, conflicts: conflicts.slice(0, CONFLICTS_LISTED), count: conflicts.length },
  });
}

/** Folders before what goes into them, and after what comes out of them. */
async function arrange(
  parts: UndoParts,
  project: ProjectHandle,
  inverses: readonly Inverse[],
): Promise<{ steps: Step[]; warnings: string[] }> {
  const steps = inverses.flatMap((inverse) => inverse.steps);
  const early = new Map(steps.filter(isEarly).map((one) => [one.path, one]));
  const files = steps.filter((made) => !isEarly(made) && !isLate(made));
  for (const path of files.flatMap(placeMade)) {
    for (const folder of await missing(parts, project, { folder: splitPath(path).folder, early }))
      if (!early.has(folder)) early.set(folder, step({ action: 'mkdir', path: folder }));
  }
  const folders = [...early.values()].sort((a, b) => a.path.length - b.path.length);
  const removed = emptied(project.root, steps);
  return { steps: [...folders, ...files, ...removed.steps], warnings: removed.warnings };
}

const placeMade = (made: Step): string[] => (made.action === 'create' ? [made.path] : made.action === 'move' ? [made.destPath ?? ''] : []);

async function missing(
  { files }: UndoParts,
  project: ProjectHandle,
  { folder, early }: { folder: string; early: ReadonlyMap<string, Step> },
): Promise<string[]> {
  const names = folder === '.' ? [] : folder.split('/');
  const folders: string[] = [];
  let isBelowMade = false;
  for (const index of names.keys()) {
    const path = names.slice(0, index + 1).join('/');
    const planned = early.get(path);
    // What only gets another mode is there.
    const isThere = planned?.beforeKind === 'directory';
    isBelowMade ||= !isThere && (planned !== undefined || (await files.locate(project, path, 'write')).kind === 'absent');
    if (isBelowMade && planned === undefined) folders.push(path);
  }
  return folders;
}

/** The folders that will be empty once the files are gone; another one stays, with a word, unless something is to take its place. */
function emptied(root: string, steps: readonly Step[]): { steps: Step[]; warnings: string[] } {
  const gone = new Set(steps.filter((made) => made.action === 'delete' || made.action === 'move').map((made) => made.path));
  const kept: Step[] = [];
  const warnings: string[] = [];
  for (const made of steps.filter(isLate).sort((a, b) => b.path.length - a.path.length)) {
    const isEmptied = made.afterKind === 'directory' || entriesOf(root, made.path).every((path) => gone.has(path));
    if (isEmptied) kept.push(made);
    else if (made.action !== 'rmdir') throw holdsOthers(made.path);
    else warnings.push(`The folder ${JSON.stringify(made.path)} was left, because other things are in it.`);
    if (isEmptied && made.action === 'rmdir') gone.add(made.path);
  }
  return { steps: kept, warnings };
}

const holdsOthers = (path: string): Failed =>
  new Failed(
    'CONFLICT',
    `Other things are in the folder ${JSON.stringify(path)} by now, so nothing can take its place. Nothing was changed.`,
    {
      detail: { path },
    },
  );

function entriesOf(root: string, path: string): string[] {
  const folder = openFolderSync(root, path);
  try {
    return readdirSync(folder.path).map((name) => `${path}/${name}`);
  } finally {
    folder.close();
  }
}
