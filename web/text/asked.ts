// What a request is about, for its one sentence: the path when there is one, otherwise how many files.
import type { Approval } from '#shared/contracts/approvals.ts';
import { countDiff, parseDiff, type DiffCounts } from './diff.ts';
import { readJson } from './facts.ts';

export interface AskedTarget {
  path: string | null;
  files: number;
}

export function targetOf(approval: Approval): AskedTarget {
  const input = readJson(approval.arguments);
  const path = typeof input === 'object' && input !== null ? (input as { path?: unknown }).path : undefined;
  if (typeof path === 'string') return { path, files: 1 };
  const [first, ...more] = approval.files;
  return { path: more.length === 0 ? (first?.path ?? null) : null, files: approval.files.length };
}

export const countsOf = (approval: Approval): DiffCounts => countDiff(approval.files.flatMap((file) => parseDiff(file.diff)));
