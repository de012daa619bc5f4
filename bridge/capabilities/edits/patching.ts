// A unified diff over several files as one change: every hunk of every file fits exactly, or nothing is written.
import { Failed } from '../../failed.ts';
import type { Call } from '../../operation.ts';
import { boundDiffs, stepDiffs, summaryOf, type Changes, type Draft, type DraftOutcome } from '../changes/service.ts';
import { decodeText } from '../files/service.ts';
import { expectationsOf, keyOf, type Expectation } from './expectations.ts';
import { applyHunks, removedHash } from './hunks.ts';
import { parsePatch, type PatchFile } from './patch.ts';

interface PatchInput {
  patch: string;
  expectedHashes: Expectation[];
  dryRun: boolean;
}

const FILES_MAX = 50;
const NOTHING = Buffer.alloc(0);

/** The patch as drafts. expectedHashes has to name exactly the files of the patch. */
export function patchDrafts({ patch, expectedHashes }: PatchInput): Draft[] {
  const files = parsePatch(patch);
  if (files.length > FILES_MAX)
    throw new Failed(
      'RESOURCE_LIMIT',
      `The patch changes ${files.length} files; one call takes at most ${FILES_MAX}. Nothing was changed.`,
    );
  const named = expectationsOf(expectedHashes);
  const keys = new Set(files.map((file) => keyOf(file.path)));
  const unnamed = files.filter((file) => !named.has(keyOf(file.path))).map((file) => file.path);
  const unused = [...named.keys()].filter((key) => !keys.has(key));
  if (unnamed.length > 0 || unused.length > 0)
    throw new Failed('INVALID_INPUT', 'expectedHashes has to name exactly the files of the patch. Nothing was changed.', {
      detail: { unnamed, unused },
    });
  return files.map((file) => draftOf(file, named.get(keyOf(file.path))?.expectedHash ?? ''));
}

function draftOf(file: PatchFile, expectedHash: string): Draft {
  const { path } = file;
  const applied = (bytes: Buffer) => {
    decodeText(bytes);
    return applyHunks(bytes, file);
  };
  switch (file.action) {
    case 'create':
      if (expectedHash !== 'absent')
        throw new Failed(
          'CONFLICT',
          `The patch creates ${JSON.stringify(path)}, but the call expects it to be there. No file of the patch was changed.`,
        );
      return { kind: 'write', path, bytes: applyHunks(NOTHING, file), expectedHash, createParents: true, isExecutable: file.isExecutable };
    case 'replace':
      return { kind: 'edit', path, expectedHash, edit: applied };
    case 'delete':
      return { kind: 'delete', path, expectedHash, check: (bytes) => void applied(bytes), checkHash: (hash) => hash === removedHash(file) };
  }
}

export async function applyPatch(changes: Changes, call: Call, input: PatchInput) {
  const { steps, outcomes } = await changes.resolve(call.project, patchDrafts(input));
  const diffs = boundDiffs(stepDiffs(outcomes.map(({ step }) => step)));
  const files = outcomes.map((outcome, index) => ({ ...shownFile(outcome), diff: diffs[index]?.diff ?? '' }));
  const truncated = diffs.some((one) => one.truncated);
  const answer = (changesetId: string | null) => ({ dryRun: input.dryRun, changesetId, preview: null, files });
  if (input.dryRun) {
    const preview = steps.length === 0 ? null : await changes.plan(call, steps);
    return { data: { ...answer(null), preview }, truncated, brief: `Planned: ${summaryOf(steps)}` };
  }
  const changesetId = steps.length === 0 ? null : await changes.apply(call, { steps, input, receipt: answer });
  return { data: answer(changesetId), truncated, brief: summaryOf(steps) };
}

function shownFile({ path, before, after }: DraftOutcome) {
  const action = before === null ? ('create' as const) : after === null ? ('delete' as const) : ('replace' as const);
  return { path, action, beforeHash: before?.hash ?? null, afterHash: after?.hash ?? null };
}
