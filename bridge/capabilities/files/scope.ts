// The files a call is about: those below the paths it names that the policy and the ignore rules leave in, counted when left out.
import type { Skipped } from '#shared/contracts/files.ts';
import { comparePaths } from '#shared/paths.ts';
import type { Catalogue } from './catalogue.ts';
import { coverOf } from './cover.ts';
import { compileGlob, type PathTest } from './glob.ts';
import type { FileEntry } from './listing.ts';
import { locate, notFound } from './locate.ts';
import { nothingSkipped, type Survey } from './walk.ts';

export interface ScopeRequest {
  paths?: readonly string[] | undefined;
  fileGlob?: string | undefined;
  includeIgnored: boolean;
  /** Larger files are counted and left out. */
  limitBytes: number;
  isOver(): boolean;
}

export interface Scope {
  files: readonly FileEntry[];
  known: ReadonlySet<string>;
  /** What to tell ripgrep so that it looks at these files. */
  cover: readonly string[];
  skipped: Skipped;
  isComplete: boolean;
  warnings: string[];
  surveys: Survey[];
}

/** Scopes of unchanged surveys, so that a repeated search does not sort out 20,000 files again. */
const whole = new WeakMap<Survey, Scope>();

export async function scopeOf(root: string, catalogue: Catalogue, request: ScopeRequest): Promise<Scope> {
  const test = request.fileGlob === undefined ? null : compileGlob(request.fileGlob);
  const starts = await startsOf(root, request.paths ?? ['.']);
  const surveys: Survey[] = [];
  const parts: Survey[] = [];
  for (const { folder, file } of starts) {
    const { includeIgnored, isOver } = request;
    const survey = await catalogue.survey(root, { start: folder, includeIgnored, isOver, ...(file === null ? {} : { depth: 0 }) });
    surveys.push(survey);
    parts.push(file === null ? survey : onlyFile(survey, file));
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && test === null) return remembered(only, surveys, request.limitBytes);
  return sorted(parts, { test, surveys, limitBytes: request.limitBytes });
}

function remembered(survey: Survey, surveys: Survey[], limitBytes: number): Scope {
  const known = whole.get(survey);
  if (known !== undefined) return known;
  const scope = sorted([survey], { test: null, surveys, limitBytes });
  whole.set(survey, scope);
  return scope;
}

/** Call when it was learnt which files of a scope are binary: the next call sorts them out. */
export function forgetScope(scope: Scope): void {
  for (const survey of scope.surveys) whole.delete(survey);
}

function sorted(parts: readonly Survey[], request: { test: PathTest | null; surveys: Survey[]; limitBytes: number }): Scope {
  const skipped = nothingSkipped();
  const files: FileEntry[] = [];
  for (const part of parts) {
    for (const reason of Object.keys(skipped) as (keyof Skipped)[]) skipped[reason] += part.skipped[reason];
    for (const entry of part.files) {
      if (request.test !== null && !request.test(entry.path)) continue;
      if (entry.size > request.limitBytes) skipped.tooLarge += 1;
      else if (entry.isBinary === true) skipped.binary += 1;
      else files.push(entry);
    }
  }
  if (parts.length > 1) files.sort((a, b) => comparePaths(a.path, b.path));
  const paths = files.map((entry) => entry.path);
  const isComplete = parts.every((part) => part.isComplete);
  const canCover = isComplete && request.test === null && parts.every((part, at) => part === request.surveys[at]);
  const isSearchable = (entry: FileEntry) => entry.size <= request.limitBytes && entry.isBinary !== true;
  return {
    files,
    known: new Set(paths),
    cover: canCover ? parts.flatMap((part) => coverOf(part, part.start, isSearchable)) : paths,
    skipped,
    isComplete,
    warnings: [...new Set(parts.flatMap((part) => part.warnings))],
    surveys: request.surveys,
  };
}

interface Start {
  folder: string;
  /** null: everything below the folder. */
  file: string | null;
}

/** Each named path once, and none that another of them covers. */
async function startsOf(root: string, paths: readonly string[]): Promise<Start[]> {
  const starts = new Map<string, Start>();
  for (const path of paths) {
    const { relative, kind } = await locate(root, path, 'read');
    if (kind === 'absent') throw notFound(root, relative);
    const cut = relative.lastIndexOf('/');
    const file = { folder: cut < 0 ? '.' : relative.slice(0, cut), file: relative };
    starts.set(relative, kind === 'directory' ? { folder: relative, file: null } : file);
  }
  const folders = [...starts.values()].filter((start) => start.file === null).map((start) => start.folder);
  return [...starts].filter(([path]) => !folders.some((folder) => folder !== path && isBelow(path, folder))).map(([, start]) => start);
}

const isBelow = (path: string, folder: string) => folder === '.' || path.startsWith(`${folder}/`);

/** The part of its folder's survey that is about one file; what kept it out was counted for the folder, so it is told anew. */
function onlyFile(survey: Survey, path: string): Survey {
  const files = survey.files.filter((entry) => entry.path === path);
  const skipped = nothingSkipped();
  if (files.length === 0) {
    const isListed = survey.shelves.some(({ listing }) => listing.files.some((entry) => entry.path === path));
    skipped[isListed || survey.shelves.length === 0 ? 'ignored' : 'special'] += 1;
  }
  return { ...survey, files, skipped };
}
