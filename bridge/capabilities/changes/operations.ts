// The operations on changes: each turns its input into drafts or an undo, and says in one line what came of it.
import { changesContract, type PlannedFile, type PlannedOperation } from '#shared/contracts/changes.ts';
import type { z } from 'zod';
import { Failed } from '../../failed.ts';
import { implement, type Call, type Operation } from '../../operation.ts';
import { decodeText } from '../files/service.ts';
import { boundDiffs, type DiffText } from './difftext.ts';
import { bytesOf, type Draft } from './draft.ts';
import { reasonsFor, stepDiffs } from './power.ts';
import { FILES_LISTED } from './history.ts';
import type { Changes } from './service.ts';
import { splice } from './splice.ts';
import { appliedFile, isUndoable, summaryOf, type Step } from './step.ts';

export function changeOperations(changes: Changes): Operation[] {
  return implement(
    changesContract,
    {
      preview_changes: (input, call) => preview(changes, call, input.operations),
      apply_changes: (input, call) => apply(changes, call, input),
      rollback_changes: (input, call) => undo(changes, call, input),
      async change_history({ limit }, call) {
        return { data: { changesets: changes.history(call, limit) } };
      },
      async change_inspect({ changesetId }, call) {
        return { data: await changes.inspect(call, changesetId) };
      },
      async change_settle({ changesetId }) {
        return { data: changes.settle(changesetId), brief: `Settled ${changesetId}` };
      },
    },
    {
      async apply_changes(input, call) {
        return changes.asksAbout(call, input, changes.planned(call, input));
      },
      async rollback_changes(input, call) {
        return changes.ask(call, input, (await changes.undoFor(call, input.changesetId)).steps);
      },
    },
  );
}

async function preview(changes: Changes, call: Call, operations: readonly PlannedOperation[]) {
  const { steps } = await changes.resolve(call.project, operations.map(toDraft));
  if (steps.length === 0) throw new Failed('CONFLICT', 'Every file is so already; there is nothing to plan.');
  const plan = await changes.plan(call, steps);
  const summary = summaryOf(steps);
  const diffs = boundDiffs(stepDiffs(steps));
  const files = steps.map((step, index) => plannedFile(step, diffs[index] as DiffText));
  const data = { ...plan, summary, risk: riskOf(steps), requiresApproval: reasonsFor(steps).length > 0, files };
  return { data, truncated: files.some((file) => file.diffTruncated), brief: `Planned: ${summary}` };
}

function toDraft(operation: PlannedOperation): Draft {
  const { kind, path } = operation;
  switch (kind) {
    case 'create':
      return { kind: 'write', path, bytes: bytesOf(operation.content), expectedHash: 'absent', createParents: operation.createParents };
    case 'replace_file':
      return { kind: 'write', path, bytes: bytesOf(operation.content), expectedHash: operation.expectedHash, createParents: true };
    case 'replace_exact': {
      const { find, replace, expectedCount, expectedHash } = operation;
      const edit = (bytes: Buffer) => {
        decodeText(bytes);
        return splice(bytes, [{ find, replace, expectedCount }], path).bytes;
      };
      return { kind: 'edit', path, expectedHash, edit };
    }
    case 'delete':
      return { kind: 'delete', path, expectedHash: operation.expectedHash };
    case 'move':
      return { kind: 'move', path, destPath: operation.destPath, expectedHash: operation.expectedHash };
  }
}

function riskOf(steps: readonly Step[]): 'low' | 'medium' | 'high' {
  if (steps.some((step) => step.action === 'delete')) return 'high';
  return steps.every((step) => step.action === 'create' || step.action === 'mkdir') ? 'low' : 'medium';
}

function plannedFile(step: Step, { diff, truncated }: DiffText): z.input<typeof PlannedFile> {
  const sizes = { bytesBefore: step.before?.size ?? 0, bytesAfter: step.after?.size ?? 0 };
  return { ...appliedFile(step), diff, diffTruncated: truncated, ...sizes };
}

async function apply(changes: Changes, call: Call, input: { planId: string; planHash: string }) {
  const { steps } = await changes.resolve(call.project, changes.planned(call, input));
  if (steps.length === 0) throw new Failed('CONFLICT', 'Every file is so already; nothing was changed.');
  const answer = (changesetId: string) => ({ changesetId, files: steps.map(appliedFile), rollbackAvailable: steps.every(isUndoable) });
  const changesetId = await changes.apply(call, { steps, input, receipt: answer, planId: input.planId });
  return { data: answer(changesetId), brief: summaryOf(steps) };
}

async function undo(changes: Changes, call: Call, input: { changesetId: string }) {
  const undone = input.changesetId;
  const { steps, warnings, change } = await changes.undoFor(call, undone);
  const listed = steps.slice(0, FILES_LISTED);
  const files = listed.map(appliedFile);
  const answer = (changesetId: string) => ({
    changesetId,
    undoes: undone,
    restored: listed.map((step) => step.destPath ?? step.path),
    files,
  });
  if (listed.length < steps.length) warnings.push(`${steps.length} files and folders were put back; ${listed.length} of them are listed.`);
  const changesetId = await changes.apply(call, { steps, input, receipt: answer, undoes: undone });
  return { data: answer(changesetId), warnings, brief: turned(changes, change) };
}

/** Every turn is told by the change that it all began with: a redo makes that one again, whatever its own steps are. */
function turned(changes: Changes, { undoes, summary }: { undoes: string | null; summary: string }): string {
  const before = undoes === null ? null : changes.find(undoes);
  if (before === null) return `Took back: ${summary}`;
  const told = turned(changes, before);
  return told.startsWith('Took back') ? told.replace('Took back', 'Made again') : told.replace('Made again', 'Took back');
}
