// Changing a project's files: each call names the exact bytes it expects and becomes one undoable change.
import { z } from 'zod';
import { defineContract, ExpectedHash, IdempotencyKey, Instant, RelativePath, Sha256 } from '../contract.ts';
import { ChangesetId, PlanId } from '../ids.ts';
import { Skipped } from './files.ts';

const Content = z.string().max(16 * 1024 * 1024);
const changes = {
  scope: 'write',
  action: 'mutate-files',
  destructive: true,
  idempotent: false,
  context: 'workspace',
} as const;

export const Edit = z.strictObject({
  find: z
    .string()
    .min(1)
    .max(16 * 1024 * 1024)
    .describe('Exact text to find. "\\n" also matches the file\'s own line ending.'),
  replace: Content.describe('Literal replacement: no character in it has a meaning.'),
  replaceAll: z.boolean().optional(),
  expectedCount: z.number().int().min(1).max(1000).optional().describe('How many matches you expect; 1 when left out.'),
  line: z.number().int().min(1).optional().describe('Choose the match that starts on this line.'),
});
export type Edit = z.infer<typeof Edit>;

export const FileExpectation = z.strictObject({ path: RelativePath, expectedHash: ExpectedHash });
const Preview = z.object({ planId: PlanId, planHash: Sha256, expiresAt: Instant });
const PatchedFile = z.object({
  path: z.string(),
  action: z.enum(['create', 'replace', 'delete']),
  beforeHash: Sha256.nullable(),
  afterHash: Sha256.nullable(),
  diff: z.string(),
});

export const ReplaceSkipped = Skipped.extend({
  notUtf8: z.number().int().describe('Text in another encoding. What holds a NUL counts as binary.'),
}).describe('What was not looked at, counted by reason. A skipped directory counts once.');

export const editsContract = defineContract({
  write_file: {
    ...changes,
    title: 'Write a file',
    idempotent: true,
    summary: 'Creates or replaces one UTF-8 text file. expectedHash says what must be there now: the full hash, or "absent".',
    input: z.strictObject({
      path: RelativePath,
      content: Content,
      expectedHash: ExpectedHash,
      createParents: z.boolean().default(true),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    output: z.object({
      path: z.string(),
      created: z.boolean(),
      hash: Sha256,
      beforeHash: Sha256.nullable(),
      bytes: z.number().int(),
      diff: z.string(),
      changesetId: ChangesetId.nullable().describe('null when the bytes were already these and nothing was written'),
    }),
  },
  edit_file: {
    ...changes,
    title: 'Edit a file',
    summary:
      'Exact replacements in one text file, applied in order as byte splices: line endings, BOM and final newline stay. A wrong number of matches writes nothing and answers with every line number.',
    input: z.strictObject({
      path: RelativePath,
      edits: z.array(Edit).min(1).max(50).describe('Applied in order, each to what the one before left.'),
      expectedHash: ExpectedHash,
      dryRun: z.boolean().default(false),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    output: z.object({
      path: z.string(),
      hash: Sha256,
      beforeHash: Sha256,
      editsApplied: z.number().int(),
      diff: z.string(),
      changesetId: ChangesetId.nullable(),
      preview: Preview.nullable(),
    }),
  },
  apply_patch: {
    ...changes,
    title: 'Apply a patch',
    summary:
      'Applies a unified diff over several files with no fuzz, all or nothing. expectedHashes names every file of the patch. Renames are not supported; use move_path.',
    input: z.strictObject({
      patch: z
        .string()
        .min(1)
        .max(32 * 1024 * 1024),
      expectedHashes: z.array(FileExpectation).min(1).max(50),
      dryRun: z.boolean().default(false),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    output: z.object({
      dryRun: z.boolean(),
      changesetId: ChangesetId.nullable(),
      preview: Preview.nullable(),
      files: z.array(PatchedFile),
    }),
  },
  replace_in_files: {
    ...changes,
    title: 'Replace in files',
    summary:
      'Literal replacement over many files as one change. A preview is the default and answers with a plan for apply_changes; a direct run must name the hash of every file it will touch.',
    input: z.strictObject({
      find: z
        .string()
        .min(1)
        .max(16 * 1024 * 1024),
      replace: Content,
      paths: z.array(RelativePath).max(20).optional(),
      fileGlob: z.string().min(1).max(256).optional(),
      includeIgnored: z.boolean().default(false),
      maxFiles: z.number().int().min(1).max(50).default(50),
      dryRun: z.boolean().default(true),
      expectedHashes: z.array(FileExpectation).max(50).optional().describe('Required when dryRun is false.'),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    output: z.object({
      dryRun: z.boolean(),
      changesetId: ChangesetId.nullable(),
      preview: Preview.nullable(),
      files: z.array(z.object({ path: z.string(), replacements: z.number().int(), beforeHash: Sha256, afterHash: Sha256 })),
      totalReplacements: z.number().int(),
      filesSearched: z.number().int(),
      skipped: ReplaceSkipped,
      diff: z.string(),
    }),
  },
  delete_path: {
    ...changes,
    title: 'Delete a file',
    summary:
      'Deletes one regular file after keeping its bytes. The owner is asked first when there is no room to keep it. Never a directory.',
    input: z.strictObject({ path: RelativePath, expectedHash: ExpectedHash, idempotencyKey: IdempotencyKey.optional() }),
    output: z.object({ path: z.string(), deleted: z.literal(true), beforeHash: Sha256, changesetId: ChangesetId }),
  },
  move_path: {
    ...changes,
    title: 'Move a file',
    summary: 'Moves one regular file inside the project. Nothing may be at the destination and its parent must exist.',
    input: z.strictObject({
      path: RelativePath,
      destPath: RelativePath,
      expectedHash: ExpectedHash,
      idempotencyKey: IdempotencyKey.optional(),
    }),
    output: z.object({ path: z.string(), destPath: z.string(), hash: Sha256, changesetId: ChangesetId }),
  },
  make_directory: {
    ...changes,
    title: 'Make a directory',
    summary: 'Makes a directory and its missing parents. created is false when it is there already.',
    destructive: false,
    idempotent: true,
    input: z.strictObject({
      path: RelativePath,
      expectedHash: z.literal('absent').default('absent').describe('A directory has no bytes: only "absent" can be expected.'),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    output: z.object({
      path: z.string(),
      created: z.boolean(),
      createdParents: z.array(z.string()),
      changesetId: ChangesetId.nullable(),
    }),
  },
});
