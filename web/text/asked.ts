// What a request is about, for its one sentence: the path when there is one, otherwise how many files.
import type { Approval } from '#shared/contracts/approvals.ts';
import { countDiff, parseDiff, type DiffCounts } from './diff.ts';
import { readJson } from './facts.ts';

export interface AskedTarget {
  path: string | null;
  files: number;
}

export function targetOf(approval: Approval): AskedTarget {
  const [first, ...more] = approval.files;
  if (first !== undefined) return { path: more.length === 0 ? first.path : null, files: approval.files.length };
  const input = readJson(approval.arguments);
  const path = typeof input === 'object' && input !== null ? (input as { path?: unknown }).path : undefined;
  return { path: typeof path === 'string' ? path : null, files: 0 };
}

export const countsOf = (approval: Approval): DiffCounts => countDiff(approval.files.flatMap((file) => parseDiff(file.diff)));
