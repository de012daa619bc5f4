// A change that was made already, by a program and not by the journal: put into it as it is, so that it is taken back like any other.
import { newId } from '#shared/ids.ts';
import type { Staged } from '../../base/blobs/blobs.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../base/store/store.ts';
import { fileRow, refuseBlocked, type Journal } from './journal.ts';
import { recoverProject, type RecoveryParts } from './recover.ts';
import type { ChangeRows } from './rows.ts';
import type { Step } from './step.ts';
import { traceRows, tracesOf, type Trace } from './trace.ts';

export interface Done {
  projectId: string;
  principal: string;
  callerName: string;
  operation: string;
  summary: string;
  /** In the order in which they could have been done: folders before what is in them. */
  steps: readonly Step[];
  /** The images of both sides, kept. */
  images: readonly Pick<Staged, 'record'>[];
}

/** Belongs into the caller's own transaction. Gives back the id of the committed change. */
function recordDone({ rows, clock }: { rows: ChangeRows; clock: Clock }, done: Done): string {
  const changesetId = newId('chg');
  for (const image of done.images) image.record();
  rows.insert.run({
    changeset_id: changesetId,
    project_id: done.projectId,
    principal: done.principal,
    caller_name: done.callerName,
    operation: done.operation,
    kind: 'apply',
    status: 'applying',
    summary: done.summary,
    plan_id: null,
    undoes: null,
    reservation: null,
    receipt: null,
    unrecovered: null,
    created_at: clock.now(),
    committed_at: null,
    ordinal: null,
  });
  for (const [position, step] of done.steps.entries())
    rows.insertFile.run({ ...fileRow(step, { changesetId, position }), temp_name: null });
  rows.commit.run(clock.now(), changesetId);
  return changesetId;
}

/** For those who look at the disk beside the journal: what it did meanwhile, and where to put what others did. */
export function besideJournal(parts: RecoveryParts & { store: Store; journal: Journal }) {
  const { rows, journal } = parts;
  const traces = traceRows(parts.store);
  return {
    /** The work runs while no change of the project is being applied. */
    alone: journal.alone,
    /** Waits for a change that is being applied. Throws RECOVERY_REQUIRED when one is half done and cannot be finished now. */
    requireWhole: (projectId: string): Promise<void> =>
      journal.alone(projectId, async () => {
        await recoverProject(parts, projectId);
        refuseBlocked(rows, projectId);
      }),
    isApplying: (projectId: string): boolean => rows.open.all(projectId).some(({ status }) => status === 'applying'),
    /** The ordinal of the newest committed change, of any project. */
    lastOrdinal: (): number => traces.last.get()?.ordinal ?? 0,
    /** What committed changes after an ordinal left, in the order they did it. */
    since: (projectId: string, ordinal: number): Trace[] => traces.since.all(projectId, ordinal).flatMap(tracesOf),
    record: (done: Done): string => recordDone(parts, done),
  };
}
