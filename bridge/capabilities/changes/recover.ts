// After a crash every change is all old or all new: what was half done is taken back, what was done is committed with its receipt.
import type { Blobs, Staged } from '../../base/blobs/blobs.ts';
import type { Log } from '../../base/log.ts';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import { look, readLink } from '../../base/fs/write.ts';
import { fileStream } from './image.ts';
import { commit, type JournalParts } from './journal.ts';
import { holdPlaces } from './places.ts';
import { isAfter, removeTemp, revertAll } from './revert.ts';
import { afterOf, exchangesFolder, type ChangeRow, type FileRow } from './rows.ts';

/** What became of one change that the last run of the bridge did not finish, or did not get to tell. */
export interface Recovered {
  projectId: string;
  /** The open idempotency key of the call, if it had one. */
  reservation: string | null;
  /** The data of the call, when its change is committed. */
  receipt: Record<string, unknown> | null;
  /** Every file is as it was before: the key may be used again. */
  isUndone: boolean;
  /** For the account of what happened. */
  told: { changesetId: string; status: ChangeRow['status']; summary: string; files: string[] };
}

export interface RecoveryParts extends Pick<JournalParts, 'store' | 'rows' | 'clock' | 'onStage'> {
  blobs: Blobs;
  log: Log;
  openProject(projectId: string): Promise<ProjectHandle>;
}

const RECEIPTS_KEPT_MS = 24 * 60 * 60 * 1000;

/** Run before anything is accepted. A change whose project cannot be opened now waits until it can. */
export async function recoverAll(parts: RecoveryParts): Promise<Recovered[]> {
  parts.rows.forgetReceipts.run(parts.clock.now() - RECEIPTS_KEPT_MS);
  const found: Recovered[] = [];
  for (const change of parts.rows.unfinished.all()) found.push(await recoverOne(parts, change));
  const known = new Set(found.map((one) => one.told.changesetId));
  const untold = parts.rows.untold.all().filter((change) => !known.has(change.changeset_id));
  return [...found, ...untold.map((change) => toRecovered(parts, change.changeset_id))];
}

/** Finishes what is left behind in one project: what was in the way of an earlier attempt may be gone by now. */
export async function recoverProject(parts: RecoveryParts, projectId: string): Promise<void> {
  for (const change of parts.rows.open.all(projectId)) await recoverOne(parts, change);
}

async function recoverOne(parts: RecoveryParts, change: ChangeRow): Promise<Recovered> {
  const project = await opened(parts, change);
  if (project !== null) await finish(parts, change, project.root);
  return toRecovered(parts, change.changeset_id);
}

async function opened(parts: RecoveryParts, change: ChangeRow): Promise<ProjectHandle | null> {
  try {
    return await parts.openProject(change.project_id);
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    parts.log.warn({ changesetId: change.changeset_id, err: error }, 'An interrupted change waits, because its project cannot be opened.');
    return null;
  }
}

async function finish(parts: RecoveryParts, change: ChangeRow, root: string): Promise<void> {
  const files = parts.rows.files.all(change.changeset_id);
  const done = (await isDone(files, root)) ? await keepDone(parts, files, root) : null;
  if (done !== null) return commit(parts, { changesetId: change.changeset_id, planId: change.plan_id, after: done });
  const { unrecovered } = await revertAll(root, { temps: files, files }, parts);
  await parts.onStage?.('reverted');
  if (unrecovered.length === 0) parts.rows.end.run('failed', null, change.changeset_id);
  else parts.rows.end.run('recovery_required', JSON.stringify(unrecovered), change.changeset_id);
}

/** Whether every file is what the change was to make it. What cannot even be looked at is not. */
async function isDone(files: readonly FileRow[], root: string): Promise<boolean> {
  using places = holdPlaces(
    root,
    files.filter(exchangesFolder).map(({ path }) => path),
  );
  try {
    for (const row of files) removeTemp(row, places);
    for (const row of files) if (!(await isAfter(row, places))) return false;
    return true;
  } catch (error) {
    if (error instanceof Failed) return false;
    throw error;
  }
}

/**
 * The crash may have come before the new bytes were kept; they are on the disk, proven by their hash. null when they changed
 * since. When the store has no room for them, the change stands without them: it can be put back whole, but not merged.
 */
async function keepDone(parts: RecoveryParts, files: readonly FileRow[], root: string): Promise<Staged | null> {
  using places = holdPlaces(root);
  const missing = files.filter(({ action, after_hash: hash }) => action !== 'move' && hash !== null && !parts.blobs.has(hash));
  try {
    const images = missing.map((row) => {
      const { path, after_hash: hash } = row;
      const entry = places.entry(path);
      if (afterOf(row).kind === 'link') return readLink(entry) ?? Buffer.alloc(0);
      return fileStream(places, { path, hash: hash ?? '', size: Number(look(entry)?.size ?? 0n) });
    });
    await places.sync();
    const staged = await parts.blobs.stage(images);
    await staged.keep();
    return staged;
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    parts.log.warn({ err: error }, 'The new bytes of a finished change could not be kept.');
    return error.code === 'RESOURCE_LIMIT' ? await parts.blobs.stage([]) : null;
  }
}

function toRecovered(parts: RecoveryParts, changesetId: string): Recovered {
  const change = parts.rows.byId.get(changesetId);
  if (change === undefined) throw new Error('A change that was being recovered is gone.');
  const isCommitted = change.status === 'committed';
  const unrecovered = JSON.parse(change.unrecovered ?? '[]') as string[];
  return {
    projectId: change.project_id,
    reservation: change.reservation,
    receipt: isCommitted && change.receipt !== null ? (JSON.parse(change.receipt) as Record<string, unknown>) : null,
    isUndone: change.status === 'failed' && change.unrecovered === null,
    told: {
      changesetId,
      status: change.status,
      summary: change.summary,
      files: unrecovered.length > 0 ? unrecovered : parts.rows.files.all(changesetId).map((row) => row.path),
    },
  };
}
