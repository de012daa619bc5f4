// Makes a commit of exactly what was planned, without git's own commit: no file of the work tree is touched, and nothing else of the index.
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '#shared/ids.ts';
import { Failed } from '../../failed.ts';
import { runHook, type HookEnd, type HookName, type HookRun } from './hooks.ts';
import { takeIndexLock, type IndexLock } from './lock.ts';
import { bytesOf, looseText, type RawPath } from './names.ts';
import { changesBetween, planOf, writeTree, type CommitWish, type Committed, type Plan } from './plan.ts';
import { GitFailed, ownerPath } from './program.ts';
import { readHead } from './repository.ts';
import type { Opened } from './service.ts';

export interface Made {
  commit: string;
  previousCommit: string | null;
  ref: string;
  subject: string;
  files: Committed[];
  hooks: HookEnd[];
  warnings: string[];
}

export interface Making {
  wish: CommitWish;
  /** Throws when the plan is not what the owner was asked about. */
  requireAsked(plan: Plan): void;
  /** Called when the commit is about to be put on its branch. */
  begun(): void;
  roots: () => Promise<string[]>;
}

const HOOKS_MS = 120_000;

/** Throws CONFLICT when the repository is busy or HEAD moved. After that it throws nothing: what then goes wrong is a warning. */
export async function commit(opened: Opened, making: Making): Promise<Made> {
  const lock = takeIndexLock(opened.repository);
  try {
    const plan = await planOf(opened, making.wish, { isTrial: false });
    making.requireAsked(plan);
    const hooks = await hooksFor(opened, plan, making);
    await hooks.run('pre-commit', []);
    const tree = await writeTree(opened, plan.env);
    const files = tree === plan.tree ? plan.files : await changesBetween(opened, { ...plan, tree });
    if (files.length === 0) throw new Failed('CONFLICT', 'A hook took back every change. Nothing was committed.');
    if (tree !== plan.tree) hooks.warnings.push('The hook pre-commit changed what was committed.');
    const message = await messageOf(opened, making.wish.message, hooks);
    const id = await commitTree(opened, { plan, tree, message });
    await putOnBranch(opened, { plan, id, message, begun: making.begun });
    const left = await updateIndex(opened, { lock, files });
    await hooks.run('post-commit', []);
    const facts = { commit: id, previousCommit: plan.head, ref: plan.ref, subject: firstLine(message), files };
    return { ...facts, hooks: hooks.ends, warnings: [...plan.warnings, ...hooks.warnings, ...left] };
  } finally {
    lock.release();
  }
}

interface Hooks {
  ends: HookEnd[];
  warnings: string[];
  /** Does nothing when there is no such hook, or none is to run. */
  run(name: HookName, args: readonly string[]): Promise<void>;
}

async function hooksFor({ repository, signal }: Opened, plan: Plan, { roots }: Making): Promise<Hooks> {
  const { top } = repository;
  const env = { ...plan.env, ...identityEnv(plan), GIT_EDITOR: ':', GIT_PREFIX: '', GIT_TERMINAL_PROMPT: '0' };
  const place = { top, env, path: ownerPath(await roots()), mark: newId('job'), signal };
  const run: HookRun = { ...place, deadline: performance.now() + HOOKS_MS };
  const hooks: Hooks = {
    ends: [],
    warnings: [],
    async run(name, args) {
      const hook = plan.hooks.find((one) => one.name === name);
      if (hook === undefined) return;
      const isAfter = name === 'post-commit';
      try {
        const end = await runHook(hook, args, run);
        hooks.ends.push(end);
        if (end.left > 0) hooks.warnings.push(`The hook ${name} left ${end.left} programs running.`);
        if (end.exitCode !== 0 && !isAfter) throw refusedBy(end);
        if (end.exitCode !== 0) hooks.warnings.push(`The hook ${name} failed; the commit stands.`);
      } catch (error) {
        if (!isAfter) throw error;
        hooks.warnings.push(`The hook ${name} did not end well; the commit stands.`);
      }
    },
  };
  return hooks;
}

const refusedBy = ({ name, exitCode, output }: HookEnd): Failed =>
  new Failed(
    'CONFLICT',
    `The hook ${name} refused the commit${exitCode === null ? '' : ` (exit code ${exitCode})`}. Nothing was committed.`,
    {
      detail: { hook: name, exitCode, output },
    },
  );

const identityEnv = ({ identity: { name, email } }: Plan) => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
});

