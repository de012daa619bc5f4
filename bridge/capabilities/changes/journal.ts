// The write-ahead journal: what was there is durable and the change is recorded before the first byte changes; all files or none.
import { newId } from '#shared/ids.ts';
import type { Blobs, Staged } from '../../base/blobs/blobs.ts';
import type { Clock } from '../../base/clock.ts';
import { makeDirectory, writeTemp } from '../../base/fs/write.ts';
import type { Peek } from '../../base/fs/peek.ts';
import type { Log } from '../../base/log.ts';
import { commitThenFlush } from '../../base/store/flush.ts';
import { atomically, type Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import { roomy } from './exchange.ts';
import { fileStream } from './image.ts';
import { holdPlaces, type Places } from './places.ts';
import { revertAll, type OnStage } from './revert.ts';
import { tempName, type ChangeRow, type ChangeRows, type FileRow } from './rows.ts';
import { isEarly, isModeOnly, isUndoable, summaryOf, type Image, type Step } from './step.ts';
import { exchangeAt, lookAtAll, requireBefore, seeAgain, setFolderModes, swap, tempEntry } from './swap.ts';

export interface JournalParts {
  store: Store;
  rows: ChangeRows;
  blobs: Blobs;
  clock: Clock;
  log: Log;
  onStage?: OnStage;
}

export interface Intent {
  project: ProjectHandle;
  principal: string;
  callerName: string;
  operation: string;
  reservation: string | null;
  kind: 'apply' | 'undo';
  undoes: string | null;
  planId: string | null;
  steps: readonly Step[];
  /** The handler's final data, stored with the change so that a crash cannot part the two. */
  receipt(changesetId: string): Record<string, unknown>;
}

/** What one change carries along while it is applied. */
interface Run {
  parts: JournalParts;
  intent: Intent;
  changesetId: string;
  files: FileRow[];
  /** Files that were acted on; only these can need taking back. */
  attempted: FileRow[];
  /** What was found at each path when it was last hashed. */
  seen: Map<string, Peek>;
}

export type Journal = ReturnType<typeof createJournal>;

export function createJournal(parts: JournalParts) {
  const busy = new Set<string>();
  const last = new Map<string, Promise<unknown>>();

  /** Runs the work while no change of the project is being applied; one that comes meanwhile waits. */
  async function alone<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const turn = (last.get(projectId) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => undefined);
    last.set(projectId, ended);
    void ended.then(() => last.get(projectId) === ended && last.delete(projectId));
    return turn;
  }

  /** Returns the id of the committed change. A failure in the middle is taken back before it is thrown. */
  async function apply(intent: Intent): Promise<string> {
    const { projectId } = intent.project;
    refuseBlocked(parts.rows, projectId);
    if (busy.has(projectId)) throw new Error('Two changes at once in one project: the queue has been passed by.');
    busy.add(projectId);
    try {
      return await alone(projectId, () => applyAlone(parts, intent));
    } finally {
      busy.delete(projectId);
    }
  }

  return { apply, alone };
}

/** While a change is half done, nothing else is done to the project. */
export function refuseBlocked(rows: ChangeRows, projectId: string): void {
  const [open] = rows.open.all(projectId);
  if (open === undefined) return;
  throw new Failed('RECOVERY_REQUIRED', 'An earlier change of this project was interrupted and is not settled yet. Nothing was changed.', {
    recovery: 'The owner looks at the change in the console and settles it.',
    detail: { changesetId: open.changeset_id, files: JSON.parse(open.unrecovered ?? '[]') as unknown },
  });
}

async function applyAlone(parts: JournalParts, intent: Intent): Promise<string> {
  const changesetId = newId('chg');
  const files = intent.steps.map((step, position) => fileRow(step, { changesetId, position }));
  const { before, seen } = await stageBefore(parts.blobs, intent);
  await before.keep();
  await parts.onStage?.('images-kept');
  const isDurable = begin(parts, { intent, changesetId, files, before });
  const run: Run = { parts, intent, changesetId, files, attempted: [], seen };
  try {
    using places = holdPlaces(intent.project.root);
    await carryOut(run, places, isDurable);
    return changesetId;
  } catch (cause) {
    await Promise.allSettled([isDurable]);
    throw await takeBack(run, cause);
  }
}

