// Walks a project in path order through listings that are read again only when their directory changed. Follows no link.
import type { Skipped } from '#shared/contracts/files.ts';
import { ignoreText } from './ignore-text.ts';
import { isIgnored, rulesInside, withRules, type Rules } from './ignoring.ts';
import { isCurrent, isSameFile, readListing, type FileEntry, type LeftOut, type Listing } from './listing.ts';
import { createPause, type Pause } from './pause.ts';

export interface WalkLimits {
  entries: number;
  depth: number;
}
export const walkLimits: WalkLimits = { entries: 100_000, depth: 32 };

/** What one directory gives to a walk: its listing and what of it is left out by the ignore rules. */
export interface Shelf {
  listing: Listing;
  /** The rules the directory was reached with; with the same rules and listing, the rest still holds. */
  reachedWith: Rules | null;
  rules: Rules | null;
  files: FileEntry[];
  /** Each with the rules that hold inside it. */
  folders: { path: string; rules: Rules | null }[];
  ignored: LeftOut[];
  warnings: string[];
}

export type Shelves = Map<string, Shelf>;

export interface WalkRequest {
  start: string;
  includeIgnored: boolean;
  /** Directories below `start` to enter: 0 gives its own entries only. */
  depth?: number;
  /** Stops the walk when it answers true: the time is up or the caller has gone. */
  isOver(): boolean;
}

export interface Survey {
  start: string;
  files: FileEntry[];
  folders: string[];
  skipped: Skipped;
  /** False when a limit or the time ended the walk: then more may exist than is told here. */
  isComplete: boolean;
  /** Directories of which not all is known. */
  unseen: string[];
  warnings: string[];
  /** Every shelf that was visited, so that all of it can be checked again cheaply. */
  shelves: Shelf[];
}

export function nothingSkipped(): Skipped {
  return { ignored: 0, secret: 0, protected: 0, symlink: 0, binary: 0, tooLarge: 0, unreadable: 0, special: 0 };
}

/** Whether nothing a survey was made from has changed. Costs one look a directory. */
export async function isSurveyCurrent(root: string, survey: Survey): Promise<boolean> {
  const pause = createPause();
  for (const shelf of survey.shelves) {
    if (!isShelfCurrent(root, shelf)) return false;
    if (pause.isDue()) await pause.take();
  }
  return true;
}

const LARGE_BYTES = 1024 * 1024;

function isShelfCurrent(root: string, { listing }: Shelf): boolean {
  if (!isCurrent(root, listing)) return false;
  if (!listing.ignoreFiles.every((entry) => isSameFile(root, entry))) return false;
  // A file written to in place leaves its directory as it was, so what may be left out for its content or size is asked again.
  return listing.files.every((entry) => (entry.isBinary !== true && entry.size < LARGE_BYTES) || isSameFile(root, entry));
}

export const nothingSeen = (start: string): Survey => ({
  start,
  files: [],
  folders: [],
  skipped: nothingSkipped(),
  isComplete: true,
  unseen: [],
  warnings: [],
  shelves: [],
});

/** Walks everything below `start`. */
export async function walk(root: string, shelves: Shelves, request: WalkRequest): Promise<Survey> {
  const survey = nothingSeen(request.start);
  const walker: Walker = { root, shelves, request, survey, entries: 0, ignoreFiles: 0, pause: createPause() };
  const rules = await rulesOnTheWay(walker);
  if (rules === 'ignored') survey.skipped.ignored += 1;
  else await enter(walker, { path: request.start, rules, depth: 0 });
  return survey;
}

interface Walker {
  root: string;
  shelves: Shelves;
  request: WalkRequest;
  survey: Survey;
  entries: number;
  ignoreFiles: number;
  pause: Pause;
}

interface Place {
  path: string;
  rules: Rules | null;
  depth: number;
}

/** The rules that hold in `start`, or that one of its parents, or it itself, is left out by them. */
async function rulesOnTheWay(walker: Walker): Promise<Rules | null | 'ignored'> {
  const { start, includeIgnored } = walker.request;
  if (includeIgnored || start === '.') return null;
  let rules: Rules | null = null;
  let path = '.';
  for (const name of start.split('/')) {
    const shelf = await shelfAt(walker, path, rules);
    if (shelf === null) return rules;
    path = path === '.' ? name : `${path}/${name}`;
    if (isIgnored(shelf.rules, path, true)) return 'ignored';
    rules = shelf.folders.find((folder) => folder.path === path)?.rules ?? null;
  }
  return rules;
}