/** As git cleans up a message that is given whole, after the hooks have seen it. */
async function messageOf({ standIn }: Opened, given: string, hooks: Hooks): Promise<string> {
  const file = join(standIn.dir, 'COMMIT_EDITMSG');
  writeFileSync(file, cleaned(given));
  await hooks.run('prepare-commit-msg', [file, 'message']);
  await hooks.run('commit-msg', [file]);
  const message = cleaned(readFileSync(file, 'utf8'));
  if (message === '' || message.includes('\0'))
    throw new Failed('CONFLICT', 'The message of the commit is empty or holds a NUL. Nothing was committed.');
  return message;
}

/** No space at the end of a line, one empty line at most, none at the ends. */
export function cleaned(message: string): string {
  const lines = message.split('\n').map((line) => line.replace(/[ \t\r\v\f]+$/, ''));
  const text = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
  return text === '' ? '' : `${text}\n`;
}

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

async function commitTree(opened: Opened, { plan, tree, message }: { plan: Plan; tree: string; message: string }): Promise<string> {
  const parent = plan.head === null ? [] : ['-p', plan.head];
  const env = { ...plan.env, ...identityEnv(plan) };
  const { stdout } = await opened.git(['commit-tree', tree, ...parent, '-F', '-'], { env, input: Buffer.from(message) });
  return stdout.toString('latin1').trim();
}

interface Put {
  plan: Plan;
  id: string;
  message: string;
  begun(): void;
}

/** Only from the commit that was looked at, and only while HEAD is on that branch. */
async function putOnBranch(opened: Opened, { plan, id, message, begun }: Put): Promise<void> {
  const { repository, standIn } = opened;
  if ((await readHead(repository.gitDir)) !== standIn.head) throw moved();
  keepLogs(opened);
  const none = '0'.repeat(id.length);
  const kind = plan.head === null ? 'commit (initial)' : 'commit';
  begun();
  try {
    const wish = ['update-ref', '-m', `${kind}: ${firstLine(message)}`, looseText(plan.ref), id, plan.head ?? none];
    await opened.git(wish, { env: { ...identityEnv(plan) } });
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    if (/File exists|Unable to create/.test(error.stderr))
      throw new Failed('CONFLICT', 'The repository is busy: another program holds the lock of its branch. Nothing was committed.', {
        retryable: true,
        cause: error,
      });
    throw moved(error);
  }
}

const moved = (cause?: unknown): Failed =>
  new Failed('CONFLICT', 'HEAD moved in the meantime. Nothing was committed.', {
    ...{ recovery: 'Look at git_status and send the call again.', retryable: true, cause },
  });

/** A new repository has none yet, and then the stand-in leads to none. */
function keepLogs({ repository: { commonDir }, standIn: { dir } }: Opened): void {
  if (existsSync(join(dir, 'logs'))) return;
  mkdirSync(join(commonDir, 'logs'), { recursive: true });
  symlinkSync(join(commonDir, 'logs'), join(dir, 'logs'), 'junction');
}

/** What was committed is in the index as it was committed; everything else in it stays as the user has it. Answers with what went wrong. */
async function updateIndex(opened: Opened, { lock, files }: { lock: IndexLock; files: readonly Committed[] }): Promise<string[]> {
  const { repository, standIn } = opened;
  const [index, copy] = [join(repository.gitDir, 'index'), join(standIn.dir, 'index-after')];
  const env = { GIT_INDEX_FILE: copy };
  try {
    if (existsSync(index)) copyFileSync(index, copy);
    await opened.git(['update-index', '-z', '--index-info'], { env, input: indexInfo(files) });
    // Else git would read every file again that the commit holds.
    await opened.git(['update-index', '-q', '--refresh'], { env, answers: [0, 1] });
    lock.replace(readFileSync(copy));
    return [];
  } catch {
    // Whatever it was: to answer that the call failed would be untrue.
    return [
      'The commit stands, and the index could not be brought up to date: git shows its files as staged the other way. "git reset" mends it.',
    ];
  }
}

/** What is gone first, since a file can stand where a folder was. */
function indexInfo(files: readonly Committed[]): Buffer {
  const line = (after: string, path: RawPath) => `${after}\t${path}\0`;
  const gone = files.flatMap(({ before, after, path }) =>
    after === null ? [line(`0 ${'0'.repeat((before ?? ' ').split(' ')[1]?.length ?? 40)}`, path)] : [],
  );
  const there = files.flatMap(({ after, path }) => (after === null ? [] : [line(after, path)]));
  return bytesOf([...gone, ...there].join(''));
}
