// What a commit would hold, told down to the last byte before it is made: built in a private index, from HEAD and the chosen files.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failed } from '../../failed.ts';
import { parseDiff, type Section } from './diff.ts';
import { hooksOf, type Hook } from './hooks.ts';
import { below, bytesOf, joined, layerOfRaw, looseText, quoted, rawFrom, shown, textOf, type RawPath } from './names.ts';
import { headOf, isShared, stateOf, statusOf } from './reads.ts';
import { isTrue, lastOf, type Entry } from './settings.ts';
import type { Opened } from './service.ts';
import type { RawEntry } from './status.ts';

export interface CommitWish {
  message: string;
  paths?: readonly string[] | undefined;
  all: boolean;
  noVerify: boolean;
}

/** One file of a commit, named from the top of the repository. */
export interface Committed {
  path: RawPath;
  /** Mode and id before and after; null: not there. */
  before: string | null;
  after: string | null;
}

export interface Plan {
  /** refs/heads/… */
  ref: string;
  head: string | null;
  tree: string;
  files: Committed[];
  hooks: Hook[];
  /** Hooks that are there and will not run. */
  skipped: Hook[];
  identity: { name: string; email: string; isOfRepository: boolean };
  isUnsigned: boolean;
  warnings: string[];
  /** The environment in which the private index is git's. */
  env: Readonly<Record<string, string>>;
}

export const FILES_MAX = 500;
const DEADLINE_MS = 60_000;

/**
 * Throws CONFLICT, NOT_FOUND or NOT_SUPPORTED for what cannot be committed. `isTrial`: no object of it gets into the repository.
 */
export async function planOf(opened: Opened, wish: CommitWish, { isTrial }: { isTrial: boolean }): Promise<Plan> {
  const ref = requireBranch(opened);
  const identity = identityOf(opened);
  const { names, warnings } = await chosenOf(opened, wish);
  const head = await headOf(opened);
  const env = { GIT_INDEX_FILE: join(opened.standIn.dir, 'index'), ...(isTrial ? trialObjects(opened) : {}) };
  if (head !== null) await opened.git(['read-tree', head], { env });
  await requireUnfiltered(opened, names, env);
  const input = bytesOf(names.map((name) => `${name}\0`).join(''));
  await opened.git(['update-index', '--add', '--remove', '-z', '--stdin'], { env, input, deadlineMs: DEADLINE_MS });
  const tree = await writeTree(opened, env);
  const files = await changesBetween(opened, { head, tree, env });
  if (files.length === 0) throw new Failed('CONFLICT', 'The chosen files are as they are in the last commit. Nothing was committed.');
  const hooks = hooksOf(opened);
  const isUnsigned = isTrue(lastOf([...opened.owner.all, ...opened.settings.own], 'commit.gpgsign') ?? 'false');
  const split = wish.noVerify ? { hooks: [], skipped: hooks } : { hooks, skipped: [] };
  return { ref, head, tree, files, ...split, identity, isUnsigned, warnings, env };
}

function requireBranch(opened: Opened): string {
  const { repository, standIn } = opened;
  if (repository.isLinked || repository.isForeign)
    throw new Failed(
      'NOT_SUPPORTED',
      'This repository is only read here, because its state lies elsewhere or is another account’s. Nothing was committed.',
    );
  const state = stateOf(opened);
  if (state !== null)
    throw new Failed('CONFLICT', `Git is in the middle of something here (${state}). Nothing was committed.`, {
      recovery: 'The owner ends it with git itself.',
    });
  const ref = /^ref: (refs\/heads\/.+)$/s.exec(standIn.head)?.[1];
  if (ref !== undefined && textOf(ref) === null)
    throw new Failed('NOT_SUPPORTED', 'The name of the branch is no UTF-8, which cannot be handed to git here. Nothing was committed.');
  if (ref === undefined) throw new Failed('CONFLICT', 'HEAD is on no branch, so a commit could be lost. Nothing was committed.');
  return ref;
}

function identityOf({ settings, owner }: Opened): Plan['identity'] {
  const of = (entries: readonly Entry[], key: string) =>
    looseText(lastOf(entries, key) ?? '')
      .replace(/[\0-\x1f\x7f<>]/g, '')
      .trim();
  const [name, email] = ['user.name', 'user.email'].map((key) => of(settings.own, key) || of(owner.all, key));
  if (!name || !email)
    throw new Failed('NOT_SUPPORTED', 'Git does not know who commits here. Nothing was committed.', {
      recovery: 'The owner sets user.name and user.email with git config --global.',
    });
  return { name, email, isOfRepository: ['user.name', 'user.email'].some((key) => of(settings.own, key) !== '') };
}

/** The changed files that the wish names, from the top of the repository. */
async function chosenOf(opened: Opened, { paths, all }: CommitWish): Promise<{ names: RawPath[]; warnings: string[] }> {
  if (all === (paths !== undefined && paths.length > 0))
    throw new Failed('INVALID_INPUT', 'A commit names its paths, or says all, and not both. Nothing was committed.');
  const chosen = all ? [''] : (paths ?? []).map(rawFrom);
  const status = await statusOf(opened, { isSplit: true, paths: chosen });
  const entries = status.entries.filter(({ path }) => chosen.some((one) => below(one, path) !== null));
  if (status.isCut || entries.length > FILES_MAX)
    throw new Failed('RESOURCE_LIMIT', `More than ${FILES_MAX} files changed. Nothing was committed.`, {
      recovery: 'Commit them in parts, by paths.',
    });
  if (all && entries.length === 0) throw new Failed('CONFLICT', 'Nothing changed. Nothing was committed.');
  for (const one of chosen) requireChange(entries, one);
  const kept = entries.filter((entry) => isFit(opened, entry));
  const left = entries.length - kept.length + status.hidden;
  requireNone(kept, all ? [] : chosen, entries);
  const warnings =
    left > 0
      ? [
          `${left} changed ${left === 1 ? 'path was' : 'paths were'} left out: secrets, files with a hard link to elsewhere, or repositories of their own.`,
        ]
      : [];
  return { names: kept.map(({ path }) => joined(opened.repository.prefix, path)), warnings };
}

