// A repository's own configuration as data: what is known to be inert is kept, and everything else is set aside by name.
import { join } from 'node:path';
import { sha256 } from '../../base/digest.ts';
import { GitFailed, type Git } from './program.ts';
import { looseText } from './names.ts';
import { readSmall, unfit, type Repository } from './repository.ts';

/** Keys as git lists them: section and name in lower case. Values are bytes, one character each; null for a key alone. */
export type Entry = readonly [key: string, value: string | null];

export interface Settings {
  /** What git is given of them. */
  kept: readonly Entry[];
  /** The names of those that it is not given. */
  setAside: readonly string[];
  isBare: boolean;
  /** Objects may be missing here that git would fetch. */
  isPartial: boolean;
  own: readonly Entry[];
}

const CONFIG_MAX_BYTES = 4 * 1024 * 1024;
const word = /^[\w.+-]{0,32}$/;
const any = /^/;

/** Decide how files and objects are read, and start nothing: git is given these, when their value has the right form. */
const keeps: readonly (readonly [RegExp, RegExp])[] = [
  [/^core\.(repositoryformatversion|filemode|ignorecase|precomposeunicode|symlinks|trustctime|checkstat|autocrlf|eol)$/, word],
  [/^core\.(sparsecheckout|sparsecheckoutcone|bigfilethreshold)$/, word],
  [/^index\.(sparse|version)$/, word],
  [/^extensions\.(objectformat|refstorage|noop|preciousobjects)$/, word],
  [/^branch\..+\.(remote|merge)$/, any],
  [/^remote\..+\.fetch$/, any],
];

/** Known to start nothing in what is done here, and of no use to it. */
const idle: readonly RegExp[] = [
  /^core\.(bare|logallrefupdates|abbrev|quotepath|safecrlf|compression|loosecompression|longpaths|commitgraph|multipackindex)$/,
  /^core\.(untrackedcache|splitindex|preloadindex|protectntfs|protecthfs|sharedrepository|warnambiguousrefs|hidedotfiles|fscache)$/,
  /^core\.(commentchar|whitespace|deltabasecachelimit|packedgitlimit|packedgitwindowsize|fsync|fsyncmethod|createobject)$/,
  /^(user|author|committer)\.(name|email|signingkey|useconfigonly)$/,
  /^branch\..+\.(rebase|description|pushremote|autosetuprebase|gh-merge-base|vscode-merge-base|github-pr-owner-number)$/,
  /^remote\..+\.(url|pushurl|push|tagopt|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|gh-resolved)$/,
  /^submodule\.(active|recurse|fetchjobs)$|^submodule\..+\.(url|active|branch|path|ignore|fetchrecursesubmodules|shallow)$/,
  /^extensions\.worktreeconfig$/,
  /^(push|pull|fetch|merge|rebase|gc|pack|color|advice|i18n|init|rerere|maintenance|feature|transfer|receive|http|lfs|gui|stash|tag|column)\.[a-z]+$/,
  /^(color)\.[a-z]+\.[a-z]+$/,
  /^(log\.(date|decorate|follow|abbrevcommit|mailmap)|status\.[a-z]+|diff\.(renames|renamelimit|algorithm|mnemonicprefix|noprefix|colormoved|context|submodule))$/,
];
/** Inside `idle` by their section, yet not idle. */
const busy = /^(pack\.packobjectshook|gc\.recentobjectshook|merge\.(tool|guitool)|http\..*(cert|key|proxy|cookie|header).*)$/;
const partial = /^(extensions\.partialclone|remote\..+\.(promisor|partialclonefilter))$/;

export interface SettingsParts {
  git: Git;
  /** A private folder: no repository is in it. */
  scratch: string;
}

