// Git as operations: each answer is bounded and says what was left out of it.
import { counted } from '#shared/counted.ts';
import { gitContract, type DiffFile } from '#shared/contracts/git.ts';
import { sha256 } from '../../base/digest.ts';
import { implement, type Call, type Operation } from '../../operation.ts';
import type { Made } from './commit.ts';
import { createCommits } from './commits.ts';
import { below, looseText, shown, type RawPath } from './names.ts';
import { diffOf, logOf, pageOf, shownEntry, stateOf, statusOf, type DiffWish } from './reads.ts';
import type { GitService } from './service.ts';

const NO_REPOSITORY = { warnings: ['The project lies in no git repository that holds files.'], brief: 'no repository' };

export function gitOperations(git: GitService): Operation[] {
  const commits = createCommits(git);
  return implement(
    gitContract,
    {
      git_status: (_input, call) => status(git, call),
      git_diff: (input, call) => diff(git, call, input),
      git_log: (input, call) => log(git, call, input),
      git_commit: async (input, call) => committed(git, await commits.make(call, input)),
    },
    { git_commit: (input, call) => commits.ask(call, input) },
  );
}

const ENTRIES_MAX = 500;
/** What an answer needs besides its list. */
const FRAME_BYTES = 2048;

/** The first of them that fit one answer. */
function fitting<One>(all: readonly One[], countMax: number, bytesMax: number): One[] {
  let bytes = 0;
  const end = all.findIndex((one, at) => at >= countMax || (bytes += Buffer.byteLength(JSON.stringify(one)) + 1) > bytesMax);
  return all.slice(0, end === -1 ? all.length : end);
}

async function status(git: GitService, call: Call) {
  const answer = await git.within(call, async (opened) => {
    const { branch, head, upstream, ahead, behind, entries, hidden, isCut } = await statusOf(opened);
    const given = fitting(entries.map(shownEntry), ENTRIES_MAX, git.answerBytes - FRAME_BYTES);
    const more = [
      ...(given.length < entries.length ? [`${entries.length - given.length} more changed paths are not listed.`] : []),
      ...(isCut ? ['Git listed more than 8 MiB of names; what came after is neither listed nor counted.'] : []),
    ];
    const data = {
      isRepo: true,
      branch: loose(branch),
      head,
      upstream: loose(upstream),
      ...{ ahead, behind, state: stateOf(opened), entries: given, entryCount: entries.length, filteredSecretPaths: hidden },
    };
    const brief = `${data.branch ?? 'no branch'}: ${counted(entries.length, 'change')}`;
    return { data, truncated: more.length > 0, warnings: [...opened.warnings, ...more], brief };
  });
  const nothing = { branch: null, head: null, upstream: null, ahead: null, behind: null, state: null, entries: [], entryCount: 0 };
  return answer ?? { data: { isRepo: false, ...nothing, filteredSecretPaths: 0 }, ...NO_REPOSITORY };
}

const loose = (name: string | null): string | null => (name === null ? null : looseText(name));

const FILES_MAX = 200;
/** How much of an answer lists the files of a diff. */
const FILES_BYTES = 6 * 1024;

async function diff(git: GitService, call: Call, input: DiffWish & { cursor?: string | undefined }) {
  const answer = await git.within(call, async (opened) => {
    const { files, text, hidden, isCut, isLossy } = await diffOf(opened, input);
    const listed: DiffFile[] = fitting(files, FILES_MAX, FILES_BYTES);
    const page = pageOf(text, { cursor: input.cursor, jsonBytes: git.answerBytes - FILES_BYTES - FRAME_BYTES });
    const more = [
      ...(listed.length < files.length ? [`${files.length - listed.length} more files are in the diff and not listed.`] : []),
      ...(hidden > 0 ? [`${counted(hidden, 'changed path')} left out: secrets, and files with a hard link to elsewhere.`] : []),
      ...(isCut ? ['Git printed more than 8 MiB; the diff ends there. Ask for fewer paths.'] : []),
      ...(isLossy ? ['Some bytes of the diff are no UTF-8; they are shown as U+FFFD.'] : []),
    ];
    const { startByte, totalBytes, hash, nextCursor } = page;
    const data = {
      isRepo: true,
      files: listed,
      fileCount: files.length,
      diff: page.text,
      startByte,
      totalBytes,
      hash,
      filteredSecretPaths: hidden,
    };
    const isShort = isCut || nextCursor !== null || listed.length < files.length;
    return {
      ...{ data, truncated: isShort, warnings: [...opened.warnings, ...more], brief: counted(files.length, 'file') },
      ...(nextCursor === null ? {} : { nextCursor }),
    };
  });
  const nothing = { files: [], fileCount: 0, diff: '', startByte: 0, totalBytes: 0, hash: sha256('') };
  return answer ?? { data: { isRepo: false, ...nothing, filteredSecretPaths: 0 }, ...NO_REPOSITORY };
}

async function log(git: GitService, call: Call, input: { limit: number; path?: string | undefined }) {
  const answer = await git.within(call, async (opened) => {
    const commits = await logOf(opened, input);
    const given = fitting(commits, commits.length, git.answerBytes - FRAME_BYTES);
    const isShort = given.length < commits.length;
    const more = isShort ? [`${commits.length - given.length} more commits did not fit this answer. Ask for fewer.`] : [];
    return {
      ...{ data: { isRepo: true, commits: given }, truncated: isShort, warnings: [...opened.warnings, ...more] },
      brief: counted(given.length, 'commit'),
    };
  });
  return answer ?? { data: { isRepo: false, commits: [] }, ...NO_REPOSITORY };
}

function committed(git: GitService, { made, prefix }: { made: Made; prefix: RawPath }) {
  const { commit, previousCommit, ref, subject, files, hooks, warnings } = made;
  const paths = files.map(({ path }) => shown(below(prefix, path) ?? path));
  const stagedPaths = fitting(paths, paths.length, git.answerBytes - FRAME_BYTES);
  const branch = looseText(ref.slice('refs/heads/'.length));
  const data = {
    ...{ commit, previousCommit, branch, subject, filesChanged: files.length, stagedPaths },
    hooks: hooks.map(({ name, exitCode }) => ({ name, exitCode })),
  };
  return { data, truncated: stagedPaths.length < paths.length, warnings, brief: `${commit.slice(0, 10)} on ${branch}: ${subject}` };
}
