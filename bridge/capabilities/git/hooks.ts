// The hooks of a commit: which there are, by the bytes they have, and running exactly those that the owner was asked about.
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { sha256 } from '../../base/digest.ts';
import { childEnvironment } from '../../base/process/environment.ts';
import { startGroup, type Group } from '../../base/process/group.ts';
import { Failed } from '../../failed.ts';
import { looseText } from './names.ts';
import { lastOf } from './settings.ts';
import type { Opened } from './service.ts';

export const hookNames = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'] as const;
export type HookName = (typeof hookNames)[number];

export interface Hook {
  name: HookName;
  file: string;
  /** What the owner reads of where it is. */
  label: string;
  hash: string;
  text: string;
}

const HOOK_MAX_BYTES = 16 * 1024 * 1024;

/** Those that git would run: regular files, also behind a link, that may be executed. */
export function hooksOf(opened: Opened): Hook[] {
  const folder = folderOf(opened);
  return hookNames.flatMap((name) => {
    const file = join(folder, name);
    const bytes = executable(file);
    if (bytes === null) return [];
    const inside = relative(opened.repository.top, file);
    const label = inside.startsWith('..') || isAbsolute(inside) ? `${name} (a hook outside the repository’s folder)` : inside;
    return [{ name, file, label, hash: sha256(bytes), text: bytes.toString('utf8') }];
  });
}

/** Where the repository, else the owner, keeps hooks; else where git does. */
function folderOf({ settings, owner, repository }: Opened): string {
  const named = lastOf(settings.own, 'core.hookspath') ?? lastOf(owner.all, 'core.hookspath');
  if (named === undefined || named === null || named === '') return join(repository.commonDir, 'hooks');
  return resolve(repository.top, looseText(named).replace(/^~(?=\/|$)/, homedir()));
}

function executable(file: string): Buffer | null {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return null;
    accessSync(file, constants.X_OK);
    if (stats.size > HOOK_MAX_BYTES)
      throw new Failed('NOT_SUPPORTED', 'A hook of the repository is too large to be shown. Nothing was committed.');
    return readFileSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

export interface HookRun {
  top: string;
  env: Readonly<Record<string, string>>;
  /** PATH for it. */
  path: string;
  mark: string;
  signal: AbortSignal;
  /** Until when all hooks of the commit have time, on the clock of `performance.now`. */
  deadline: number;
}

export interface HookEnd {
  name: HookName;
  exitCode: number | null;
  /** The last of what it wrote. */
  output: string;
  /** How many programs it left running. */
  left: number;
}

const OUTPUT_CHARACTERS = 4000;
const DRAIN_MS = 500;
const GRACE_MS = 2000;

/** Runs one hook to its end. Throws TIMEOUT when time is over, and CONFLICT when it is not the one that was asked about. */
export async function runHook(hook: Hook, args: readonly string[], run: HookRun): Promise<HookEnd> {
  const bytes = executable(hook.file);
  if (bytes === null || sha256(bytes) !== hook.hash)
    throw new Failed('CONFLICT', `The hook ${hook.name} is not the one that the owner was asked about. Nothing was committed.`);
  const output: string[] = [];
  const group = await started(hook, args, { ...run, take: (chunk) => void output.push(chunk.toString('utf8')) });
  const isOver = await untilEnd(group, run);
  if (isOver) {
    await group.end(GRACE_MS);
    throw new Failed('TIMEOUT', `The hook ${hook.name} took too long or the call was cancelled; it was ended. Nothing was committed.`);
  }
  const { exitCode } = await group.exit;
  // What it started may hold its output open for as long as it lives.
  await Promise.race([group.drained, wait(DRAIN_MS)]);
  const text = output.join('').slice(-OUTPUT_CHARACTERS).replaceAll(run.top, '.');
  return { name: hook.name, exitCode, output: text, left: group.members().length };
}

/** Whether time was over before it ended. */
async function untilEnd(group: Group, { signal, deadline }: HookRun): Promise<boolean> {
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal]);
  const ended = group.exit.then(() => over.abort());
  const left = Math.max(0, deadline - performance.now());
  const isTimedOut = await wait(left, true, { signal: limit }).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'AbortError') return signal.aborted;
    throw error;
  });
  if (!isTimedOut) await ended;
  return isTimedOut;
}

interface Start extends HookRun {
  take(chunk: Buffer): void;
}

/** A file without a first line that names its interpreter is given to the shell, as git does. */
async function started({ name, file }: Hook, args: readonly string[], { top, env, path, mark, take }: Start): Promise<Group> {
  const given = { ...childEnvironment(), ...env, PATH: path };
  const rest = { cwd: top, env: given, mark, hasInput: false, onStdout: take, onStderr: take };
  try {
    return await startGroup({ file, args, ...rest });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOEXEC') return startGroup({ file: '/bin/sh', args: [file, ...args], ...rest });
    if (!['ENOENT', 'EACCES', 'EPERM'].includes(code)) throw error;
    throw new Failed('CONFLICT', `The hook ${name} cannot be started. Nothing was committed.`, { cause: error });
  }
}
