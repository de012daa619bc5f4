// Listings: a bounded tree, and files by glob. Sizes and times are asked afresh, because a file written to in place leaves its folder as it was.
import type { z } from 'zod';
import type { filesContract } from '#shared/contracts/files.ts';
import { comparePaths } from '#shared/paths.ts';
import { Failed } from '../../failed.ts';
import { plainFile } from './bytes.ts';
import type { Catalogue } from './catalogue.ts';
import { compileGlob } from './glob.ts';
import { statsAt } from './listing.ts';
import { locate, notFound } from './locate.ts';
import type { Survey } from './walk.ts';

type Input<K extends 'list_files' | 'glob_files'> = z.output<(typeof filesContract)[K]['input']>;
type Data<K extends 'list_files' | 'glob_files'> = z.input<(typeof filesContract)[K]['output']>;

type Entry = Data<'list_files'>['tree'][number];

export interface Listed<D> {
  data: D;
  truncated: boolean;
  warnings: string[];
}

export interface ListPlace {
  root: string;
  catalogue: Catalogue;
  isOver(): boolean;
}

export async function listTree(place: ListPlace, input: Input<'list_files'>): Promise<Listed<Data<'list_files'>>> {
  const start = await directoryAt(place.root, input.path);
  const { includeIgnored } = input;
  const survey = await place.catalogue.survey(place.root, { start, includeIgnored, depth: input.depth - 1, isOver: place.isOver });
  const folders: Entry[] = survey.folders.map((path) => ({ path, kind: 'directory', size: null }));
  const files: Entry[] = survey.files.map(({ path, size }) => ({ path, kind: 'file', size }));
  const all = [...folders, ...files].sort((a, b) => comparePaths(a.path, b.path));
  const tree: Entry[] = [];
  for (const entry of all.slice(0, input.maxEntries)) {
    const stats = entry.kind === 'file' ? await plainFile(place.root, entry.path) : null;
    if (entry.kind === 'directory') tree.push(entry);
    else if (stats !== null) tree.push({ ...entry, size: stats.size });
  }
  const data = { path: start, tree, entryCount: tree.length, skipped: survey.skipped };
  return { data, truncated: all.length > input.maxEntries || !survey.isComplete, warnings: warningsOf(survey) };
}

export async function findByGlob(place: ListPlace, input: Input<'glob_files'>): Promise<Listed<Data<'glob_files'>>> {
  const start = await directoryAt(place.root, input.path);
  const matches = compileGlob(input.pattern);
  const below = start === '.' ? 0 : start.length + 1;
  const survey = await place.catalogue.survey(place.root, { start, includeIgnored: input.includeIgnored, isOver: place.isOver });
  const found = survey.files.filter((entry) => matches(entry.path.slice(below)));
  const isByTime = input.sortBy === 'mtime';
  const paths = found.map((entry) => entry.path);
  if (isByTime) newestFirst(place.root, paths);
  const files: Data<'glob_files'>['files'] = [];
  for (const path of paths.slice(0, input.maxResults)) {
    const stats = await plainFile(place.root, path);
    if (stats !== null) files.push({ path, ...stats });
  }
  const data = { files, count: found.length, skipped: survey.skipped };
  return { data, truncated: found.length > input.maxResults || !survey.isComplete, warnings: warningsOf(survey) };
}

function newestFirst(root: string, paths: string[]): void {
  const times = new Map(paths.map((path) => [path, statsAt(root, path)?.mtimeMs ?? 0]));
  paths.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || comparePaths(a, b));
}

async function directoryAt(root: string, path: string): Promise<string> {
  const located = await locate(root, path, 'read');
  if (located.kind === 'absent') throw notFound(root, located.relative);
  if (located.kind !== 'directory')
    throw new Failed('INVALID_INPUT', `${JSON.stringify(located.relative)} is not a directory.`, {
      recovery: 'Use read_files to read a file.',
    });
  return located.relative;
}

function warningsOf({ warnings, isComplete }: Survey): string[] {
  return isComplete ? warnings : [...warnings, 'The listing stopped at a limit or at its time budget; name a folder to see more of it.'];
}
