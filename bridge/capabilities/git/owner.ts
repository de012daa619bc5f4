// What the owner's own git settings say that matters here: who commits, what is ignored, how lines end. Read, never run.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { GitFailed, type Git } from './program.ts';
import type { Repository } from './repository.ts';
import { entriesIn, isTrue, lastOf, type Entry } from './settings.ts';

export interface Owner {
  /** Given to git in front of the repository's own. */
  inert: readonly Entry[];
  all: readonly Entry[];
}

/** The account's files with their includes; a condition on the repository's place holds, since git is told where that is. */
export async function readOwner(git: Git, { repository, signal }: { repository: Repository; signal: AbortSignal }): Promise<Owner> {
  const all = await listGlobal(git, repository, signal);
  const inert = all.filter(([key, value]) => /^core\.(autocrlf|eol)$/.test(key) && /^\w{0,16}$/.test(value ?? ''));
  return { inert: [...inert, ...patternFiles(all)], all };
}

async function listGlobal(git: Git, { gitDir, top }: Repository, signal: AbortSignal): Promise<readonly Entry[]> {
  const home = homedir();
  const env = { HOME: home, XDG_CONFIG_HOME: configHome(home), GIT_DIR: gitDir };
  const files = [join(configHome(home), 'git', 'config'), join(home, '.gitconfig')].filter((file) => existsSync(file));
  const listed: Entry[] = [];
  for (const file of files) {
    try {
      const { stdout } = await git.run(['config', '--file', file, '--includes', '--list', '-z'], { cwd: top, env, signal });
      listed.push(...entriesIn(stdout.toString('latin1')));
    } catch (error) {
      // A file that git cannot read is the owner's to mend; without it the settings are the defaults.
      if (!(error instanceof GitFailed)) throw error;
    }
  }
  return listed;
}

const configHome = (home: string): string => process.env['XDG_CONFIG_HOME'] || join(home, '.config');

/** The files of patterns that git would read by itself, were it told whose account this is. */
function patternFiles(all: readonly Entry[]): Entry[] {
  const home = homedir();
  return (['excludesfile', 'attributesfile'] as const).flatMap((name): Entry[] => {
    const named = lastOf(all, `core.${name}`);
    const fallback = join(configHome(home), 'git', name === 'excludesfile' ? 'ignore' : 'attributes');
    const path = named === undefined || named === null || named === '' ? bytes(fallback) : named.replace(/^~(?=\/)/, bytes(home));
    return [[`core.${name}`, path]];
  });
}

const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Whether the owner signs commits: none of ours is signed. */
export const signs = (all: readonly Entry[]): boolean => isTrue(lastOf(all, 'commit.gpgsign') ?? 'false');
