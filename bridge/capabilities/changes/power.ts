// Which changes need the owner: those of files that later run, or are obeyed, with more power than the caller has.
import type { AskedFile } from '#shared/contracts/approvals.ts';
import type { z } from 'zod';
import type { Asked, Touches } from '../../operation.ts';
import { powerful } from '../files/service.ts';
import { diffBudget, diffText, modeDiff, tooLargeToShow, type DiffBudget, type DiffText } from './difftext.ts';
import { isManifest, manifestReason } from './manifest.ts';
import { isFolder, isModeOnly, isUndoable, summaryOf, type Step } from './step.ts';

/** Whether a path alone can need the owner, so that an ordinary change is not looked at twice. */
export const mayNeedOwner = (path: string): boolean => powerful(path) !== null || isManifest(path);

/** One plain sentence for each reason. */
export function reasonsFor(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => [
    ...[step.path, ...(step.destPath === null ? [] : [step.destPath])].flatMap((path) => {
      const reason = powerful(path) ?? (isManifest(path) ? reasonOfManifest(step) : null);
      return reason === null ? [] : [`${path}: ${reason}.`];
    }),
    ...(step.loss === null ? [] : [`${step.path}: ${step.loss}, so this cannot be undone.`]),
  ]);
}

function reasonOfManifest(step: Step): string | null {
  if (isFolder(step)) return null;
  if (step.action === 'move') return 'its scripts come or go with it';
  if (isNotHeld(step)) return 'it is too large to be read as JSON, so a change of its scripts cannot be ruled out';
  return manifestReason(step.before?.bytes ?? null, step.after?.bytes ?? null);
}

/**
 * null: nothing about these steps needs the owner, unless every change does here. Its files are the ones that can be put back: folders are told in the
 * summary, and a file that cannot be put back in the reasons; the arguments bind its hash.
 */
export function askedFor(steps: readonly Step[], mustAsk = false): Asked | null {
  const reasons = reasonsFor(steps);
  if (reasons.length === 0 && !mustAsk) return null;
  const kept = steps.filter((step) => !isFolder(step) && isUndoable(step));
  const diffs = stepDiffs(kept);
  const files = kept.map((step, index) => askedFile(step, diffs[index]?.diff ?? ''));
  return { summary: summaryOf(steps), reasons, files, touches: touchesOf(steps) };
}

function touchesOf(steps: readonly Step[]): Touches {
  const named = (some: readonly Step[]) => [
    ...new Set(some.flatMap(({ path, destPath }) => (destPath === null ? [path] : [path, destPath]))),
  ];
  const [paths, folders] = [named(steps.filter((step) => !isFolder(step))), named(steps.filter(isFolder))];
  return paths.length === 0 ? { paths: folders } : { paths, ...(folders.length === 0 ? {} : { folders }) };
}

const askedFile = (step: Step, diff: string): z.infer<typeof AskedFile> => ({
  path: step.destPath === null ? step.path : `${step.path} -> ${step.destPath}`,
  beforeHash: step.before?.hash ?? null,
  afterHash: step.after?.hash ?? null,
  diff,
});

/** The diffs of one answer: all of them together are held to one budget of time. */
export function stepDiffs(steps: readonly (Step | null)[]): DiffText[] {
  const budget = diffBudget();
  return steps.map((step) => stepDiff(step, budget));
}

/** Whether there are bytes that are too many to be held. */
const isNotHeld = ({ before, after }: Step): boolean => before?.bytes === null || after?.bytes === null;

/** null: nothing changes, so there is nothing to show. */
export function stepDiff(step: Step | null, budget: DiffBudget = diffBudget()): DiffText {
  if (step === null) return { diff: '', truncated: false };
  const modes = step.action === 'replace' ? modeDiff(step.beforeMeta, step.afterMeta) : '';
  if (isFolder(step) || isModeOnly(step)) return { diff: modes, truncated: false };
  if (step.action === 'move') return { diff: `rename from ${step.path}\nrename to ${step.destPath ?? ''}\n`, truncated: false };
  if (isNotHeld(step)) return tooLargeToShow(step.path, { before: step.before?.size ?? null, after: step.after?.size ?? null });
  const { diff, truncated } = diffText({ path: step.path, before: step.before?.bytes ?? null, after: step.after?.bytes ?? null }, budget);
  return { diff: modes + diff, truncated };
}
