// Searching a project's text: ripgrep points, we read and prove, and the answer says what was not looked at and why.
import type { z } from 'zod';
import { comparePaths } from '#shared/paths.ts';
import { canonicalJson } from '#shared/canonical.ts';
import type { filesContract } from '#shared/contracts/files.ts';
import { sha256 } from '../../base/digest.ts';
import { resolveInside } from '../../base/fs/root.ts';
import { Failed } from '../../failed.ts';
import type { Catalogue } from './catalogue.ts';
import type { Cursors, Position } from './cursors.ts';
import type { FileHits } from './hits.ts';
import { isCurrent, type FileEntry } from './listing.ts';
import { pageOf } from './page.ts';
import { ENGINE, grep, grepBinary, type GrepResult } from './ripgrep.ts';
import { forgetScope, scopeOf, type Scope } from './scope.ts';

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
    isOver: time.isAllOver,
  });
  const task: Task = { place, input, scope, time, after };
  const result = scope.files.length === 0 ? null : await grep(grepRequest(task));
  const tally = await tallyOf(task, result);
  await learnBinary(task, tally);
  const page = input.outputMode === 'content' ? await matchPage(task, tally) : filePage(task, tally);
  return {
    data: { ...page.told, ...summaryOf(task, tally) },
    warnings: [...scope.warnings, ...tally.warnings],
    nextCursor: page.next === null ? null : place.cursors.give(binding, page.next),
  };
}

interface Time {
  /** For walking and for ripgrep. */
  remainingMs(): number;
  isOver(): boolean;
  /** For the page as well. */
  isAllOver(): boolean;
}

interface Task {
  place: SearchPlace;
  input: SearchInput;
  scope: Scope;
  time: Time;
  after: Position | null;
}

/** What is believed of the result: matches by file, and what turned out not to be searchable on the way. */
interface Tally {
  files: Map<string, FileHits>;
  searched: number;
  unreadable: number;
  special: number;
  binary: Set<string>;
  isComplete: boolean;
  isOutOfTime: boolean;
  warnings: string[];
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

function grepRequest({ place, input, scope, time, after }: Task) {
  const wanted = input.outputMode === 'content' ? input.maxResults + 1 : 0;
  return {
    root: place.root,
    targets: scope.cover,
    pattern: input,
    lineBytes: input.outputMode === 'content' ? PRINTED_LINE_BYTES : 1,
    remainingMs: time.remainingMs,
    signal: place.signal,
    isKnown: (path: string) => scope.known.has(path),
    wants: (path: string, line: number, kept: number) => kept < wanted && (after === null || path !== after.path || line > after.line),
  };
}

async function tallyOf(task: Task, result: GrepResult | null): Promise<Tally> {
  const { scope, time } = task;
  const tally: Tally = {
    files: new Map(),
    searched: result === null ? 0 : scope.files.length,
    unreadable: result?.unreadable ?? 0,
    special: 0,
    binary: new Set(result?.hits.binary),
    isComplete: scope.isComplete && (result?.stoppedBy ?? null) === null,
    isOutOfTime: result?.stoppedBy === 'deadline' || (!scope.isComplete && time.isOver()),
    warnings: [],
  };
  if (result?.stoppedBy === 'output')
    tally.warnings.push('There are more matches than are counted; ask for something rarer or for fewer files.');
  if (result !== null) await keepProven(task, result, tally);
  // Of a search that was stopped, only the files it found something in are known to have been looked at.
  if (result !== null && result.stoppedBy !== null)
    tally.searched = tally.files.size + tally.special + tally.binary.size + tally.unreadable;
  tally.searched -= tally.unreadable + tally.special + tally.binary.size;
  return tally;
}

/** A file may have been swapped for a link after it was listed: only files in unchanged directories are believed unseen. */
async function keepProven({ place, scope }: Task, { hits }: GrepResult, tally: Tally): Promise<void> {
  const unchanged = unchangedFolders(place.root, scope);
  for (const [path, found] of hits.files) {
    if (tally.binary.has(path)) continue;
    const cut = path.lastIndexOf('/');
    const isProven = unchanged(cut < 0 ? '.' : path.slice(0, cut)) || (await isPlainFile(place.root, path));
    if (isProven) tally.files.set(path, found);
    else tally.special += 1;
  }
}

function unchangedFolders(root: string, scope: Scope): (folder: string) => boolean {
  const listings = new Map(scope.surveys.flatMap((survey) => survey.shelves.map(({ listing }) => [listing.path, listing])));
  const answers = new Map<string, boolean>();
  return (folder) => {
    const listing = listings.get(folder);
    const answer = answers.get(folder) ?? (listing !== undefined && isCurrent(root, listing));
    answers.set(folder, answer);
    return answer;
  };
}

async function isPlainFile(root: string, path: string): Promise<boolean> {
  try {
    const located = await resolveInside(root, path);
    return located.kind === 'file' && !located.viaLink && located.stats?.nlink === 1n;
  } catch (error) {
    if (error instanceof Failed) return false;
    throw error;
  }
}

type Told = Pick<SearchData, 'matches' | 'files'>;
interface PageTold {
  told: Told;
  next: Position | null;
}

async function matchPage({ place, input, time, after }: Task, tally: Tally): Promise<PageTold> {
  const page = await pageOf({
    root: place.root,
    files: tally.files,
    after,
    maxResults: input.maxResults,
    before: input.contextBefore ?? input.contextLines,
    behind: input.contextAfter ?? input.contextLines,
    budgetBytes: place.budgetBytes,
    limitBytes: place.limitBytes,
    isOver: time.isAllOver,
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

/** Looks once at each file that is new or changed whether it is text, so that what was no text is counted as skipped. */
async function learnBinary({ place, scope, time }: Task, tally: Tally): Promise<void> {
  const unknown = scope.files.filter((entry) => entry.isBinary === null);
  if (unknown.length === 0) return;
  const { root, signal } = place;
  const targets = unknown.length === scope.files.length ? scope.cover : unknown.map((entry) => entry.path);
  const found = time.isOver() ? null : await grepBinary({ root, signal, remainingMs: time.remainingMs, targets });
  if (found === null) {
    tally.warnings.push('There was no time left to tell binary files from text, so they are not counted as skipped.');
    return;
  }
  markBinary(unknown, found);
  if (found.size > 0) forgetScope(scope);
  for (const path of found) {
    if (tally.binary.has(path) || !scope.known.has(path)) continue;
    tally.binary.add(path);
    tally.files.delete(path);
    tally.searched -= 1;
  }
}

function markBinary(entries: readonly FileEntry[], binary: ReadonlySet<string>): void {
  for (const entry of entries) entry.isBinary = binary.has(entry.path);
}

function summaryOf({ input, scope }: Task, tally: Tally): Omit<SearchData, keyof Told> {
  const totalMatches = [...tally.files.values()].reduce((sum, { count }) => sum + count, 0);
  const filesSearched = Math.max(0, tally.searched);
  const { skipped } = scope;
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
