// Which repository a project lies in, found from its own files. What leads elsewhere is followed only where the other side points back.
import { constants, lstatSync, realpathSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Failed } from '../../failed.ts';
import { rawOf, type RawPath } from './names.ts';

export interface Repository {
  /** The folder that holds the files of the repository. */
  top: string;
  /** The project as seen from there; "" when it is the same folder. */
  prefix: RawPath;
  /** HEAD and the index. */
  gitDir: string;
  /** Objects, refs and the configuration: the same folder but for a linked work tree. */
  commonDir: string;
  /** `.git` is a file that leads here: a linked work tree, or a submodule. */
  isLinked: boolean;
  /** It belongs to another account. */
  isForeign: boolean;
}

const GITFILE_MAX_BYTES = 8192;
const HEAD_MAX_BYTES = 4096;

/** A text of a small regular file that is no link; null when there is none. Bytes are kept, one character each. */
export async function readSmall(path: string, limitBytes: number): Promise<string | null> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= limitBytes ? await file.readFile('latin1') : null;
  } finally {
    await file.close();
  }
}

/** What HEAD says, or null when the folder holds no HEAD that git would take. */
export async function readHead(gitDir: string): Promise<string | null> {
  const text = (await readSmall(join(gitDir, 'HEAD'), HEAD_MAX_BYTES))?.trimEnd() ?? '';
  return /^(ref: refs\/[^\0\n]+|[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : null;
}

/**
 * The nearest repository at or above the project, on the same disk; null when there is none. Throws NOT_SUPPORTED for one
 * that is there and cannot be trusted to be the project's own.
 */
export async function findRepository(root: string): Promise<Repository | null> {
  const disk = lstatSync(root).dev;
  for (let top = root; ; top = dirname(top)) {
    const stats = lstatSync(top, { throwIfNoEntry: false });
    if (stats === undefined || stats.dev !== disk) return null;
    const found = await repositoryAt(top);
    if (found !== null) return { ...found, prefix: rawOf(relative(top, root).split(sep).join('/')) };
    if (dirname(top) === top) return null;
  }
}

type Found = Omit<Repository, 'prefix'>;

async function repositoryAt(top: string): Promise<Found | null> {
  const entry = join(top, '.git');
  const stats = lstatSync(entry, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) throw unfit('its .git is a link to somewhere else');
  if (stats.isFile()) return { top, ...(await behindFile(top, entry)), isLinked: true, isForeign: isOfAnother(stats) };
  if (!stats.isDirectory() || (await readHead(entry)) === null || !isThere(join(entry, 'objects'))) return null;
  return { top, gitDir: entry, commonDir: entry, isLinked: false, isForeign: isOfAnother(stats) };
}

/** Also as a link, which is refused when it comes to using it. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const isOfAnother = ({ uid }: Stats): boolean => process.getuid !== undefined && uid !== process.getuid();

/** A file can name any repository of the account. It is this project's only when that one names this folder too. */
async function behindFile(top: string, entry: string): Promise<Pick<Found, 'gitDir' | 'commonDir'>> {
  const named = /^gitdir: (.+?)[\r\n]*$/s.exec((await readSmall(entry, GITFILE_MAX_BYTES)) ?? '')?.[1];
  const gitDir = named === undefined ? null : realOf(resolve(top, plain(named)));
  if (gitDir === null || (await readHead(gitDir)) === null) throw unfit('its .git is a file that leads to no repository');
  const found = (await asWorktree(entry, gitDir)) ?? (await asSubmodule(top, gitDir));
  if (found === null) throw unfit('its .git is a file that leads to a repository which does not know this folder');
  return found;
}

async function asWorktree(entry: string, gitDir: string): Promise<Pick<Found, 'gitDir' | 'commonDir'> | null> {
  const back = (await readSmall(join(gitDir, 'gitdir'), GITFILE_MAX_BYTES))?.trim();
  const common = (await readSmall(join(gitDir, 'commondir'), GITFILE_MAX_BYTES))?.trim();
  if (!back || !common || realOf(resolve(gitDir, plain(back))) !== entry) return null;
  const commonDir = realOf(resolve(gitDir, plain(common)));
  // The folder that says so must itself be one of that repository's, or it could name any.
  if (commonDir === null || basename(dirname(gitDir)) !== 'worktrees' || dirname(dirname(gitDir)) !== commonDir) return null;
  return { gitDir, commonDir };
}

/** Only the plain form that git itself writes is understood. */
async function asSubmodule(top: string, gitDir: string): Promise<Pick<Found, 'gitDir' | 'commonDir'> | null> {
  const config = (await readSmall(join(gitDir, 'config'), 1024 * 1024)) ?? '';
  const core = /^\[core\]\n((?:[ \t].*\n)*)/m.exec(config)?.[1] ?? '';
  const back = /^[ \t]+worktree = ([^"\\#;\n]+)$/m.exec(core)?.[1];
  return back !== undefined && realOf(resolve(gitDir, plain(back))) === top ? { gitDir, commonDir: gitDir } : null;
}

const plain = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

function realOf(path: string): string | null {
  try {
    return isAbsolute(path) ? realpathSync.native(path) : null;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

export const unfit = (reason: string): Failed =>
  new Failed('NOT_SUPPORTED', `The git repository of this project is not used: ${reason}. Nothing was read or changed.`, {
    recovery: 'Use git itself there.',
  });