/** A move keeps its bytes by itself; what is replaced or deleted has to be kept first, but for a deletion that was asked for. */
const keepsBefore = (step: Step): boolean =>
  step.before !== null && (step.action === 'replace' || (step.action === 'delete' && isUndoable(step)));

/** Also tells which files were copied, so that they need not be hashed once more as long as nobody touches them. */
async function stageBefore(blobs: Blobs, { project, steps }: Intent): Promise<{ before: Staged; seen: Map<string, Peek> }> {
  using places = holdPlaces(project.root);
  const seen = new Map<string, Peek>();
  const before = await blobs.stage(
    steps.filter(keepsBefore).map(({ path, before }) => {
      const { bytes, hash, size } = before as Image;
      return bytes ?? fileStream(places, { path, hash, size, seen: (found) => seen.set(path, found) });
    }),
  );
  return { before, seen };
}

export const fileRow = (step: Step, at: { changesetId: string; position: number }): FileRow => ({
  changeset_id: at.changesetId,
  position: at.position,
  action: step.action,
  path: step.path,
  dest_path: step.destPath,
  before_hash: step.before?.hash ?? null,
  after_hash: step.after?.hash ?? null,
  before_meta: step.beforeMeta === null ? null : JSON.stringify(step.beforeMeta),
  before_kind: step.beforeKind,
  after_kind: step.afterKind,
  after_meta: step.afterMeta === null ? null : JSON.stringify(step.afterMeta),
  temp_name: step.action === 'mkdir' || step.action === 'rmdir' || step.action === 'move' ? null : tempName(at.changesetId, at.position),
});

/** The first of the two transactions: from here on a crash is found and mended. Nothing of the project changes before it is durable. */
function begin(parts: JournalParts, change: { intent: Intent; changesetId: string; files: FileRow[]; before: Staged }): Promise<void> {
  const { intent, changesetId } = change;
  const row: ChangeRow = {
    changeset_id: changesetId,
    project_id: intent.project.projectId,
    principal: intent.principal,
    caller_name: intent.callerName,
    operation: intent.operation,
    kind: intent.kind,
    status: 'applying',
    summary: summaryOf(intent.steps),
    plan_id: intent.planId,
    undoes: intent.undoes,
    reservation: intent.reservation,
    receipt: intent.reservation === null ? null : JSON.stringify(intent.receipt(changesetId)),
    unrecovered: null,
    created_at: parts.clock.now(),
    committed_at: null,
    ordinal: null,
  };
  return commitThenFlush(parts.store, () => {
    change.before.record();
    parts.rows.insert.run(row);
    for (const file of change.files) parts.rows.insertFile.run(file);
  });
}

async function carryOut(run: Run, places: Places, isDurable: Promise<void>): Promise<void> {
  const { parts, intent, changesetId } = run;
  await parts.onStage?.('journalled');
  if (intent.steps.some(isEarly)) await isDurable;
  for (const [index, step] of intent.steps.entries()) if (isEarly(step)) await makeFolder(step, { run, index, places });
  await parts.onStage?.('folders-made');
  const after = stageAfter(run);
  await allSettled([isDurable, writeTemps(run, places), after]);
  await parts.onStage?.('temps-written');
  if (intent.steps.length > 1) await lookAtAll(intent.steps, places, run.seen);
  for (const [index, step] of intent.steps.entries()) {
    await parts.onStage?.(`swapping:${index}`);
    if (isEarly(step)) continue;
    requireBefore(step, places, await seeAgain(step, places, run.seen.get(step.path)));
    run.attempted.push(run.files[index] as FileRow);
    swap(step, places, run.files[index]?.temp_name ?? '');
  }
  setFolderModes(intent.steps, places);
  await parts.onStage?.('swapped');
  // Flushes that start together share one commit of the file system's own journal.
  await allSettled([places.sync(), after.then((staged) => staged.keep())]);
  await parts.onStage?.('folders-synced');
  commit(parts, { changesetId, planId: intent.planId, after: await after });
  await parts.onStage?.('committed');
}