function requireChange(entries: readonly RawEntry[], chosen: RawPath): void {
  if (entries.some(({ path }) => below(chosen, path) !== null)) return;
  throw new Failed('NOT_FOUND', `Nothing changed at ${JSON.stringify(shown(chosen))}. Nothing was committed.`);
}

const isFit = ({ repository }: Opened, { path, status, isRepository }: RawEntry): boolean =>
  !(isRepository && status === '??') && !isShared(repository.top, joined(repository.prefix, path));

/** What was named itself is not silently left out, and a conflict is not settled by committing it. */
function requireNone(kept: readonly RawEntry[], chosen: readonly RawPath[], entries: readonly RawEntry[]): void {
  const unfit = entries.find((entry) => chosen.includes(entry.path) && !kept.includes(entry));
  if (unfit !== undefined)
    throw new Failed(
      'PATH_DENIED',
      `${JSON.stringify(shown(unfit.path))} is a repository of its own or has a hard link to elsewhere. Nothing was committed.`,
    );
  const torn = entries.find(({ status }) => /U|^AA$|^DD$/.test(status));
  if (torn !== undefined)
    throw new Failed('CONFLICT', `${JSON.stringify(shown(torn.path))} has a conflict that is not resolved. Nothing was committed.`);
}

/** Objects go to the stand-in, and are looked up there and in the repository. */
function trialObjects({ standIn, repository }: Opened): Record<string, string> {
  const folder = join(standIn.dir, 'new-objects');
  mkdirSync(folder, { recursive: true });
  const real = quoted(Buffer.from(join(repository.commonDir, 'objects'), 'utf8').toString('latin1'));
  return { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: real };
}

/** Without its filter a file would be committed in another form than git gives it, and the filter is a program. */
async function requireUnfiltered(
  { git, settings, owner }: Opened,
  names: readonly RawPath[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const drivers = new Set([...settings.own, ...owner.all].flatMap(([key]) => /^filter\.(.*)\.(?:clean|process)$/s.exec(key)?.[1] ?? []));
  if (drivers.size === 0) return;
  const { stdout } = await git(['check-attr', '-z', '--stdin', 'filter'], {
    env,
    input: bytesOf(names.map((name) => `${name}\0`).join('')),
  });
  const fields = stdout.toString('latin1').split('\0');
  const at = fields.findIndex((value, index) => index % 3 === 2 && drivers.has(value));
  if (at !== -1)
    throw new Failed(
      'NOT_SUPPORTED',
      `${JSON.stringify(shown(fields[at - 2] ?? ''))} goes through the filter ${JSON.stringify(looseText(fields[at] ?? ''))} when it is committed, which is a program. Nothing was committed.`,
      { recovery: 'The owner commits this file with git itself.' },
    );
}

export async function writeTree({ git }: Opened, env: Readonly<Record<string, string>>): Promise<string> {
  return (await git(['write-tree'], { env })).stdout.toString('latin1').trim();
}

interface Between {
  head: string | null;
  tree: string;
  env: Readonly<Record<string, string>>;
}

/** Throws PATH_DENIED when one of them is not the project's to show. */
export async function changesBetween(opened: Opened, between: Between): Promise<Committed[]> {
  const { stdout } = await opened.git(['diff-tree', '-r', '-z', '--raw', '--no-renames', ...(await sides(opened, between))], {
    env: between.env,
  });
  const fields = stdout.toString('latin1').split('\0').slice(0, -1);
  const files: Committed[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const [, modeA, modeB, idA, idB] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(fields[at] ?? '') ?? [];
    const path = fields[at + 1];
    if (!modeA || !modeB || path === undefined) throw new Error('git diff-tree printed a record of an unknown form.');
    const side = (mode: string, id = ''): string | null => (/^0+$/.test(mode) ? null : `${mode} ${id}`);
    files.push({ path, before: side(modeA, idA), after: side(modeB, idB) });
  }
  for (const { path } of files) {
    const inside = below(opened.repository.prefix, path);
    if (inside === null || layerOfRaw(inside) !== null)
      throw new Failed('PATH_DENIED', 'A file would be committed that is a secret or lies outside the project. Nothing was committed.');
  }
  return files;
}

/** Before the first commit the other side is the empty tree. */
async function sides({ git }: Opened, { head, tree, env }: Between): Promise<[string, string]> {
  if (head !== null) return [head, tree];
  const { stdout } = await git(['hash-object', '-t', 'tree', '--stdin'], { env, input: Buffer.alloc(0) });
  return [stdout.toString('latin1').trim(), tree];
}

/** The diff of the commit, by file. What was too much is not among them. */
export async function sectionsOf(opened: Opened, { head, tree, env }: Plan): Promise<Section[]> {
  const { stdout, isCut } = await opened.git(
    [
      'diff-tree',
      '-r',
      '-z',
      '--raw',
      '-p',
      '--no-renames',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--src-prefix=a/',
      '--dst-prefix=b/',
      ...(await sides(opened, { head, tree, env })),
    ],
    { env },
  );
  return parseDiff(stdout.toString('latin1'), isCut).sections;
}
