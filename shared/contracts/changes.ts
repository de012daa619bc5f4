// Changes: reviewed plans, the journal of what was applied, and taking any one of them back.
import { z } from 'zod';
import { defineContract, ExpectedHash, IdempotencyKey, Instant, RelativePath, Sha256 } from '../contract.ts';
import { ChangesetId, PlanId, ProjectId } from '../ids.ts';

const Content = z.string().max(16 * 1024 * 1024);

export const FileAction = z.enum(['create', 'replace', 'delete', 'move', 'mkdir', 'rmdir']);
export type FileAction = z.infer<typeof FileAction>;

export const PlannedOperation = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('create'), path: RelativePath, content: Content, createParents: z.boolean().default(true) }),
  z.strictObject({ kind: z.literal('replace_file'), path: RelativePath, content: Content, expectedHash: ExpectedHash }),
  z.strictObject({
    kind: z.literal('replace_exact'),
    path: RelativePath,
    find: z
      .string()
      .min(1)
      .max(16 * 1024 * 1024),
    replace: Content,
    expectedCount: z.number().int().min(1).max(1000).default(1),
    expectedHash: ExpectedHash,
  }),
  z.strictObject({ kind: z.literal('delete'), path: RelativePath, expectedHash: ExpectedHash }),
  z.strictObject({ kind: z.literal('move'), path: RelativePath, destPath: RelativePath, expectedHash: ExpectedHash }),
]);
export type PlannedOperation = z.infer<typeof PlannedOperation>;

export const PlannedFile = z.object({
  path: z.string(),
  destPath: z.string().nullable(),
  action: FileAction,
  beforeHash: Sha256.nullable(),
  afterHash: Sha256.nullable(),
  diff: z.string(),
  diffTruncated: z.boolean(),
  bytesBefore: z.number().int(),
  bytesAfter: z.number().int(),
});
export type PlannedFile = z.infer<typeof PlannedFile>;

export const AppliedFile = z.object({
  path: z.string(),
  destPath: z.string().nullable(),
  action: FileAction,
  beforeHash: Sha256.nullable(),
  afterHash: Sha256.nullable(),
});

export const ChangeStatus = z.enum(['applying', 'committed', 'failed', 'recovery_required']);

export const Changeset = z.object({
  changesetId: ChangesetId,
  projectId: ProjectId,
  kind: z.enum(['apply', 'undo']),
  status: ChangeStatus,
  summary: z.string(),
  operation: z.string(),
  caller: z.string(),
  createdAt: Instant,
  committedAt: Instant.nullable(),
  planId: PlanId.nullable(),
  undoes: ChangesetId.nullable().describe('For an undo: the change it took back.'),
  undoneBy: ChangesetId.nullable().describe('The committed undo that took this change back and still stands.'),
  files: z.array(AppliedFile),
  fileCount: z.number().int().optional().describe('Of all files, when more than the listed ones changed.'),
});
export type Changeset = z.infer<typeof Changeset>;

export const changesContract = defineContract({
  preview_changes: {
    title: 'Preview changes',
    summary: 'Checks a batch of file operations against the disk and stores an immutable plan for 15 minutes. Writes nothing.',
    scope: 'write',
    action: 'plan',
    destructive: false,
    idempotent: false,
    context: 'workspace',
    input: z.strictObject({ operations: z.array(PlannedOperation).min(1).max(50) }),
    output: z.object({
      planId: PlanId,
      planHash: Sha256,
      expiresAt: Instant,
      summary: z.string(),
      risk: z.enum(['low', 'medium', 'high']),
      requiresApproval: z.boolean(),
      files: z.array(PlannedFile),
    }),
  },
  apply_changes: {
    title: 'Apply changes',
    summary: 'Applies exactly the reviewed plan, all files or none, also across a crash. Every file is hashed again before any write.',
    scope: 'write',
    action: 'mutate-files',
    destructive: true,
    idempotent: true,
    context: 'workspace',
    input: z.strictObject({ planId: PlanId, planHash: z.string().max(128), idempotencyKey: IdempotencyKey }),
    output: z.object({ changesetId: ChangesetId, files: z.array(AppliedFile), rollbackAvailable: z.boolean() }),
  },
  rollback_changes: {
    title: 'Undo a change',
    summary:
      'Takes back one change as a new change; later changes to the same files stay. Undoing an undo brings the change back. Bytes edited from outside since are named and never overwritten.',
    scope: 'write',
    action: 'mutate-files',
    destructive: true,
    idempotent: true,
    context: 'workspace',
    input: z.strictObject({ changesetId: ChangesetId, idempotencyKey: IdempotencyKey }),
    output: z.object({ changesetId: ChangesetId, undoes: ChangesetId, restored: z.array(z.string()), files: z.array(AppliedFile) }),
  },
  change_history: {
    title: 'Change history',
    summary: 'The changes you made in this project, newest first, with what was undone. Edits from outside are not in it.',
    scope: 'read',
    action: 'read',
    destructive: false,
    idempotent: true,
    context: 'workspace',
    input: z.strictObject({ limit: z.number().int().min(1).max(100).default(20) }),
    output: z.object({ changesets: z.array(Changeset) }),
  },
  change_inspect: {
    title: 'Inspect a change',
    summary: 'One change with the diff of each file, whether the bytes on disk are still its own, and whether it can be undone.',
    scope: 'owner',
    action: 'read',
    destructive: false,
    idempotent: true,
    context: 'none',
    input: z.strictObject({ changesetId: ChangesetId }),
    output: z.object({
      changeset: Changeset,
      files: z.array(
        z.object({
          path: z.string(),
          destPath: z.string().nullable(),
          action: FileAction,
          beforeHash: Sha256.nullable(),
          afterHash: Sha256.nullable(),
          diff: z.string(),
          diffTruncated: z.boolean(),
          onDisk: z.enum(['after', 'before', 'later_change', 'edited_outside', 'missing', 'unreadable']),
        }),
      ),
      laterChanges: z.array(ChangesetId).describe('Committed later changes that touch the same files; they stay.'),
      undo: z.object({ possible: z.boolean(), reason: z.string().nullable() }),
    }),
  },
  change_settle: {
    title: 'Settle an interrupted change',
    summary:
      'Closes a change that recovery could not finish because files were edited from outside meanwhile. Keeps every byte on disk as it is and lets changes go on.',
    scope: 'owner',
    action: 'control',
    destructive: false,
    idempotent: true,
    context: 'none',
    input: z.strictObject({ changesetId: ChangesetId }),
    output: z.object({ changesetId: ChangesetId, status: ChangeStatus }),
  },
});
