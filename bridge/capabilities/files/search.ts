// Searching a project's text: ripgrep points, we read and prove, and the answer says what was not looked at and why.
import type { z } from 'zod';
import { comparePaths } from '#shared/paths.ts';
import { canonicalJson } from '#shared/canonical.ts';
import type { filesContract } from '#shared/contracts/files.ts';
import { sha256 } from '../../base/digest.ts';
import { Failed } from '../../failed.ts';
import type { Catalogue } from './catalogue.ts';
import type { Cursors, Position } from './cursors.ts';
import { pageOf } from './page.ts';
import { ENGINE, grep } from './ripgrep.ts';
import { scopeOf } from './scope.ts';
import { learnBinary, tallyOf, type Hunt, type Tally, type Time } from './tally.ts';

export type SearchInput = z.output<typeof filesContract.search_code.input>;
export type SearchData = z.input<typeof filesContract.search_code.output>;

export interface SearchPlace {
  root: string;
  catalogue: Catalogue;
  cursors: Cursors;
  /** Whose search it is, on which project, in which run of the bridge: what a cursor is bound to. */
  binding: { principal: string; projectId: string; epoch: string };
  limitBytes: number;
  budgetBytes: number;
  signal: AbortSignal;
  monotonic(): number;
}

export interface SearchAnswer {
  data: SearchData;
  warnings: string[];
  nextCursor: string | null;
}

const BUDGET_MS = 2000;
/** Kept from ripgrep for reading the lines it pointed at. */
const PAGE_MS = 300;
/** Longer lines are pointed at by ripgrep and not printed. */
const PRINTED_LINE_BYTES = 4096;

export async function search(place: SearchPlace, input: SearchInput): Promise<SearchAnswer> {
  refuseQuery(input.query);
  const binding = bindingOf(place, input);
  const after = input.cursor === undefined ? null : place.cursors.take(input.cursor, binding);
  const time = clockOf(place);
  const { paths, fileGlob, includeIgnored } = input;
  const scope = await scopeOf(place.root, place.catalogue, {
    paths,
    fileGlob,
    includeIgnored,
    limitBytes: place.limitBytes,
    isOver: time.isOver,
  });
  const hunt: Hunt = { root: place.root, scope, time, signal: place.signal };
  const task: Task = { place, input, hunt, after };
  const result = scope.files.length === 0 ? null : await grep(grepRequest(task));
  const tally = await tallyOf(hunt, result);
  await learnBinary(hunt, tally);
  const page = input.outputMode === 'content' ? await matchPage(task, tally) : filePage(task, tally);
  return {
    data: { ...page.told, ...summaryOf(task, tally) },
    warnings: [...scope.warnings, ...tally.warnings],
    nextCursor: page.next === null ? null : place.cursors.give(binding, page.next),
  };
}

interface Task {
  place: SearchPlace;
  input: SearchInput;
  hunt: Hunt;
  after: Position | null;
}

function refuseQuery(query: string): void {
  if (/[\n\r]/.test(query))
    throw new Failed('INVALID_INPUT', 'A search goes line by line, so its query cannot hold a line break.', {
      recovery: 'Search for one line of it.',
    });
  if (query.includes('\0')) throw new Failed('INVALID_INPUT', 'A query cannot hold a NUL: files that do are not text.');
}

function bindingOf({ binding }: SearchPlace, input: SearchInput): string {
  return sha256(canonicalJson({ ...binding, question: { ...input, cursor: undefined } }));
}

function clockOf({ monotonic, signal }: SearchPlace): Time {
  const end = monotonic() + BUDGET_MS;
  const remainingMs = () => Math.max(0, end - PAGE_MS - monotonic());
  return { remainingMs, isOver: () => remainingMs() === 0 || signal.aborted, isAllOver: () => monotonic() >= end || signal.aborted };
}

function grepRequest({ place, input, hunt, after }: Task) {
  const wanted = input.outputMode === 'content' ? input.maxResults + 1 : 0;
  return {
    root: place.root,
    targets: hunt.scope.cover,
    pattern: input,
    lineBytes: input.outputMode === 'content' ? PRINTED_LINE_BYTES : 1,
    remainingMs: hunt.time.remainingMs,
    signal: place.signal,
    isKnown: (path: string) => hunt.scope.known.has(path),
    wants: (path: string, line: number, kept: number) => kept < wanted && (after === null || path !== after.path || line > after.line),
  };
}

type Told = Pick<SearchData, 'matches' | 'files'>;
interface PageTold {
  told: Told;
  next: Position | null;
}

async function matchPage({ place, input, hunt, after }: Task, tally: Tally): Promise<PageTold> {
  const page = await pageOf({
    root: place.root,
    files: tally.files,
    after,
    maxResults: input.maxResults,
    before: input.contextBefore ?? input.contextLines,
    behind: input.contextAfter ?? input.contextLines,
    budgetBytes: place.budgetBytes,
    limitBytes: place.limitBytes,
    isOver: hunt.time.isAllOver,
  });
  for (const { path, code } of page.dropped) {
    tally.files.delete(path);
    tally.searched -= 1;
    if (code === 'UNSUPPORTED_ENCODING') tally.binary.add(path);
    else if (code === 'PATH_DENIED') tally.special += 1;
    else tally.isComplete = false;
  }
  if (page.stale > 0) {
    tally.isComplete = false;
    tally.warnings.push('Some files changed while they were searched; repeat the search for them.');
  }
  const shown = [...new Set(page.matches.map((match) => match.path))];
  return { told: { matches: page.matches, files: shown.map((path) => countOf(tally, path)) }, next: page.next };
}

function filePage({ input, after }: Task, tally: Tally): PageTold {
  const paths = [...tally.files.keys()].sort(comparePaths).filter((path) => after === null || comparePaths(path, after.path) > 0);
  const shown = paths.slice(0, input.maxResults);
  const last = shown.at(-1);
  const next = last !== undefined && paths.length > shown.length ? { path: last, line: Infinity } : null;
  return { told: { matches: [], files: shown.map((path) => countOf(tally, path)) }, next };
}

const countOf = (tally: Tally, path: string) => ({ path, matches: tally.files.get(path)?.count ?? 0 });

function summaryOf({ input, hunt }: Task, tally: Tally): Omit<SearchData, keyof Told> {
  const totalMatches = [...tally.files.values()].reduce((sum, { count }) => sum + count, 0);
  const filesSearched = Math.max(0, tally.searched);
  const { skipped } = hunt.scope;
  return {
    outcome: outcomeOf(tally, totalMatches, filesSearched),
    totalMatches,
    totalIsComplete: tally.isComplete && !tally.isOutOfTime,
    engine: ENGINE,
    mode: input.mode,
    filesSearched,
    skipped: {
      ...skipped,
      binary: skipped.binary + tally.binary.size,
      unreadable: skipped.unreadable + tally.unreadable,
      special: skipped.special + tally.special,
    },
  };
}

function outcomeOf(tally: Tally, totalMatches: number, filesSearched: number): SearchData['outcome'] {
  if (tally.isOutOfTime || (!tally.isComplete && totalMatches === 0)) return 'incomplete';
  if (totalMatches > 0) return 'matches';
  return filesSearched === 0 ? 'not_searched' : 'no_match';
}
