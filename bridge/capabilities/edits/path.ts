// Deleting and moving one file, and making folders.
import type { Call } from '../../operation.ts';
import { isUndoable, summaryOf, type Changes, type Draft, type DraftOutcome } from '../changes/service.ts';

interface DeleteInput {
  path: string;
  expectedHash: string;
}

interface MoveInput extends DeleteInput {
  destPath: string;
}

export const deleteDraft = ({ path, expectedHash }: DeleteInput): Draft => ({ kind: 'delete', path, expectedHash });

export const moveDraft = ({ path, destPath, expectedHash }: MoveInput): Draft => ({ kind: 'move', path, destPath, expectedHash });

export async function deletePath(changes: Changes, call: Call, input: DeleteInput) {
  const { steps, outcomes } = await changes.resolve(call.project, [deleteDraft(input)]);
  const [outcome] = outcomes as [DraftOutcome];
  const answer = (changesetId: string) => ({
    path: outcome.path,
    deleted: true as const,
    beforeHash: outcome.before?.hash ?? '',
    changesetId,
  });
  const changesetId = await changes.apply(call, { steps, input, receipt: answer });
  const warnings = steps.every(isUndoable) ? [] : ['There was no room to keep the bytes of the file, so this deletion cannot be undone.'];
  return { data: answer(changesetId), warnings, brief: summaryOf(steps) };
}

export async function movePath(changes: Changes, call: Call, input: MoveInput) {
  const { steps, outcomes } = await changes.resolve(call.project, [moveDraft(input)]);
  const [outcome] = outcomes as [DraftOutcome];
  const known = { path: outcome.path, destPath: outcome.destPath ?? '', hash: outcome.after?.hash ?? '' };
  const answer = (changesetId: string) => ({ ...known, changesetId });
  const changesetId = await changes.apply(call, { steps, receipt: answer });
  return { data: answer(changesetId), brief: summaryOf(steps) };
}

export async function makeDirectory(changes: Changes, call: Call, path: string) {
  const { steps, outcomes } = await changes.resolve(call.project, [{ kind: 'mkdir', path }]);
  const [outcome] = outcomes as [DraftOutcome];
  const known = { path: outcome.path, created: steps.length > 0, createdParents: outcome.folders.slice(0, -1) };
  const answer = (changesetId: string | null) => ({ ...known, changesetId });
  const changesetId = steps.length === 0 ? null : await changes.apply(call, { steps, receipt: answer });
  return { data: answer(changesetId), brief: steps.length === 0 ? `${outcome.path} is there already` : summaryOf(steps) };
}
