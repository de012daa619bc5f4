// The three reads: what git says, held to the project's part of the repository, without what the policy hides.
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { DiffFile, GitCommit, GitEntry, GitState } from '#shared/contracts/git.ts';
import { sha256 } from '../../base/digest.ts';
import { Failed } from '../../failed.ts';
import { parseDiff, type RawChange, type Section } from './diff.ts';
import { LOG_FORMAT, parseLog } from './log.ts';
import { below, bytesOf, joined, layerOfRaw, looseText, rawFrom, shown, textOf, type RawPath } from './names.ts';
import { GitFailed } from './program.ts';
import type { Opened } from './service.ts';
import { parseStatus, type RawEntry, type RawStatus } from './status.ts';

/** Whether what is renamed is looked for: it reads content, which a partial clone may not have. */
const renames = ({ settings }: Opened): string => (settings.isPartial ? '--no-renames' : '--find-renames');

/** What git may be told to look at, of paths from the top. Only text can be an argument, so of other names the last folder that is text. */
function pathspecs(paths: readonly RawPath[]): string[] {
  const texts = paths.map((path) => {
    const names = path.split('/');
    const bad = names.findIndex((name) => textOf(name) === null);
    return textOf(names.slice(0, bad === -1 ? names.length : bad).join('/')) ?? '';
  });
  return texts.includes('') || texts.length === 0 ? [] : ['--', ...texts];
}

const scopeOf = ({ repository: { prefix } }: Opened, paths: readonly RawPath[]): RawPath[] => paths.map((path) => joined(prefix, path));

export interface Status extends Omit<RawStatus, 'entries'> {
  entries: RawEntry[];
  hidden: number;
  isCut: boolean;
}

export interface StatusWish {
  /** Both names of a rename as files of their own. */
  isSplit?: boolean;
  /** Where to look. More may be found where a name is no text. */
  paths?: readonly RawPath[];
}

/** Every changed path of the project that may be shown, named from the project's root. */
export async function statusOf(opened: Opened, { isSplit = false, paths = [''] }: StatusWish = {}): Promise<Status> {
  const how = isSplit ? '--no-renames' : renames(opened);
  const wish = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--ignore-submodules=dirty', how];
  const { stdout, isCut } = await opened.git([...wish, ...pathspecs(scopeOf(opened, paths))]);
  const status = parseStatus(stdout.toString('latin1'));
  const { prefix } = opened.repository;
  const entries: RawEntry[] = [];
  let hidden = 0;
  for (const entry of status.entries) {
    const path = below(prefix, entry.path);
    // The other half of a rename out of the project.
    if (path === null || path === '') continue;
    const from = entry.from === null ? null : below(prefix, entry.from);
    if (layerOfRaw(path) !== null) hidden += 1;
    else entries.push({ ...entry, path, from: from === null || layerOfRaw(from) !== null ? null : from });
  }
  return { ...status, entries, hidden, isCut };
}

const states: readonly (readonly [string, GitState])[] = [
  ['rebase-merge', 'rebasing'],
  ['rebase-apply', 'rebasing'],
  ['MERGE_HEAD', 'merging'],
  ['CHERRY_PICK_HEAD', 'cherry_picking'],
  ['REVERT_HEAD', 'reverting'],
  ['BISECT_LOG', 'bisecting'],
];

export function stateOf({ repository: { gitDir } }: Opened): GitState | null {
  if (existsSync(join(gitDir, 'rebase-apply', 'applying'))) return 'applying';
  return states.find(([name]) => existsSync(join(gitDir, name)))?.[1] ?? null;
}

export const shownEntry = ({ path, status, from, isRepository }: RawEntry): GitEntry => ({
  path: shown(path),
  status,
  ...(from === null ? {} : { from: shown(from) }),
  ...(isRepository ? { isRepository } : {}),
});

export interface Diff {
  files: DiffFile[];
  text: string;
  hidden: number;
  /** Git printed more than is kept. */
  isCut: boolean;
  isLossy: boolean;
}

export interface DiffWish {
  paths?: readonly string[] | undefined;
  staged: boolean;
  contextLines: number;
}

/** The whole diff of the project's visible files. */
export async function diffOf(opened: Opened, wish: DiffWish): Promise<Diff> {
  const chosen = (wish.paths ?? ['.']).map(rawFrom);
  const { stdout, isCut } = await opened.git([
    ...['diff', wish.staged ? '--cached' : '--ours', '--raw', '-p', '-z', '--no-color', '--no-ext-diff', '--no-textconv'],
    ...[`--unified=${wish.contextLines}`, '--src-prefix=a/', '--dst-prefix=b/', '--submodule=short', '--ignore-submodules=dirty'],
    ...[renames(opened), ...pathspecs(scopeOf(opened, chosen))],
  ]);
  const parsed = parseDiff(stdout.toString('latin1'), isCut);
  const visible = new Map<RawPath, RawChange>();
  let hidden = 0;
  for (const change of parsed.changes) {
    const verdict = judge(opened, { change, chosen });
    if (verdict === 'hidden') hidden += 1;
    else if (verdict === 'visible') visible.set(change.path, change);
  }
  // A part is shown only under the name of a change that was judged.
  const sections = parsed.sections.filter(({ path, from }) => {
    const change = visible.get(path);
    return change !== undefined && (from === null || from === change.from);
  });
  const bytes = bytesOf(sections.map(({ text }) => text).join(''));
  const text = bytes.toString('utf8');
  const files = [...visible.values()].map((change) => fileOf(opened, { change, sections }));
  return { files, text, hidden: hidden + parsed.unknown, isCut, isLossy: !Buffer.from(text, 'utf8').equals(bytes) };
}

