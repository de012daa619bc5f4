// Changes: from what a call wants to a journalled change that any later call can take back. The one way files are written.
import type { Blobs } from '../../base/blobs/blobs.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { Call, ProjectHandle } from '../../operation.ts';
import type { Files } from '../files/service.ts';
import { createAsking } from './asking.ts';
import type { Draft } from './draft.ts';
import { historyOf, inspect, settle, toChangeset } from './history.ts';
import { besideJournal } from './done.ts';
import { createJournal, type JournalParts } from './journal.ts';
import { createLosses } from './loss.ts';
import { createPlans, type StoredPlan } from './plans.ts';
import { recoverAll, recoverProject, type Recovered } from './recover.ts';
import { resolveDrafts, type Resolved } from './resolve.ts';
import { changeRows } from './rows.ts';
import type { Step } from './step.ts';
import { planUndo, undoable, type Undo } from './undo.ts';

export type { DiffText } from './difftext.ts';
export { boundDiffs, joinDiffs } from './difftext.ts';
export { bytesOf, type Draft } from './draft.ts';
export type { StoredPlan } from './plans.ts';
export { stepDiff, stepDiffs } from './power.ts';
export type { Recovered } from './recover.ts';
export type { DraftOutcome, Resolved } from './resolve.ts';
export { splice, spliceAll } from './splice.ts';
export type { Done } from './done.ts';
export { appliedFile, isLate, isUndoable, step, summaryOf, type Image, type Kind, type Step } from './step.ts';
export type { Trace } from './trace.ts';
export type { Side } from './rows.ts';

export interface ChangeParts {
  store: Store;
  blobs: Blobs;
  files: Files;
  clock: Clock;
  log: Log;
  projects: { open(projectId: string): Promise<ProjectHandle> };
  /** Told where a change stands, for tests that stop it there. */
  onStage?: JournalParts['onStage'];
}

/** What is done under a call, besides its steps. */
export interface Doing {
  steps: readonly Step[];
  /** The input of the call, when the owner may have been asked about a loss. */
  input?: object;
  /** The call's final data; stored with the change, so that a crash cannot part the two. */
  receipt(changesetId: string): Record<string, unknown>;
  undoes?: string;
  planId?: string;
}

export type Changes = ReturnType<typeof createChanges>;

export function createChanges(parts: ChangeParts) {
  const { store, blobs, files, clock, projects } = parts;
  const rows = changeRows(store);
  const plans = createPlans({ store, blobs, clock });
  const { onStage, ...kept } = parts;
  const shared = {
    ...kept,
    rows,
    ...(onStage === undefined ? {} : { onStage }),
    openProject: projects.open,
  };
  const journal = createJournal(shared);
  const losses = createLosses();
  blobs.protect(() => new Set([...rows.neededImages.all().map((row) => row.hash), ...plans.needs()]));

  async function apply(call: Call, doing: Doing): Promise<string> {
    await recoverProject(shared, call.project.projectId);
    if (call.signal.aborted) throw new Failed('CONFLICT', 'The call was cancelled before anything was changed.');
    losses.refuseUnasked(call.caller, doing.input ?? null, doing.steps);
    return journal.apply({
      project: call.project,
      principal: call.caller.principal,
      callerName: call.caller.name,
      operation: call.operation,
      reservation: call.reservation,
      kind: doing.undoes === undefined ? 'apply' : 'undo',
      undoes: doing.undoes ?? null,
      planId: doing.planId ?? null,
      steps: doing.steps,
      receipt: doing.receipt,
    });
  }

  const undoFor = (call: Call, changesetId: string): Promise<Undo> =>
    planUndo(shared, call.project, undoable(rows, call.project.projectId, { changesetId, caller: call.caller }));

  const resolve = (project: ProjectHandle, drafts: readonly Draft[]): Promise<Resolved> => resolveDrafts(shared, project, drafts);

  return {
    /** Reads the disk, proves every expectation, changes nothing. */
    resolve,
    apply,
    plan: (call: Call, steps: readonly Step[]): Promise<StoredPlan> =>
      plans.keep({ project: call.project, principal: call.caller.principal, operation: call.operation }, steps),
    /** The drafts of a reviewed plan that this caller may apply now. */
    planned: (call: Call, asked: { planId: string; planHash: string }): Draft[] =>
      plans.take({ project: call.project, principal: call.caller.principal }, asked),
    undoFor,

    ...besideJournal({ ...shared, journal }),
    ...createAsking({ files, losses, resolve }),

    /** Called before anything is accepted: what the last run left half done becomes all old or all new. */
    recover: (): Promise<Recovered[]> => recoverAll(shared),
    /** Whether a call under this reservation got as far as the journal. If not, it changed no file. */
    hasBegun: (reservation: string): boolean => rows.byReservation.get(reservation) !== undefined,

    history: (call: Call, limit: number) => historyOf(rows, call.project.projectId, { caller: call.caller, limit }),
    inspect: (call: Call, changesetId: string) => inspect(shared, changesetId, call.caller),
    settle: (changesetId: string) => settle(rows, changesetId),
    find: (changesetId: string) => {
      const row = rows.byId.get(changesetId);
      return row === undefined ? null : toChangeset(rows, row);
    },
  };
}