/** A file or a link, with its bytes. */
const makesFile = (made: Step): boolean => (made.action === 'create' || made.action === 'replace') && made.after !== null;

/** A link needs no temp file: it is made in one step. */
const needsTemp = (made: Step): boolean => makesFile(made) && made.afterKind === 'file' && !isModeOnly(made);

/** Bytes that are not held are put back from the store: they are in it, and are used again now. */
async function stageAfter({ parts: { blobs }, intent }: Run): Promise<Staged> {
  return blobs.stage(intent.steps.filter(makesFile).map(({ after }) => after?.bytes ?? blobs.stream(after?.hash ?? '')));
}

/**
 * The second transaction. It is made durable by the account of the call, which follows before anything is answered. Should the
 * power fail in between, recovery finds every file as the change made it, and commits it again.
 */
export function commit(
  parts: Pick<JournalParts, 'store' | 'rows' | 'clock'>,
  change: { changesetId: string; planId: string | null; after: Staged },
): void {
  atomically(parts.store, 'soon', () => {
    change.after.record();
    parts.rows.commit.run(parts.clock.now(), change.changesetId);
    if (change.planId !== null) parts.rows.usePlan.run(change.changesetId, change.planId);
  });
}

const TEMPS_AT_ONCE = 16;

/** Every writer ends before this does, so that nothing is written while the change is taken back. */
async function writeTemps({ parts: { blobs }, intent, files }: Run, places: Places): Promise<void> {
  const waiting = intent.steps.flatMap((step, index) => (needsTemp(step) ? [{ step, temp: files[index]?.temp_name ?? '' }] : []));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { step, temp } = next;
      const bytes = step.after?.bytes ?? blobs.stream(step.after?.hash ?? '').pieces();
      const meta = step.afterMeta ?? (step.beforeKind === 'file' ? step.beforeMeta : null);
      await writeTemp(tempEntry(step, places, temp), { bytes, meta, isExecutable: step.isExecutable });
    }
  };
  await allSettled(Array.from({ length: Math.min(TEMPS_AT_ONCE, waiting.length) }, work));
}

/** Waits for all of them, also after one has failed; then throws what failed first. */
async function allSettled(work: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(work)) if (end.status === 'rejected') throw end.reason;
}

/** Before the files, because their temp files already need it. */
async function makeFolder(step: Step, { run, index, places }: { run: Run; index: number; places: Places }): Promise<void> {
  const row = run.files[index] as FileRow;
  if (step.action !== 'mkdir') {
    requireBefore(step, places, await seeAgain(step, places, run.seen.get(step.path)));
    run.attempted.push(row);
    return exchangeAt(step, places, row.temp_name ?? '');
  }
  makeDirectory(places.entry(step.path), roomy(step.afterMeta?.mode ?? null));
  run.attempted.push(row);
}

/** After a failure in the middle: back to how it was, or, where that is no longer ours to do, said and left alone. */
async function takeBack({ parts, intent, changesetId, files, attempted }: Run, cause: unknown): Promise<unknown> {
  await parts.onStage?.('taking-back');
  const { unrecovered } = await revertAll(intent.project.root, { temps: files, files: attempted }, parts);
  await parts.onStage?.('taken-back');
  if (unrecovered.length === 0) {
    parts.rows.end.run('failed', null, changesetId);
    return cause;
  }
  parts.log.error({ changesetId, err: cause }, 'A change failed in the middle and could not be taken back whole.');
  parts.rows.end.run('recovery_required', JSON.stringify(unrecovered), changesetId);
  return partial(changesetId, unrecovered, cause);
}

export const partial = (changesetId: string, unrecovered: readonly string[], cause?: unknown): Failed =>
  new Failed(
    'PARTIAL_RECOVERY_REQUIRED',
    `The change failed in the middle. All but these files are as before: ${unrecovered.slice(0, 20).join(', ')}.`,
    {
      recovery: 'The owner looks at the change in the console and settles it; every byte on disk is kept.',
      detail: { changesetId, files: unrecovered.slice(0, 20), count: unrecovered.length },
      cause,
    },
  );
