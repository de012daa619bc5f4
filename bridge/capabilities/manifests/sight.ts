// Every path of a project with its stamps as they are now, sorted into what could be put back and what is only told by name.
import { lstatSync, type Stats } from 'node:fs';
import { parseProjectPath } from '#shared/paths.ts';
import { underRoot } from '../../base/fs/root.ts';
import type { Census, Pause } from '../files/service.ts';
import type { Kind } from '../changes/service.ts';
import { isSameStamp, type Blind, type Entry, type Kept, type Why } from './entry.ts';
import { skim } from './skim.ts';

/** Something whose bytes may be kept. */
export interface Candidate {
  path: string;
  kind: Kind;
  stats: Stats;
}

export interface Sight {
  /** By its stamps still what is known of it. */
  same: Kept[];
  candidates: Candidate[];
  blind: Blind[];
}

export interface SightRequest {
  root: string;
  census: Census;
  /** Looked at whatever is left out by now, because an earlier manifest has them. */
  also: Iterable<string>;
  /** Asked right after each look, so that no stamps have to be held. */
  known(path: string): Entry | undefined;
  pause: Pause;
}

/** The clock is not asked after each of many thousand looks. */
const LOOKS_BETWEEN = 64;
/** Stamps of things that are not looked into, of all of them together. */
const SKIM_LOOKS = 4000;
const SKIM_LOOKS_MIN = 40;

export async function see(request: SightRequest): Promise<Sight> {
  const { root, census, also, pause } = request;
  const sight: Sight = { same: [], candidates: [], blind: [] };
  const known = new Set<string>();
  const lookAll = async (paths: Iterable<string>) => {
    for (const path of paths) {
      if (known.has(path)) continue;
      known.add(path);
      lookAt(sight, request, path);
      if (known.size % LOOKS_BETWEEN === 0 && pause.isDue()) await pause.take();
    }
  };
  await lookAll(census.folders);
  await lookAll(census.files);
  await lookAll(census.links);
  await lookAll(also);
  const folders = census.leftOut.filter(({ isFolder }) => isFolder).length;
  const looksMax = Math.max(SKIM_LOOKS_MIN, Math.floor(SKIM_LOOKS / Math.max(1, folders)));
  for (const { path, why, isFolder } of census.leftOut) {
    // What an earlier manifest has at that very path stays a thing of its own; what is below it is not looked into.
    if (!known.has(path)) addBlind(sight, { path, why: whyOf(root, path, why), isFolder, skim: skim(root, path, isFolder ? looksMax : 1) });
    else if (isFolder) addBlind(sight, { path: inside(path), why, isFolder, skim: skim(root, path, looksMax) });
    if (pause.isDue()) await pause.take();
  }
  for (const path of census.unseen) addBlind(sight, { path: inside(path), why: 'unseen', isFolder: true, skim: '' });
  return sight;
}

/** The key of what is in a folder, apart from the folder itself; no path ends like this. */
export const inside = (path: string): string => `${path}/`;

/** A file with a second name is left out like a device, but is worth a word of its own. */
function whyOf(root: string, path: string, why: Why): Why {
  return why === 'special' && statsOf(root, path)?.isFile() === true ? 'hard_link' : why;
}

/** What stands at one path now; null: nothing that could be kept. */
export function candidateAt(root: string, path: string): Candidate | null {
  const stats = statsOf(root, path);
  const kind = stats === undefined || stats === null ? null : kindOf(stats);
  return stats === undefined || stats === null || kind === null ? null : { path, kind, stats };
}

function lookAt(sight: Sight, { root, known }: SightRequest, path: string): void {
  const stats = statsOf(root, path);
  if (stats === undefined) return;
  const before = known(path);
  if (stats !== null && before !== undefined && isAsKnown(before, stats)) return void sight.same.push(before);
  if (stats === null) return addBlind(sight, { path, why: 'unreadable', isFolder: false, skim: '' });
  const kind = kindOf(stats);
  const why = kind === null ? 'special' : kind === 'file' && stats.nlink > 1 ? 'hard_link' : isNamable(path) ? null : 'name';
  if (why === null && kind !== null) sight.candidates.push({ path, kind, stats });
  else addBlind(sight, { path, why: why ?? 'special', isFolder: stats.isDirectory(), skim: skim(root, path, 1) });
}

/** undefined: nothing is there; null: it cannot be looked at. */
function statsOf(root: string, path: string): Stats | null | undefined {
  try {
    return lstatSync(underRoot(root, path), { throwIfNoEntry: false });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    if (['EACCES', 'EPERM', 'ENAMETOOLONG'].includes(code)) return null;
    throw error;
  }
}

const kindOf = (stats: Stats): Kind | null =>
  stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : stats.isSymbolicLink() ? 'link' : null;

/** What no call can name, none can take back. */
function isNamable(path: string): boolean {
  const verdict = parseProjectPath(path);
  return verdict.ok && verdict.path === path && !path.includes('\ufffd');
}

function addBlind(sight: Sight, { skim: digest, ...blind }: Pick<Blind, 'path' | 'why' | 'isFolder' | 'skim'>): void {
  const none = { dev: 0, ino: 0, size: 0, mtimeMs: 0, ctimeMs: 0 };
  sight.blind.push({ kind: 'blind', ...blind, ...none, isRacy: false, skim: digest });
}

/** A second name, a link in its place or another kind of thing has other stamps. */
const isAsKnown = (before: Entry, stats: Stats): before is Kept =>
  (before.kind === 'file' || before.kind === 'link') && !before.isRacy && isSameStamp(before, stats);