type Verdict = 'visible' | 'hidden' | 'elsewhere';

function judge({ repository }: Opened, { change, chosen }: { change: RawChange; chosen: readonly RawPath[] }): Verdict {
  const path = below(repository.prefix, change.path);
  const isChosen = path !== null && chosen.some((one) => below(one, path) !== null);
  if (!isChosen) return 'elsewhere';
  const from = change.from === null ? null : below(repository.prefix, change.from);
  const isSecret = layerOfRaw(path) !== null || (change.from !== null && (from === null || layerOfRaw(from) !== null));
  return isSecret || (change.isOnDisk && isShared(repository.top, change.path)) ? 'hidden' : 'visible';
}

/** A file with another name elsewhere may be anything of this account, also what no name here would show. */
export function isShared(top: string, path: RawPath): boolean {
  try {
    const stats = lstatSync(Buffer.concat([Buffer.from(`${top}/`), bytesOf(path)]), { throwIfNoEntry: false });
    return stats !== undefined && stats.isFile() && stats.nlink > 1;
  } catch (error) {
    // A file stands where its folder was, or nobody here can tell.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return true;
    throw error;
  }
}

function fileOf({ repository }: Opened, { change, sections }: { change: RawChange; sections: readonly Section[] }): DiffFile {
  const own = sections.filter(({ path }) => path === change.path);
  const sum = (name: 'added' | 'removed') => own.reduce((total, section) => total + section[name], 0);
  const inside = (path: RawPath) => shown(below(repository.prefix, path) ?? path);
  return {
    path: inside(change.path),
    ...(change.from === null ? {} : { from: inside(change.from) }),
    status: change.status,
    ...{ added: sum('added'), removed: sum('removed'), binary: own.some(({ isBinary }) => isBinary) },
  };
}

export interface Page {
  text: string;
  startByte: number;
  totalBytes: number;
  hash: string;
  nextCursor: string | null;
}

const CURSOR = /^([0-9]{1,10})-([0-9a-f]{64})$/;

/** One page of a text, at most `jsonBytes` long in JSON, whole lines where they fit. A cursor holds for the very text it came from, else CONFLICT. */
export function pageOf(text: string, { cursor, jsonBytes }: { cursor: string | undefined; jsonBytes: number }): Page {
  const bytes = Buffer.from(text, 'utf8');
  const hash = sha256(bytes);
  const [, at = '0', of = hash] = cursor === undefined ? [] : (CURSOR.exec(cursor) ?? ['', '', '']);
  const startByte = Number(at);
  if (at === '' || startByte > bytes.length)
    throw new Failed('INVALID_INPUT', 'The cursor is not one that git_diff gave. Nothing was read.');
  if (of !== hash)
    throw new Failed('CONFLICT', 'The diff is not what it was when this cursor was given. Nothing was read.', {
      recovery: 'Begin again without the cursor.',
    });
  const end = pageEnd(bytes, startByte, jsonBytes);
  const nextCursor = end < bytes.length ? `${end}-${hash}` : null;
  return { text: bytes.subarray(startByte, end).toString('utf8'), startByte, totalBytes: bytes.length, hash, nextCursor };
}

function pageEnd(bytes: Buffer, start: number, jsonBytes: number): number {
  let end = Math.min(bytes.length, start + jsonBytes);
  for (;;) {
    end = wholeEnd(bytes, start, end);
    const taken = Buffer.byteLength(JSON.stringify(bytes.subarray(start, end).toString('utf8')));
    if (taken <= jsonBytes || end - start < 64) return end;
    end = start + Math.floor(((end - start) * jsonBytes * 0.95) / taken);
  }
}

/** At the end of a line, or at least not in the middle of a character. */
function wholeEnd(bytes: Buffer, start: number, wished: number): number {
  if (wished === bytes.length) return wished;
  const line = bytes.lastIndexOf(0x0a, wished - 1) + 1;
  if (line > start) return line;
  let end = wished;
  while (end > start && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

/** Commits that touch the project, or one path in it, newest first. */
export async function logOf(opened: Opened, { limit, path }: { limit: number; path?: string | undefined }): Promise<GitCommit[]> {
  const raw = joined(opened.repository.prefix, path === undefined ? '' : rawFrom(path));
  const text = textOf(raw);
  const wish = [
    'log',
    '-z',
    LOG_FORMAT,
    '--no-show-signature',
    '--no-color',
    '--no-decorate',
    '--no-notes',
    '--no-mailmap',
    `--max-count=${limit}`,
  ];
  if (text === null && raw.includes('\n'))
    throw new Failed('NOT_SUPPORTED', 'Git takes no name that holds both a line break and bytes that are no UTF-8. Nothing was read.');
  try {
    // Only text can be an argument; other bytes go in by standard input.
    const { stdout } = await (text === null
      ? opened.git([...wish, '--stdin'], { input: Buffer.concat([Buffer.from('HEAD\n--\n'), bytesOf(raw), Buffer.from('\n')]) })
      : opened.git([...wish, 'HEAD', '--', ...(text === '' ? [] : [text])]));
    return parseLog(looseText(stdout.toString('latin1')));
  } catch (error) {
    if (error instanceof GitFailed && (await isUnborn(opened))) return [];
    throw error;
  }
}

/** Whether HEAD is on a branch that has no commit yet. */
export async function isUnborn(opened: Opened): Promise<boolean> {
  return (await headOf(opened)) === null && opened.standIn.head.startsWith('ref: ');
}

/** The commit that HEAD is on, or null. */
export async function headOf(opened: Opened): Promise<string | null> {
  const { stdout, exitCode } = await opened.git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { answers: [0, 1, 128] });
  return exitCode === 0 ? stdout.toString('latin1').trim() : null;
}