export function createSettingsReader({ git, scratch }: SettingsParts) {
  /** The last answers, by the bytes they were read from. */
  const parsed = new Map<string, readonly Entry[] | null>();
  const PARSED_MAX = 64;

  /** With git's own parser, from a copy, following no include. null: git cannot read it. */
  async function entriesOf(bytes: string, signal: AbortSignal): Promise<readonly Entry[] | null> {
    const key = sha256(bytes);
    const known = parsed.get(key);
    if (known !== undefined) return known;
    const entries = await list(git, { input: Buffer.from(bytes, 'latin1'), scratch, signal });
    if (parsed.size >= PARSED_MAX) parsed.clear();
    parsed.set(key, entries);
    return entries;
  }

  return {
    async read({ commonDir, gitDir, isLinked }: Repository, signal: AbortSignal): Promise<Settings> {
      const shared = await readSmall(join(commonDir, 'config'), CONFIG_MAX_BYTES);
      const own = await readSmall(join(gitDir, 'config.worktree'), CONFIG_MAX_BYTES);
      const first = shared === null ? [] : await entriesOf(shared, signal);
      const usesOwn = first?.some(([key, value]) => key === 'extensions.worktreeconfig' && isTrue(value)) === true;
      const second = own === null || !usesOwn ? [] : await entriesOf(own, signal);
      if (first === null || second === null) throw unfit('git cannot read its configuration');
      // Where the files are is known already, and was proven.
      return sorted([...first, ...second].filter(([key]) => !isLinked || key !== 'core.worktree'));
    },
  };
}

export const isTrue = (value: string | null): boolean => value === null || /^(true|yes|on|[1-9]\d*)$/i.test(value);

async function list(git: Git, place: { input: Buffer; scratch: string; signal: AbortSignal }): Promise<readonly Entry[] | null> {
  const { input, scratch, signal } = place;
  // A folder that is none keeps git from looking for a repository around us.
  const env = { GIT_DIR: join(scratch, 'none'), HOME: scratch, XDG_CONFIG_HOME: scratch };
  try {
    const { stdout } = await git.run(['config', '--file', '-', '--no-includes', '--list', '-z'], { cwd: scratch, env, input, signal });
    return entriesIn(stdout.toString('latin1'));
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

/** What `git config --list -z` prints: a key, and after a newline its value, each ended by NUL. */
export function entriesIn(text: string): Entry[] {
  return text
    .split('\0')
    .slice(0, -1)
    .map((record): Entry => {
      const at = record.indexOf('\n');
      return at === -1 ? [record, null] : [record.slice(0, at), record.slice(at + 1)];
    });
}

function sorted(own: readonly Entry[]): Settings {
  const kept = own.filter(([key, value]) => keeps.some(([name, form]) => name.test(key) && form.test(value ?? '')));
  const aside = own.filter((entry) => !kept.includes(entry) && !isIdle(entry[0]) && !partial.test(entry[0]));
  requireKnownFormat(own);
  return {
    kept,
    setAside: [...new Set(aside.map(([key]) => nameOf(key)))],
    isBare: isTrue(lastOf(own, 'core.bare') ?? 'false'),
    isPartial: own.some(([key]) => partial.test(key)),
    own,
  };
}

const isIdle = (key: string): boolean => idle.some((test) => test.test(key)) && !busy.test(key);

/** The value that counts, or undefined. */
export function lastOf(entries: readonly Entry[], key: string): string | null | undefined {
  return entries.findLast(([name]) => name === key)?.[1];
}

/** An extension changes what the files of a repository mean: one that is not known cannot be left out. */
function requireKnownFormat(own: readonly Entry[]): void {
  const known = /^extensions\.(objectformat|refstorage|noop|preciousobjects|worktreeconfig|partialclone)$/;
  const isExtended = Number(lastOf(own, 'core.repositoryformatversion') ?? 0) > 0;
  const strange = own.find(([key]) => key.startsWith('extensions.') && !known.test(key));
  if (isExtended && strange !== undefined) throw unfit(`it needs ${nameOf(strange[0])}, which is not known here`);
}

/** What stands between the dots can hold anything, also a secret. */
function nameOf(key: string): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const middle = key.slice(first + 1, last);
  if (first === last || /^[\w./-]{1,40}$/.test(middle)) return looseText(key);
  return `${key.slice(0, first)}.*${key.slice(last)}`;
}

/** The text of a configuration file that says exactly this. */
export function configText(entries: readonly Entry[]): string {
  return entries
    .map(([key, value]) => {
      const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
      const middle = first === last ? '' : ` "${key.slice(first + 1, last).replace(/[\\"]/g, '\\$&')}"`;
      return `[${key.slice(0, first)}${middle}]\n\t${key.slice(last + 1)}${value === null ? '' : ` = ${valueText(value)}`}\n`;
    })
    .join('');
}

const valueText = (value: string): string =>
  `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\b', '\\b')}"`;
