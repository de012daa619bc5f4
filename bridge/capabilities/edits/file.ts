// Writing and editing one text file.
import type { Edit } from '#shared/contracts/edits.ts';
import type { Call } from '../../operation.ts';
import { bytesOf, splice, stepDiff, summaryOf, type Changes, type Draft, type DraftOutcome, type Step } from '../changes/service.ts';
import { decodeText } from '../files/service.ts';

interface WriteInput {
  path: string;
  content: string;
  expectedHash: string;
  createParents: boolean;
}

interface EditInput {
  path: string;
  edits: Edit[];
  expectedHash: string;
  dryRun: boolean;
}

export const writeDraft = ({ path, content, expectedHash, createParents }: WriteInput): Draft => ({
  kind: 'write',
  path,
  bytes: bytesOf(content),
  expectedHash,
  createParents,
});

export const editDraft = ({ path, edits, expectedHash }: EditInput): Draft => ({
  kind: 'edit',
  path,
  expectedHash,
  edit(bytes) {
    decodeText(bytes);
    return splice(bytes, edits, path).bytes;
  },
});

export async function writeFile(changes: Changes, call: Call, input: WriteInput) {
  const { steps, outcomes } = await changes.resolve(call.project, [writeDraft(input)]);
  const [outcome] = outcomes as [DraftOutcome];
  const { diff, truncated } = stepDiff(outcome.step);
  const answer = (changesetId: string | null) => ({
    path: outcome.path,
    created: outcome.before === null,
    hash: outcome.after?.hash ?? '',
    beforeHash: outcome.before?.hash ?? null,
    bytes: outcome.after?.size ?? 0,
    diff,
    changesetId,
  });
  const changesetId = steps.length === 0 ? null : await changes.apply(call, { steps, receipt: answer });
  return { data: answer(changesetId), truncated, brief: briefOf(steps, outcome) };
}

export async function editFile(changes: Changes, call: Call, input: EditInput) {
  const { steps, outcomes } = await changes.resolve(call.project, [editDraft(input)]);
  const [outcome] = outcomes as [DraftOutcome];
  const { diff, truncated } = stepDiff(outcome.step);
  const known = {
    path: outcome.path,
    hash: outcome.after?.hash ?? '',
    beforeHash: outcome.before?.hash ?? '',
    editsApplied: input.edits.length,
    diff,
  };
  const answer = (changesetId: string | null) => ({ ...known, changesetId, preview: null });
  if (input.dryRun) {
    const preview = steps.length === 0 ? null : await changes.plan(call, steps);
    return { data: { ...answer(null), preview }, truncated, brief: `Planned: ${briefOf(steps, outcome)}` };
  }
  const changesetId = steps.length === 0 ? null : await changes.apply(call, { steps, receipt: answer });
  return { data: answer(changesetId), truncated, brief: briefOf(steps, outcome) };
}

const briefOf = (steps: readonly Step[], outcome: DraftOutcome): string =>
  steps.length === 0 ? `${outcome.path} is so already` : summaryOf(steps);
