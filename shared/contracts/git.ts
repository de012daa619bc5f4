// Git for clients: reads that start nothing of the repository, and a commit that the owner is asked about. Nothing is ever pushed.
import { z } from 'zod';
import { defineContract, IdempotencyKey, Sha256 } from '../contract.ts';

/** A path as these operations take and give it. */
export const GitPath = z
  .string()
  .min(1)
  .max(16_384)
  .describe(
    'Relative to the project root. A name that plain text cannot carry (bytes that are no UTF-8, a backslash, a leading quote) stands between double quotes as git writes it, "caf\\351.txt", and is taken back so.',
  );

export const GitEntry = z.object({
  path: GitPath,
  status: z
    .string()
    .describe('Two letters as git gives them: the index against HEAD, then the files against the index. "." is unchanged, "??" untracked.'),
  from: GitPath.optional().describe('What a renamed file was called.'),
  isRepository: z.boolean().optional().describe('A submodule, or an untracked folder that is a repository of its own.'),
});
export type GitEntry = z.infer<typeof GitEntry>;

export const GitState = z.enum(['merging', 'rebasing', 'cherry_picking', 'reverting', 'bisecting', 'applying']);
export type GitState = z.infer<typeof GitState>;

export const DiffFile = z.object({
  path: GitPath,
  from: GitPath.optional(),
  status: z.enum(['added', 'deleted', 'modified', 'renamed', 'copied', 'type_changed', 'unmerged']),
  added: z.number().int(),
  removed: z.number().int(),
  binary: z.boolean(),
});
export type DiffFile = z.infer<typeof DiffFile>;

export const GitCommit = z.object({
  sha: z.string(),
  author: z.string(),
  date: z.string().describe('The author’s date, ISO 8601 with its zone.'),
  subject: z.string().max(300),
});
export type GitCommit = z.infer<typeof GitCommit>;

const reads = { scope: 'read', action: 'read', destructive: false, idempotent: true, context: 'workspace' } as const;
const Hidden = z.number().int().describe('Changed paths left out: secrets, and files with a hard link to elsewhere.');
const IsRepo = z.boolean().describe('false: the project lies in no git repository, and everything else is empty.');

export const gitContract = defineContract({
  git_status: {
    ...reads,
    title: 'Git status',
    summary:
      'The branch and the changed files of the project, also when the repository is a parent folder. Starts no hook, filter, monitor or other program that the repository names.',
    input: z.strictObject({}),
    output: z.object({
      isRepo: IsRepo,
      branch: z.string().nullable().describe('null: HEAD is on no branch.'),
      head: z.string().nullable().describe('The commit that HEAD is on; null before the first one.'),
      upstream: z.string().nullable(),
      ahead: z.number().int().nullable(),
      behind: z.number().int().nullable(),
      state: GitState.nullable().describe('What git is in the middle of.'),
      entries: z.array(GitEntry).max(500),
      entryCount: z.number().int().describe('How many there are, also when fewer are given.'),
      filteredSecretPaths: Hidden,
    }),
  },
  git_diff: {
    ...reads,
    title: 'Git diff',
    summary:
      'The difference between the files and the index, or with staged between the index and HEAD, in pages. Secrets are left out and counted; no external diff or text conversion runs.',
    input: z.strictObject({
      paths: z.array(GitPath).max(20).optional().describe('Only these files and folders.'),
      staged: z.boolean().default(false),
      contextLines: z.number().int().min(0).max(20).default(3),
      cursor: z.string().max(128).optional().describe('The nextCursor of the page before, with the same other arguments.'),
    }),
    output: z.object({
      isRepo: IsRepo,
      files: z.array(DiffFile).describe('Every file of the whole diff, up to a limit.'),
      fileCount: z.number().int(),
      diff: z.string().describe('This page of the unified diff. Bytes that are no UTF-8 are shown as U+FFFD.'),
      startByte: z.number().int().describe('Where in the whole diff this page begins.'),
      totalBytes: z.number().int(),
      hash: Sha256.describe('SHA-256 of the whole diff: all pages one after the other.'),
      filteredSecretPaths: Hidden,
    }),
  },
  git_log: {
    ...reads,
    title: 'Git log',
    summary: 'The latest commits that touch the project, or one path of it, newest first.',
    input: z.strictObject({ limit: z.number().int().min(1).max(200).default(20), path: GitPath.optional() }),
    output: z.object({ isRepo: IsRepo, commits: z.array(GitCommit) }),
  },
  git_commit: {
    title: 'Git commit',
    summary:
      'Commits the chosen files, or all visible changes, as they are on disk, on the current branch. Always asks the owner; what else is staged stays staged, no file is touched and nothing is pushed.',
    scope: 'exec',
    action: 'mutate-files',
    destructive: true,
    idempotent: false,
    context: 'workspace',
    input: z.strictObject({
      message: z.string().min(1).max(4000),
      paths: z.array(GitPath).max(200).optional().describe('Changed files, or folders with changes. Either these or all.'),
      all: z.boolean().default(false),
      noVerify: z.boolean().default(false).describe('Runs no hook of the repository. The owner is told which are skipped.'),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    output: z.object({
      commit: z.string(),
      previousCommit: z.string().nullable().describe('Where the branch was before: "git reset --soft" with it takes the commit back.'),
      branch: z.string(),
      subject: z.string(),
      filesChanged: z.number().int(),
      stagedPaths: z.array(GitPath).describe('The committed files, up to a limit.'),
      hooks: z.array(z.object({ name: z.string(), exitCode: z.number().int().nullable() })).describe('Those that ran.'),
    }),
  },
});
