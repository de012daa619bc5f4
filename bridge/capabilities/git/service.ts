// Git of a project: what is read starts nothing that the repository names; a commit is made of exactly what was asked about.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import type { Files } from '../files/service.ts';
import { createBegun } from './begun.ts';
import { readOwner, type Owner } from './owner.ts';
import { createProgram, GitFailed, type Git, type GitAnswer, type GitWish } from './program.ts';
import { findRepository, unfit, type Repository } from './repository.ts';
import { createSettingsReader, type Settings } from './settings.ts';
import { removeLeft, standIn, type StandIn } from './standin.ts';

export interface GitParts {
  files: Files;
  /** A private folder of the bridge, for this alone. */
  scratch: string;
  /** The roots of the projects: no git program of theirs is started. */
  roots: () => Promise<string[]>;
}

/** A repository during one call. */
export interface Opened {
  project: ProjectHandle;
  repository: Repository;
  settings: Settings;
  owner: Owner;
  standIn: StandIn;
  signal: AbortSignal;
  /** Runs git on it, at its top. */
  git(args: readonly string[], more?: Partial<GitWish>): Promise<GitAnswer>;
  warnings: string[];
}

export type GitService = ReturnType<typeof createGit>;

export interface Place {
  project: ProjectHandle;
  signal: AbortSignal;
}

export function createGit({ files, scratch, roots }: GitParts) {
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  removeLeft(scratch);
  const begun = createBegun(join(scratch, 'begun'));
  const program = createProgram(roots);
  const settingsReader = createSettingsReader({ git: program, scratch });

  return {
    answerBytes: files.limits.answerBytes,
    roots,
    /** The keys of commits that got as far as their branch. */
    begun,

    /** Does the work in the project's repository; null when it has none. */
    async within<T>(place: Place, work: (opened: Opened) => Promise<T>): Promise<T | null> {
      const repository = await findRepository(place.project.root);
      if (repository === null) return null;
      const settings = await settingsReader.read(repository, place.signal);
      if (settings.isBare) return null;
      const owner = await readOwner(program, { repository, signal: place.signal });
      const own = await standIn({ repository, settings, owner: owner.inert, scratch });
      try {
        return await work(opened(program, { ...place, repository, settings, owner, standIn: own }));
      } catch (error) {
        throw error instanceof GitFailed ? plainly(error, settings) : error;
      } finally {
        own.remove();
      }
    },
  };
}

function opened(program: Git, facts: Omit<Opened, 'git' | 'warnings'>): Opened {
  const { repository, standIn, signal, settings } = facts;
  return {
    ...facts,
    git: (args, more = {}) => program.run(args, { cwd: repository.top, signal, ...more, env: { ...standIn.env, ...more.env } }),
    warnings: [...warningsOf(settings, repository)],
  };
}

const NAMED_MAX = 10;

function warningsOf({ setAside, isPartial }: Settings, { isLinked, isForeign }: Repository): string[] {
  const more = setAside.length > NAMED_MAX ? ` and ${setAside.length - NAMED_MAX} more` : '';
  return [
    ...(setAside.length === 0
      ? []
      : [
          `The repository’s configuration holds keys that could start a program or are not known to be harmless. They were set aside: ${setAside.slice(0, NAMED_MAX).join(', ')}${more}.`,
        ]),
    ...(isPartial
      ? ['The repository is a partial clone. Nothing was fetched, so renames are not looked for and some files cannot be compared.']
      : []),
    ...(isLinked ? ['The repository’s own state lies outside this folder (a linked work tree or a submodule), so it is only read.'] : []),
    ...(isForeign ? ['The repository belongs to another account, so it is only read.'] : []),
  ];
}

/** Why git would not, in our words: its own may name places of this machine. */
function plainly(error: GitFailed, { isPartial }: Settings): Error {
  const { stderr } = error;
  if (/not a git repository|unknown repository extension|expected git repo version|bad config/i.test(stderr))
    return unfit('the git program here does not understand it');
  if (/unable to read|bad object|missing (?:blob|tree|object)|could not (?:read|fetch|get)|not our ref|promisor/i.test(stderr))
    return unfit(isPartial ? 'an object is missing that git would have to fetch' : 'an object is missing or damaged');
  if (/index file|cache entry|index.*(corrupt|signature)/i.test(stderr)) return unfit('its index cannot be read');
  if (/permission denied|unable to (?:index|process|stat|add)|failed to insert|beyond a symbolic link/i.test(stderr))
    return new Failed('CONFLICT', 'Git cannot read one of the files. Nothing was changed.', { cause: error });
  return error;
}
