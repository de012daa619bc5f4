// A private folder that git takes for the repository: its objects, refs and index are the real ones, its configuration is ours alone.
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { devNull } from 'node:os';
import { configText, type Entry, type Settings } from './settings.ts';
import { readHead, unfit, type Repository } from './repository.ts';

export interface StandIn {
  /** The folder git is told is the repository. */
  dir: string;
  /** Names it and what belongs to it to git. */
  env: Readonly<Record<string, string>>;
  /** What HEAD said when it was made. */
  head: string;
  remove(): void;
}

export interface StandInParts {
  repository: Repository;
  settings: Settings;
  /** Inert settings of the owner's own. */
  owner: readonly Entry[];
  scratch: string;
}

/** Never anything but this, whatever the repository says. */
const ours: readonly Entry[] = [
  ['core.bare', 'false'],
  ['core.hookspath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', ':'],
  ['core.askpass', ''],
  ['core.sshcommand', 'false'],
  ['core.quotepath', 'true'],
  ['core.splitindex', 'false'],
  ['core.logallrefupdates', 'true'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['diff.autorefreshindex', 'false'],
  ['diff.ignoresubmodules', 'dirty'],
  ['status.submodulesummary', 'false'],
  ['submodule.recurse', 'false'],
  ['log.showsignature', 'false'],
  ['commit.gpgsign', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** What a bridge that was killed left there is nobody's. */
export function removeLeft(scratch: string): void {
  for (const name of readdirSync(scratch)) if (name.startsWith('repo-')) rmSync(join(scratch, name), { recursive: true, force: true });
}

/** Made anew for each call and removed with it. Throws NOT_SUPPORTED when a part of the repository leads elsewhere. */
export async function standIn({ repository, settings, owner, scratch }: StandInParts): Promise<StandIn> {
  const { gitDir, commonDir, top } = repository;
  const head = await readHead(gitDir);
  if (head === null) throw unfit('it has no HEAD');
  requireOwnParts(repository);
  const dir = mkdtempSync(join(scratch, 'repo-'));
  try {
    const entries = [...owner, ...settings.kept, ...ours];
    writeFileSync(join(dir, 'config'), configText(entries), { encoding: 'latin1' });
    writeFileSync(join(dir, 'HEAD'), `${head}\n`, { encoding: 'latin1' });
    for (const name of linked(gitDir, commonDir)) symlinkSync(join(commonDir, name), join(dir, name), kindOf(join(commonDir, name)));
    for (const name of sharedIndexes(gitDir)) symlinkSync(join(gitDir, name), join(dir, name));
    mkdirSync(join(dir, 'home'));
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
  const env = {
    GIT_DIR: dir,
    GIT_WORK_TREE: top,
    GIT_INDEX_FILE: join(gitDir, 'index'),
    HOME: join(dir, 'home'),
    XDG_CONFIG_HOME: join(dir, 'home'),
  };
  return { dir, env, head, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** What of a repository holds its content. Hooks and configuration are not among them. */
const parts = ['objects', 'refs', 'packed-refs', 'reftable', 'logs', 'info', 'shallow'];

const present = (folder: string, name: string): boolean => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
const linked = (gitDir: string, commonDir: string): string[] =>
  // The log of a linked work tree's own HEAD is elsewhere, and nothing is written there.
  parts.filter((name) => present(commonDir, name) && (name !== 'logs' || gitDir === commonDir));
const kindOf = (path: string) => (lstatSync(path).isDirectory() ? 'junction' : 'file');

/** A split index names the file that holds its other half. */
const sharedIndexes = (gitDir: string): string[] => readdirSync(gitDir).filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name));

const REFS_MAX = 20_000;

/** A link among them would lead git into another repository of this account, and its content to whoever reads here. */
function requireOwnParts({ gitDir, commonDir }: Repository): void {
  const single = ['HEAD', 'index', 'config', ...parts].map((name) => join(name === 'HEAD' || name === 'index' ? gitDir : commonDir, name));
  const links = single.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true);
  const folders = ['objects', 'objects/pack', 'objects/info', 'info', 'reftable'].map((name) => join(commonDir, name));
  if (links.length > 0 || folders.some((folder) => entriesOf(folder).some(isLink)) || sharedIndexes(gitDir).some(isLinkIn(gitDir)))
    throw unfit('a part of it is a link');
  let seen = 0;
  for (const waiting = [join(commonDir, 'refs')]; waiting.length > 0;) {
    const folder = waiting.pop() ?? '';
    for (const entry of entriesOf(folder)) {
      seen += 1;
      if (isLink(entry)) throw unfit('one of its refs is a link');
      if (seen > REFS_MAX) throw unfit(`it keeps more than ${REFS_MAX} refs in files of their own`);
      if (entry.isDirectory()) waiting.push(join(folder, entry.name));
    }
  }
}

const isLink = (entry: Dirent): boolean => entry.isSymbolicLink();
const isLinkIn =
  (folder: string) =>
  (name: string): boolean =>
    lstatSync(join(folder, name)).isSymbolicLink();

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
