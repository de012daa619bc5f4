// The lock that git itself takes to change an index. It is taken as git takes it; one of another is told of and never removed.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failed } from '../../failed.ts';

export interface IndexLock {
  /** Puts these bytes in the place of the index and gives the lock up. */
  replace(bytes: Buffer): void;
  /** Gives the lock up, the index as it was. May be called again. */
  release(): void;
}

/** A lock without a program behind it is left over when it is older than this. */
const STALE_MS = 60_000;

/** Throws CONFLICT when another holds it, with what is known of who that is. */
export function takeIndexLock({ gitDir, top }: { gitDir: string; top: string }): IndexLock {
  const index = join(gitDir, 'index');
  const path = `${index}.lock`;
  const mode = lstatSync(index, { throwIfNoEntry: false })?.mode ?? 0o666;
  let fd: number;
  try {
    fd = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, mode & 0o777);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw busy(path, [top, gitDir]);
    throw error;
  }
  let isHeld = true;
  return {
    replace(bytes) {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
      if (!isOurs(fd, path)) throw new Error('The lock of the index was taken away.');
      renameSync(path, index);
      closeSync(fd);
      isHeld = false;
    },
    release() {
      if (!isHeld) return;
      isHeld = false;
      const own = isOurs(fd, path);
      closeSync(fd);
      if (own) unlinkSync(path);
    },
  };
}

/** Throws CONFLICT while another holds the lock, and takes nothing. */
export function requireUnlocked({ gitDir, top }: { gitDir: string; top: string }): void {
  const path = join(gitDir, 'index.lock');
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw busy(path, [top, gitDir]);
}

function isOurs(fd: number, path: string): boolean {
  const [held, named] = [fstatSync(fd), lstatSync(path, { throwIfNoEntry: false })];
  return named !== undefined && held.ino === named.ino && held.dev === named.dev;
}

interface Holder {
  pid: number;
  program: string;
}

function busy(path: string, folders: readonly string[]): Failed {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  const ageMs = Math.max(0, Date.now() - (seen?.mtimeMs ?? Date.now()));
  const holder = holderOf(path, folders);
  const isStale = holder === null && ageMs > STALE_MS && process.platform === 'linux';
  const detail = { lock: '.git/index.lock', holder, ageMs: Math.round(ageMs), isStale };
  if (isStale)
    return new Failed(
      'CONFLICT',
      `A lock that seems left over, .git/index.lock, is ${ageText(ageMs)} old and no program that holds it was found. Nothing was committed, and it was not removed.`,
      { recovery: 'The owner makes sure that no git runs there and removes .git/index.lock.', detail },
    );
  const who = holder === null ? 'another program' : `${holder.program} (process ${holder.pid})`;
  return new Failed('CONFLICT', `The repository is busy: ${who} holds .git/index.lock. Nothing was committed.`, {
    ...{ recovery: 'Send the call again when it is done.', detail, retryable: true },
  });
}

function ageText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1440)} days`;
}

/**
 * Who has the lock open; else a git at work in the repository, which keeps a lock but not the file while an editor or a hook runs.
 * Only programs that this account may look at are found.
 */
function holderOf(path: string, folders: readonly string[]): Holder | null {
  if (process.platform !== 'linux') return null;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const opener = pids.find((pid) =>
    tolerant(() => readdirSync(`/proc/${pid}/fd`), []).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === path),
  );
  const worker = pids.find((pid) => nameOf(pid).startsWith('git') && folders.some((folder) => isIn(folder, linkOf(`/proc/${pid}/cwd`))));
  const pid = opener ?? worker;
  return pid === undefined ? null : { pid: Number(pid), program: nameOf(pid) };
}

const isIn = (folder: string, path: string | null): boolean => path === folder || path?.startsWith(`${folder}/`) === true;
const linkOf = (path: string): string | null => tolerant(() => readlinkSync(path), null);
const nameOf = (pid: string): string => tolerant(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), '');

/** A process may end while it is looked at, and those of others are not ours to look at. */
function tolerant<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) return otherwise;
    throw error;
  }
}
