// Which changes need the owner: those of files that later run, or are obeyed, with more power than the caller has.
import type { AskedFile } from '#shared/contracts/approvals.ts';
import type { z } from 'zod';
import type { Asked } from '../../operation.ts';
import { powerful } from '../files/service.ts';
import { diffText } from './difftext.ts';
import { isManifest, manifestReason } from './manifest.ts';
import { summaryOf, type Step } from './step.ts';

/** Whether a path alone can need the owner, so that an ordinary change is not looked at twice. */
export const mayNeedOwner = (path: string): boolean => powerful(path) !== null || isManifest(path);

/** One plain sentence for each reason. */
export function reasonsFor(steps: readonly Step[]): string[] {
  return steps.flatMap((step) =>
    [step.path, ...(step.destPath === null ? [] : [step.destPath])].flatMap((path) => {
      const reason = powerful(path) ?? (isManifest(path) ? reasonOfManifest(step) : null);
      return reason === null ? [] : [`${path}: ${reason}.`];
    }),
  );
}

function reasonOfManifest(step: Step): string | null {
  if (step.action === 'mkdir' || step.action === 'rmdir') return null;
  if (step.action === 'move') return 'its scripts come or go with it';
  return manifestReason(step.before?.bytes ?? null, step.after?.bytes ?? null);
}

/** null: nothing about these steps needs the owner. */
export function askedFor(steps: readonly Step[]): Asked | null {
  const reasons = reasonsFor(steps);
  return reasons.length === 0 ? null : { summary: summaryOf(steps), reasons, files: steps.map(askedFile) };
}

const askedFile = (step: Step): z.infer<typeof AskedFile> => ({
  path: step.destPath === null ? step.path : `${step.path} -> ${step.destPath}`,
  beforeHash: step.before?.hash ?? null,
  afterHash: step.after?.hash ?? null,
  diff: stepDiff(step).diff,
});

export function stepDiff(step: Step): { diff: string; truncated: boolean } {
  if (step.action === 'mkdir' || step.action === 'rmdir') return { diff: '', truncated: false };
  if (step.action === 'move') return { diff: `rename from ${step.path}\nrename to ${step.destPath ?? ''}\n`, truncated: false };
  return diffText({ path: step.path, before: step.before?.bytes ?? null, after: step.after?.bytes ?? null });
}
