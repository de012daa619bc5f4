// One look at a whole project: what is as the newest manifest has it is taken over by its stamps, and only the rest is read.
import type { Blobs } from '../../base/blobs/blobs.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../base/store/store.ts';
import type { ProjectHandle } from '../../operation.ts';
import { createPause, type Files } from '../files/service.ts';
import type { Book } from './book.ts';
import type { Entry, Kept } from './entry.ts';
import { folderEntry, keepAll, type Wanted } from './keep.ts';
import { tooLarge, type ManifestLimits } from './limits.ts';
import { candidateAt, see, type Candidate, type Sight } from './sight.ts';

export interface LookParts {
  store: Store;
  blobs: Blobs;
  files: Files;
  clock: Clock;
  limits: ManifestLimits;
}

export interface LookRequest {
  project: ProjectHandle;
  signal: AbortSignal | null;
  /** Paths of an earlier manifest, which are looked at even where they would be left out by now. */
  also: Iterable<string>;
  /** Also of files too large to be kept the hash is wanted, where it is not known to be the same. */
  hashesAll: boolean;
  /** The entries that were read so far: their bytes must not be dropped while the look goes on. */
  fresh: Set<string>;
}

/** Afterwards the book's newest generation is what stands on the disk. Gives back the warnings about ignore files. */
export async function look(parts: LookParts, book: Book, request: LookRequest): Promise<string[]> {
  const { project, signal } = request;
  const pause = createPause();
  const census = await parts.files.census(project, signal);
  const sight = await see({ root: project.root, census, also: request.also, known: (path) => book.entries.get(path)?.entry, pause });
  const sorted = sortOut({ ...parts, book, root: project.root, hashesAll: request.hashesAll }, sight);
  const entries: Entry[] = [...sight.blind, ...sorted.known];
  const onEntry = (entry: Entry) => {
    entries.push(entry);
    if (entry.kind !== 'blind' && entry.hash !== null) request.fresh.add(entry.hash);
  };
  await keepAll({ ...parts, root: project.root, pause, signal, onEntry }, sorted.wanted);
  await book.turn(entries, pause);
  return census.warnings;
}

interface Sorting extends LookParts {
  book: Book;
  root: string;
  hashesAll: boolean;
}

interface Sorted {
  known: Kept[];
  wanted: Wanted[];
}

function sortOut(parts: Sorting, sight: Sight): Sorted {
  const files = sight.candidates.flatMap(({ kind, path, stats }) => (kind === 'file' ? [{ path, size: stats.size }] : []));
  const over = tooLarge([...sight.same, ...files], parts.limits);
  const lost = lostImages(parts);
  const sorted: Sorted = { known: [], wanted: [] };
  const want = (one: Candidate) =>
    sorted.wanted.push({ ...one, depth: !over.has(one.path) ? 'bytes' : parts.hashesAll ? 'hash' : 'stamps' });
  for (const entry of sight.same) {
    const isWhole = (entry.why !== null) === over.has(entry.path) && !(entry.hash !== null && lost.has(entry.hash));
    const again = isWhole ? null : candidateAt(parts.root, entry.path);
    if (again !== null) want(again);
    else if (isWhole) sorted.known.push(entry);
  }
  for (const one of sight.candidates) {
    if (one.kind === 'directory') sorted.known.push(folderEntry(one));
    else want(one);
  }
  return sorted;
}

const USE_EVERY_MS = 60 * 60 * 1000;

/** The images that the store dropped since they were last proven to be there. */
function lostImages({ book, blobs, clock }: Sorting): ReadonlySet<string> {
  const drops = blobs.drops();
  const isDue = clock.now() - book.usedAt > USE_EVERY_MS;
  if (book.provenAtDrops === drops && !isDue) return new Set();
  const hashes = [...book.entries.values()].flatMap(({ entry }) =>
    entry.kind !== 'blind' && entry.hash !== null && entry.why === null ? [entry.hash] : [],
  );
  const missing = new Set(blobs.missing(hashes));
  blobs.use(hashes.filter((hash) => !missing.has(hash)));
  book.provenAtDrops = drops;
  book.usedAt = clock.now();
  return missing;
}
