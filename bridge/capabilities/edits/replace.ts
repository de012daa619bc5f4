// One literal replacement over many files as one change: shown first, and done only to files whose bytes the call names.
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { ReplaceSkipped } from '#shared/contracts/edits.ts';
import { counted } from '#shared/counted.ts';
import type { FailureCode } from '#shared/failure.ts';
import { Failed } from '../../failed.ts';
import type { Call } from '../../operation.ts';
import { joinDiffs, spliceAll, stepDiffs, summaryOf, type Changes, type Draft, type Resolved } from '../changes/service.ts';
import { decodeText, type Files } from '../files/service.ts';
import { expectationsOf, keyOf, type Expectation } from './expectations.ts';

interface ReplaceInput {
  find: string;
  replace: string;
  paths?: string[] | undefined;
  fileGlob?: string | undefined;
  includeIgnored: boolean;
  maxFiles: number;
  dryRun: boolean;
  expectedHashes?: Expectation[] | undefined;
}

interface Parts {
  changes: Changes;
  files: Files;
}

interface Hit {
  path: string;
  hash: string;
  replacements: number;
}

type Skipped = z.output<typeof ReplaceSkipped>;

interface Found {
  hits: Hit[];
  /** Files that were read to their end as text. */
  searched: number;
  skipped: Skipped;
  warnings: string[];
  isComplete: boolean;
}

/** So many files are read before other calls get their turn. */
const FILES_A_TURN = 50;

/** The files a direct run names, each as an edit; one without a match stays as it is. */
export const namedDrafts = (input: ReplaceInput): Draft[] =>
  [...expectationsOf(input.expectedHashes ?? []).values()].map(({ path, expectedHash }) => editOf(input, { path, hash: expectedHash }));

const editOf = ({ find, replace }: ReplaceInput, { path, hash }: { path: string; hash: string }): Draft => ({
  kind: 'edit',
  path,
  expectedHash: hash,
  edit(bytes) {
    decodeText(bytes);
    return spliceAll(bytes, { find, replace }, path)?.bytes ?? bytes;
  },
});

export async function replaceInFiles(parts: Parts, call: Call, input: ReplaceInput) {
  if (!input.dryRun && input.expectedHashes === undefined)
    throw new Failed('INVALID_INPUT', 'A direct run has to name the hash of every file it will touch. Nothing was changed.', {
      recovery: 'Call it with dryRun: true first; the answer lists the files and their hashes.',
    });
  const seen = await findHits(parts.files, call, input);
  const found = input.dryRun ? seen : await asNamed(parts, call, { input, found: seen });
  const resolved = await parts.changes.resolve(
    call.project,
    found.hits.map((hit) => editOf(input, hit)),
  );
  return input.dryRun ? preview(parts, call, { found, resolved }) : run(parts, call, { found, resolved });
}

async function preview({ changes }: Parts, call: Call, { found, resolved }: { found: Found; resolved: Resolved }) {
  const plan = resolved.steps.length === 0 ? null : await changes.plan(call, resolved.steps);
  const { known, truncated } = described(found, resolved);
  const data = { dryRun: true, changesetId: null, preview: plan, ...known };
  return { data, warnings: found.warnings, truncated: truncated || !found.isComplete, brief: `Planned: ${summaryOf(resolved.steps)}` };
}

async function run({ changes }: Parts, call: Call, { found, resolved }: { found: Found; resolved: Resolved }) {
  const { known, truncated } = described(found, resolved);
  const answer = (changesetId: string | null) => ({ dryRun: false, changesetId, preview: null, ...known });
  const changesetId = resolved.steps.length === 0 ? null : await changes.apply(call, { steps: resolved.steps, receipt: answer });
  return { data: answer(changesetId), warnings: found.warnings, truncated, brief: summaryOf(resolved.steps) };
}

function described({ hits, searched, skipped }: Found, { steps, outcomes }: Resolved) {
  const files = outcomes.map(({ path, before, after }, index) => ({
    path,
    replacements: hits[index]?.replacements ?? 0,
    beforeHash: before?.hash ?? '',
    afterHash: after?.hash ?? '',
  }));
  const { diff, truncated } = joinDiffs(stepDiffs(steps));
  const totalReplacements = hits.reduce((sum, hit) => sum + hit.replacements, 0);
  return { known: { files, totalReplacements, filesSearched: searched, skipped, diff }, truncated };
}

