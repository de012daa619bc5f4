// The files of a project: found, read, listed and searched under one policy. Nothing here writes.
import type { Skipped } from '#shared/contracts/files.ts';
import type { Clock } from '../../base/clock.ts';
import type { Located } from '../../base/fs/root.ts';
import type { Log } from '../../base/log.ts';
import { Failed } from '../../failed.ts';
import type { Call, ProjectHandle } from '../../operation.ts';
import { readBytes, type WholeFile } from './bytes.ts';
import { createCatalogue } from './catalogue.ts';
import { censusOf, type Census } from './census.ts';
import { createCursors } from './cursors.ts';
import { readImage, type Image } from './image.ts';
import { readInstructions } from './instructions.ts';
import { findByGlob, listTree } from './list.ts';
import { locate, type Purpose } from './locate.ts';
import { readText, type ReadText, type ReadWish } from './read.ts';
import { scopeOf } from './scope.ts';
import { search, type SearchAnswer, type SearchInput } from './search.ts';

export { layerOf, powerful, type Layer } from './policy.ts';
export { createPause, type Pause } from './pause.ts';
export { decodeText } from './text.ts';
export type { Census } from './census.ts';
export type { LeftOut, Reason } from './listing.ts';
export type { WholeFile } from './bytes.ts';

export const fileLimits = {
  /** The largest file read, hashed, searched or edited as a whole. */
  readFileBytes: 8 * 1024 * 1024,
  /** How much text one answer carries. */
  answerBytes: 24 * 1024,
  readBatchMax: 10,
  searchResultsMax: 100,
  searchBudgetMs: 2000,
  listEntriesMax: 2000,
};
export type FileLimits = typeof fileLimits;

const LISTING_BUDGET_MS = 10_000;
const CENSUS_BUDGET_MS = 60_000;

export interface CandidateRequest {
  paths?: readonly string[] | undefined;
  fileGlob?: string | undefined;
  includeIgnored: boolean;
}

export interface Candidates {
  files: { path: string; size: number }[];
  skipped: Skipped;
  /** False when a limit ended the walk: then more files may exist. */
  isComplete: boolean;
}

export type Files = ReturnType<typeof createFiles>;

export function createFiles({ clock, log, limits = fileLimits }: { clock: Clock; log: Log; limits?: FileLimits }) {
  const catalogue = createCatalogue();
  const cursors = createCursors(clock);
  const until = (signal: AbortSignal | null, budgetMs: number) => {
    const end = clock.monotonic() + budgetMs;
    return () => signal?.aborted === true || clock.monotonic() >= end;
  };
  const listPlace = (call: Call) => ({ root: call.project.root, catalogue, isOver: until(call.signal, LISTING_BUDGET_MS) });

  return {
    limits,

    /** Where a caller's path leads. Throws PATH_DENIED or SECRET_PATH_DENIED; what is not there yet is `absent`. */
    locate: (project: ProjectHandle, path: string, purpose: Purpose): Promise<Located> => locate(project.root, path, purpose),

    /** A whole file, text or not. FILE_TOO_LARGE beyond the limit. */
    readBytes: (project: ProjectHandle, path: string): Promise<WholeFile> => readBytes(project.root, path, limits.readFileBytes),

    /** The files that a search or a replacement may look at, in path order. Those known to be binary are counted, not given. */
    async candidates(project: ProjectHandle, request: CandidateRequest): Promise<Candidates> {
      const isOver = until(null, LISTING_BUDGET_MS);
      const scope = await scopeOf(project.root, catalogue, { ...request, limitBytes: limits.readFileBytes, isOver });
      const files = scope.files.map(({ path, size }) => ({ path, size }));
      return { files, skipped: { ...scope.skipped }, isComplete: scope.isComplete };
    },

    /** Everything in the project, also what no call may read, by name only. */
    async census(project: ProjectHandle, signal: AbortSignal | null): Promise<Census> {
      const isOver = until(signal, CENSUS_BUDGET_MS);
      return censusOf(await catalogue.survey(project.root, { start: '.', includeIgnored: false, isOver }));
    },

    list: (call: Call, input: Parameters<typeof listTree>[1]) => listTree(listPlace(call), input),
    glob: (call: Call, input: Parameters<typeof findByGlob>[1]) => findByGlob(listPlace(call), input),
    readImage: (call: Call, path: string, maxBytes: number): Promise<Image> => readImage(call.project.root, path, maxBytes),
    readInstructions: (call: Call, maxBytesPerFile: number) =>
      readInstructions({ ...listPlace(call), readFileBytes: limits.readFileBytes }, maxBytesPerFile),

    readText(call: Call, wish: ReadWish, budgetBytes: number): Promise<ReadText> {
      return readText(call.project.root, wish, { readFileBytes: limits.readFileBytes, budgetBytes, signal: call.signal });
    },

    async search(call: Call, input: SearchInput): Promise<SearchAnswer> {
      const { root, projectId, epoch } = call.project;
      const binding = { principal: call.caller.principal, projectId, epoch };
      const bounds = { limitBytes: limits.readFileBytes, budgetBytes: limits.answerBytes };
      try {
        return await search({ root, catalogue, cursors, binding, ...bounds, signal: call.signal, monotonic: clock.monotonic }, input);
      } catch (error) {
        if (error instanceof Failed && error.code === 'NOT_SUPPORTED') log.error({ err: error.cause }, 'ripgrep cannot be started');
        throw error;
      }
    },
  };
}
