// What is believed of a search: ripgrep's word where the disk bears it out, and a count for everything else.
import { plainFile } from './bytes.ts';
import type { FileHits } from './hits.ts';
import { isCurrent, isRecent, type FileEntry } from './listing.ts';
import { grepBinary, type GrepResult } from './ripgrep.ts';
import { forgetScope, type Scope } from './scope.ts';

export interface Time {
  /** For walking and for ripgrep. */
  remainingMs(): number;
  isOver(): boolean;
  /** For the page as well. */
  isAllOver(): boolean;
}

/** One search on its way: where, over what, and until when. */
export interface Hunt {
  root: string;
  scope: Scope;
  time: Time;
  signal: AbortSignal;
}

/** What is believed of the result: matches by file, and what turned out not to be searchable on the way. */
export interface Tally {
  files: Map<string, FileHits>;
  searched: number;
  unreadable: number;
  special: number;
  binary: Set<string>;
  isComplete: boolean;
  isOutOfTime: boolean;
  warnings: string[];
}

export async function tallyOf(hunt: Hunt, result: GrepResult | null): Promise<Tally> {
  const { scope, time } = hunt;
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
  if (result !== null) await keepProven(hunt, result, tally);
  // Of a search that was stopped, only the files it found something in are known to have been looked at.
  if (result !== null && result.stoppedBy !== null)
    tally.searched = tally.files.size + tally.special + tally.binary.size + tally.unreadable;
  tally.searched -= tally.unreadable + tally.special + tally.binary.size;
  return tally;
}

/** A file may have been swapped for a link after it was listed: only files in unchanged directories are believed unseen. */
async function keepProven({ root, scope }: Hunt, { hits }: GrepResult, tally: Tally): Promise<void> {
  const unchanged = unchangedFolders(root, scope);
  for (const [path, found] of hits.files) {
    if (tally.binary.has(path)) continue;
    const cut = path.lastIndexOf('/');
    const isProven = unchanged(cut < 0 ? '.' : path.slice(0, cut)) || (await plainFile(root, path)) !== null;
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

/** Looks once at each file that is new or changed whether it is text, so that what was no text is counted as skipped. */
export async function learnBinary({ root, scope, time, signal }: Hunt, tally: Tally): Promise<void> {
  const unknown = scope.files.filter((entry) => entry.isBinary === null);
  if (unknown.length === 0) return;
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

/** A file written a moment ago may become text within the same tick, so it is looked at again next time. */
function markBinary(entries: readonly FileEntry[], binary: ReadonlySet<string>): void {
  for (const entry of entries) entry.isBinary = binary.has(entry.path) ? (isRecent(entry.mtimeMs) ? null : true) : false;
}
