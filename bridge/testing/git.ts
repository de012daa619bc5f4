// Real repositories for tests, plain git to compare with, and the git operations called as the pipeline calls them.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { gitContract } from '#shared/contracts/git.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { createFiles } from '../capabilities/files/service.ts';
import { gitOperations } from '../capabilities/git/operations.ts';
import { createGit } from '../capabilities/git/service.ts';
import { Failed } from '../failed.ts';
import type { Asked, Call, Operation, Outcome } from '../operation.ts';
import { workspace, type Workspace } from './workspace.ts';

type Contract = typeof gitContract;
type Name = keyof Contract;
type Given<K extends Name> = z.input<Contract[K]['input']>;
export type GitOutcome<K extends Name> = Outcome & { data: z.output<Contract[K]['output']> };

export interface GitWorld extends AsyncDisposable {
  ws: Workspace;
  /** The folder that git takes for the account's home. */
  home: string;
  /** Plain git with all that the repository and the account say, as a developer runs it. Throws when it fails. */
  plain(...args: string[]): string;
  /** Plain git whose failure does not matter. */
  tried(args: readonly string[], more?: { env?: Record<string, string>; cwd?: string; input?: string }): void;
  call<K extends Name>(name: K, input: Given<K>, more?: Partial<Call>): Promise<GitOutcome<K>>;
  /** What the owner would be asked. */
  asks(input: Given<'git_commit'>): Promise<Asked>;
  /** Asks, lets something happen, and then makes the commit of the very same call. */
  askThenMake(input: Given<'git_commit'>, meanwhile: () => void): Promise<GitOutcome<'git_commit'>>;
  refusal(act: () => Promise<unknown>): Promise<Failed>;
  /** An executable file beside the project. */
  program(name: string, script: string): string;
}

const quiet = { GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };

/** A project that is a repository with one commit of `files`; `isBare`: no repository yet. Its home is the account's while the test runs. */
export async function gitWorld(files: Parameters<typeof workspace>[0] = { 'a.txt': 'a\n' }, { isBare = false } = {}): Promise<GitWorld> {
  const ws = await workspace(files);
  const home = join(ws.outside, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n');
  const before = { HOME: process.env['HOME'], XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] };
  process.env['HOME'] = home;
  delete process.env['XDG_CONFIG_HOME'];
  const world = worldOf(ws, home);
  if (!isBare) {
    world.plain('init', '--quiet', '--template=');
    world.plain('add', '--all');
    world.plain('commit', '--quiet', '--allow-empty', '-m', 'First');
  }
  return Object.assign(world, {
    async [Symbol.asyncDispose]() {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await ws[Symbol.asyncDispose]();
    },
  });
}

function worldOf(ws: Workspace, home: string): Omit<GitWorld, typeof Symbol.asyncDispose> {
  const files = createFiles({ clock: systemClock(), log: silentLog });
  const service = createGit({ files, scratch: join(ws.outside, 'scratch'), roots: async () => [ws.root] });
  const operations = new Map(gitOperations(service).map((operation) => [operation.name, operation]));
  const call: GitWorld['call'] = async (name, input, more = {}) => {
    const parsed = gitContract[name].input.parse(input);
    const outcome = await operations.get(name)!.run(parsed, { ...callIn(ws, name), ...more });
    return { ...outcome, data: gitContract[name].output.parse(outcome.data) } as GitOutcome<typeof name>;
  };
  return {
    ws,
    home,
    call,
    plain: (...args) => execFileSync('git', args, { cwd: ws.root, env: { ...process.env, ...quiet }, encoding: 'utf8', stdio: 'pipe' }),
    tried(args, { env, cwd = ws.root, input = '' } = {}) {
      spawnSync('git', args, { cwd, env: { ...process.env, ...quiet, ...env }, input, timeout: 20_000 });
    },
    asks: (raw) => asked(operations, ws, gitContract.git_commit.input.parse(raw)),
    async askThenMake(raw, meanwhile) {
      const input = gitContract.git_commit.input.parse(raw);
      await asked(operations, ws, input);
      meanwhile();
      return (await operations.get('git_commit')!.run(input, callIn(ws, 'git_commit'))) as GitOutcome<'git_commit'>;
    },
    async refusal(act) {
      try {
        await act();
      } catch (error) {
        if (error instanceof Failed) return error;
        throw error;
      }
      throw new Error('It was not refused.');
    },
    program(name, script) {
      const path = join(ws.outside, name);
      writeFileSync(path, `#!/bin/sh\n${script}\n`);
      chmodSync(path, 0o755);
      return path;
    },
  };
}

async function asked(operations: Map<string, Operation>, ws: Workspace, input: Record<string, unknown>): Promise<Asked> {
  const question = await operations.get('git_commit')!.asks?.(input, callIn(ws, 'git_commit'));
  if (question === undefined || question === null) throw new Error('It asks nothing.');
  return question;
}

const callIn = (ws: Workspace, operation: string): Call => ({
  operation,
  caller: { kind: 'stdio', principal: 'stdio:test', name: 'test', scopes: new Set(['read', 'write', 'exec']), projectIds: null },
  project: ws.project,
  hasProject: true,
  signal: new AbortController().signal,
  surface: 'test',
  session: 'test',
  reservation: null,
});

/** A file that only a program leaves which should not have run. */
export function mark(folder: string) {
  const path = join(folder, 'mark');
  return { path, isThere: () => existsSync(path), clear: () => rmSync(path, { force: true }) };
}