async function enter(walker: Walker, place: Place): Promise<void> {
  const { survey, request } = walker;
  if (request.isOver() || walker.entries >= walkLimits.entries) {
    leaveUnseen(survey, place.path);
    return;
  }
  if (walker.pause.isDue()) await walker.pause.take();
  const shelf = await shelfAt(walker, place.path, place.rules);
  if (shelf === null) {
    survey.skipped.unreadable += 1;
    survey.unseen.push(place.path);
    return;
  }
  account(walker, shelf);
  await visit(walker, shelf, place.depth);
}

/** Files and folders interleaved in path order. */
async function visit(walker: Walker, shelf: Shelf, depth: number): Promise<void> {
  const { survey, request } = walker;
  let next = 0;
  const takeFiles = (before: string | null) => {
    for (let file = shelf.files[next]; file !== undefined && (before === null || file.path < before); file = shelf.files[++next])
      survey.files.push(file);
  };
  for (const folder of shelf.folders) {
    takeFiles(folder.path);
    survey.folders.push(folder.path);
    if (depth >= (request.depth ?? Infinity)) continue;
    if (depth + 1 > walkLimits.depth) leaveUnseen(survey, folder.path);
    else await enter(walker, { ...folder, depth: depth + 1 });
  }
  takeFiles(null);
}

function leaveUnseen(survey: Survey, path: string): void {
  survey.isComplete = false;
  survey.unseen.push(path);
}

function account(walker: Walker, shelf: Shelf): void {
  const { survey } = walker;
  const { counts, isCut } = shelf.listing;
  survey.shelves.push(shelf);
  survey.warnings.push(...shelf.warnings);
  survey.skipped.ignored += shelf.ignored.length;
  for (const reason of ['secret', 'protected', 'symlink', 'special', 'unreadable'] as const) survey.skipped[reason] += counts[reason];
  if (isCut) leaveUnseen(survey, shelf.listing.path);
  walker.entries += shelf.files.length + shelf.folders.length;
}

/** The shelf of one directory, kept when nothing in it and nothing above it changed. */
async function shelfAt(walker: Walker, path: string, reachedWith: Rules | null): Promise<Shelf | null> {
  const { root, shelves } = walker;
  const key = `${walker.request.includeIgnored ? 'all' : 'kept'}:${path}`;
  const known = shelves.get(key);
  const isKnown = known !== undefined && isShelfCurrent(root, known);
  if (isKnown && known.reachedWith === reachedWith) return known;
  const { pause } = walker;
  const listing = isKnown ? known.listing : await readListing({ root, path, previous: known?.listing, limit: walkLimits.entries, pause });
  if (listing === null) {
    shelves.delete(key);
    return null;
  }
  const shelf = await fillShelf(walker, { listing, reachedWith, before: known });
  shelves.set(key, shelf);
  return shelf;
}

async function fillShelf(walker: Walker, from: { listing: Listing; reachedWith: Rules | null; before: Shelf | undefined }): Promise<Shelf> {
  const { listing, reachedWith, before } = from;
  const shelf: Shelf = { listing, reachedWith, rules: reachedWith, files: listing.files, folders: [], ignored: [], warnings: [] };
  if (walker.request.includeIgnored) return { ...shelf, folders: listing.folders.map((path) => ({ path, rules: null })) };
  const text = await ignoreText(walker, listing.ignoreFiles, shelf.warnings);
  const isSameText = before?.reachedWith === reachedWith && before.rules?.folder === listing.path && before.rules.text === text;
  if (text !== '') shelf.rules = isSameText ? before.rules : withRules(reachedWith, listing.path, text);
  shelf.files = listing.files.filter((entry) => !isIgnored(shelf.rules, entry.path, false));
  // The same rules object as before keeps every shelf below from being filled again.
  const earlier = new Map(before?.rules === shelf.rules ? before.folders.map(({ path, rules }) => [path, rules]) : []);
  shelf.folders = listing.folders
    .filter((path) => !isIgnored(shelf.rules, path, true))
    .map((path) => ({ path, rules: earlier.get(path) ?? rulesInside(shelf.rules, path) }));
  const leave = (path: string, isFolder: boolean): LeftOut[] =>
    isIgnored(shelf.rules, path, isFolder) ? [{ path, why: 'ignored', isFolder }] : [];
  shelf.ignored = [
    ...(shelf.files.length === listing.files.length ? [] : listing.files.flatMap(({ path }) => leave(path, false))),
    ...(shelf.folders.length === listing.folders.length ? [] : listing.folders.flatMap((path) => leave(path, true))),
  ];
  return shelf;
}
