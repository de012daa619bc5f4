// Runs the git program for us alone: nothing of the environment or the account's settings reaches it, it asks nobody and calls nowhere.
import { devNull } from 'node:os';
import { delimiter, dirname, isAbsolute } from 'node:path';
import { findProgram } from '../../base/process/find.ts';
import { run } from '../../base/process/run.ts';
import { Failed } from '../../failed.ts';

export const DEADLINE_MS = 15_000;
export const OUTPUT_BYTES = 8 * 1024 * 1024;

export interface GitWish {
  cwd: string;
  /** GIT_DIR and what goes with it. */
  env: Readonly<Record<string, string>>;
  input?: Buffer;
  signal: AbortSignal;
  /** Exit codes that are an answer and no failure; 0 when left out. */
  answers?: readonly number[];
  deadlineMs?: number;
}

export interface GitAnswer {
  stdout: Buffer;
  stderr: string;
  exitCode: number;
  /** There was more than is kept. */
  isCut: boolean;
}

export interface Git {
  /** Throws NOT_SUPPORTED without a git program, TIMEOUT after the deadline, GitFailed when git says no. */
  run(args: readonly string[], wish: GitWish): Promise<GitAnswer>;
}

/** What git said when it would not; its words may name places and never reach a client. */
export class GitFailed extends Error {
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(command: string, exitCode: number | null, stderr: string) {
    super(`git ${command} ended with ${exitCode ?? 'a signal'}: ${stderr.slice(0, 2000)}`);
    this.name = 'GitFailed';
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** Holds for every git that is started here, whatever else is set. */
const always: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: devNull,
  GIT_CONFIG_GLOBAL: devNull,
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  // An empty list: no way of moving objects is allowed.
  GIT_ALLOW_PROTOCOL: '',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_PAGER: 'cat',
  GIT_EDITOR: ':',
  GIT_MERGE_AUTOEDIT: 'no',
  LC_ALL: 'C',
};

const before = ['--no-pager', '--literal-pathspecs', '--no-optional-locks'];

/** `roots`: the projects' folders, of which no git is started. */
export function createProgram(roots: () => Promise<string[]>): Git {
  return {
    async run(args, wish) {
      const file = findProgram('git', { outside: await roots() });
      if (file === null) throw new Failed('NOT_SUPPORTED', 'There is no git on this machine that could be started. Nothing was done.');
      const kept = keeping();
      const { cwd, signal, input, deadlineMs = DEADLINE_MS } = wish;
      const ended = await run({
        ...{ file, args: [...before, ...args], cwd, signal, deadlineMs },
        env: { ...always, PATH: dirname(file), ...wish.env },
        ...(input === undefined ? {} : { input }),
        onStdout: kept.take,
        onStderr: kept.takeError,
      });
      const answer = { stdout: kept.stdout(), stderr: kept.stderr(), exitCode: ended.exitCode ?? 0, isCut: ended.by === 'reader' };
      if (ended.by === 'deadline')
        throw new Failed('TIMEOUT', `Git took longer than ${deadlineMs / 1000} seconds and was ended. Nothing was changed.`);
      if (ended.by === 'aborted') throw new Failed('TIMEOUT', 'The call was cancelled while git worked. Nothing was changed.');
      if (ended.by === 'exited' && (ended.exitCode === null || !(wish.answers ?? [0]).includes(ended.exitCode)))
        throw new GitFailed(args[0] ?? '', ended.exitCode, answer.stderr);
      return answer;
    },
  };
}

const ERROR_BYTES = 16 * 1024;

function keeping() {
  const chunks: Buffer[] = [];
  const errors: Buffer[] = [];
  const size = { out: 0, error: 0 };
  return {
    take(chunk: Buffer): boolean {
      chunks.push(chunk.subarray(0, OUTPUT_BYTES - size.out));
      size.out += chunk.length;
      return size.out <= OUTPUT_BYTES;
    },
    takeError(chunk: Buffer): void {
      if (size.error < ERROR_BYTES) errors.push(chunk);
      size.error += chunk.length;
    },
    stdout: () => Buffer.concat(chunks),
    stderr: () => Buffer.concat(errors).toString('utf8'),
  };
}

/** PATH for what the owner lets run: folders by their full name, none of them in a project. */
export const ownerPath = (outside: readonly string[]): string =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !outside.some((root) => folder === root || folder.startsWith(`${root}/`)))
    .join(delimiter);