/** Reads every file in the scope that is text. More files with a match than allowed refuse the call. */
async function findHits(files: Files, call: Call, input: ReplaceInput): Promise<Found> {
  const scope = await files.candidates(call.project, input);
  const hits: Hit[] = [];
  const skipped: Skipped = { ...scope.skipped, notUtf8: 0 };
  let searched = 0;
  for (const [index, { path }] of scope.files.entries()) {
    if (index % FILES_A_TURN === FILES_A_TURN - 1) await setImmediate();
    if (call.signal.aborted) throw new Failed('CONFLICT', 'The call was cancelled before anything was changed.');
    const hit = await hitIn(files, call, { input, path });
    if (typeof hit === 'string') skipped[hit] += 1;
    else searched += 1;
    if (typeof hit === 'object' && hit !== null) hits.push(hit);
    if (hits.length > input.maxFiles) throw tooMany(input.maxFiles);
  }
  const warnings = scope.isComplete ? [] : ['Not every file was looked at: a limit ended the walk.'];
  const left = skipped.tooLarge + skipped.binary + skipped.notUtf8 + skipped.unreadable + skipped.special;
  if (left > 0) warnings.push(`The text was not looked for in ${counted(left, 'file')}: see skipped.`);
  return { hits, searched, skipped, warnings, isComplete: scope.isComplete };
}

/** What a file turned out to be after it was listed. */
const reasons: Partial<Record<FailureCode, keyof Skipped>> = {
  UNSUPPORTED_ENCODING: 'notUtf8',
  FILE_TOO_LARGE: 'tooLarge',
  SECRET_PATH_DENIED: 'secret',
  PATH_DENIED: 'special',
};

/** null: it has no match. */
async function hitIn(
  files: Files,
  call: Call,
  { input, path }: { input: ReplaceInput; path: string },
): Promise<Hit | keyof Skipped | null> {
  try {
    const { bytes, hash, located } = await files.readBytes(call.project, path);
    if (bytes.includes(0)) return 'binary';
    decodeText(bytes);
    const spliced = spliceAll(bytes, input, path);
    return spliced === null ? null : { path: located.relative, hash, replacements: spliced.replacements };
  } catch (error) {
    if (!(error instanceof Failed) || error.code === 'AMBIGUOUS_EDIT' || error.code === 'INVALID_INPUT') throw error;
    return reasons[error.code] ?? 'unreadable';
  }
}

const tooMany = (maxFiles: number): Failed =>
  new Failed('RESOURCE_LIMIT', `The text occurs in more than ${maxFiles} files. Nothing was changed.`, {
    recovery: 'Narrow the call by paths or fileGlob, and repeat it for the rest.',
    detail: { maxFiles },
  });

/** The matches with the hashes that the call names; every named file still has its bytes, and no match is unnamed. */
async function asNamed({ changes }: Parts, call: Call, { input, found }: { input: ReplaceInput; found: Found }): Promise<Found> {
  if (!found.isComplete)
    throw new Failed('RESOURCE_LIMIT', 'Not every file could be looked at, because a limit ended the walk. Nothing was changed.', {
      recovery: 'Narrow the call by paths or fileGlob.',
    });
  const named = expectationsOf(input.expectedHashes ?? []);
  const unnamed = found.hits.filter((hit) => !named.has(keyOf(hit.path)));
  if (unnamed.length > 0)
    throw new Failed('FILE_CHANGED', `The text also occurs in ${unnamed.length} files that the call does not name. Nothing was changed.`, {
      detail: {
        conflicts: unnamed.slice(0, 20).map((hit) => ({ path: hit.path, expectedHash: null, currentHash: hit.hash })),
        count: unnamed.length,
      },
    });
  await changes.resolve(call.project, namedDrafts(input));
  return { ...found, hits: found.hits.map((hit) => ({ ...hit, hash: named.get(keyOf(hit.path))?.expectedHash ?? '' })) };
}
