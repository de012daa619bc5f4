// What exactly is started: the program's full path, its folder and its whole environment. Nothing is looked for where a project could plant it.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { childEnvironment } from '../../base/process/environment.ts';
import { findProgram } from '../../base/process/find.ts';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import type { Files } from '../files/service.ts';

/** How a program was asked for. */
export interface Wish {
  kind: 'shell' | 'argv';
  program: string;
  args: readonly string[];
  cwd: string;
  timeoutMs: number;
  hasInput: boolean;
}

export interface Ready {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

const ARGUMENTS_BYTES_MAX = 128 * 1024;

/** Nothing waits for a key, draws on a screen or opens an editor: there is nobody at a terminal. */
const unattended: Readonly<Record<string, string>> = {
  CI: '1',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  EDITOR: 'false',
  VISUAL: 'false',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
};

export const shellWish = (command: string, rest: { cwd: string; timeoutMs: number }): Wish => ({
  ...rest,
  kind: 'shell',
  program: '/bin/sh',
  args: ['-c', command],
  hasInput: false,
});

export interface ProgramParts {
  files: Pick<Files, 'locate'>;
  /** The roots of the projects, of which a bare name is never found. */
  roots: () => Promise<string[]>;
}

/** Throws NOT_FOUND, PATH_DENIED or INVALID_INPUT before anything is begun. */
export async function readyFor(parts: ProgramParts, project: ProjectHandle, wish: Wish): Promise<Ready> {
  const size = wish.args.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  if (size > ARGUMENTS_BYTES_MAX)
    throw new Failed('INVALID_INPUT', `The arguments are longer than ${ARGUMENTS_BYTES_MAX} bytes. Nothing was run.`);
  if ([wish.program, ...wish.args].some((text) => text.includes('\0')))
    throw new Failed('INVALID_INPUT', 'An argument holds a NUL, which no program can be given. Nothing was run.');
  const folder = await parts.files.locate(project, wish.cwd, 'read');
  if (folder.kind !== 'directory') throw new Failed('NOT_FOUND', 'There is no folder of that name to run in. Nothing was run.');
  const file = await fileOf(parts, project, wish);
  return { file, args: wish.args, cwd: folder.absolute, env: { ...childEnvironment(), ...unattended } };
}

async function fileOf({ files, roots }: ProgramParts, project: ProjectHandle, { kind, program }: Wish): Promise<string> {
  if (kind === 'shell') return program;
  const found = program.includes('/') ? await inProject(files, project, program) : findProgram(program, { outside: await roots() });
  if (found === null) throw new Failed('NOT_FOUND', 'There is no program of that name here. Nothing was run.');
  return found;
}

async function inProject(files: Pick<Files, 'locate'>, project: ProjectHandle, path: string): Promise<string | null> {
  const located = await files.locate(project, path, 'read');
  if (located.kind !== 'file') return null;
  try {
    await access(located.absolute, constants.X_OK);
    return located.absolute;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null;
    throw error;
  }
}
