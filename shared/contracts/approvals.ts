// Approvals: the owner's single-use answer to one exact call, bound to its arguments and to the files it touches.
import { z } from 'zod';
import { defineContract, Instant, Sha256 } from '../contract.ts';
import { Grant, GrantMinutes } from './grants.ts';
import { ApprovalId, ProjectId } from '../ids.ts';

export const ApprovalStatus = z.enum(['pending', 'approved', 'denied', 'expired', 'used']);
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;

export const AskedFile = z.object({
  path: z.string(),
  beforeHash: Sha256.nullable(),
  afterHash: Sha256.nullable(),
  diff: z.string(),
});
export type AskedFile = z.infer<typeof AskedFile>;

export const Approval = z.object({
  approvalId: ApprovalId,
  status: ApprovalStatus,
  projectId: ProjectId.nullable(),
  caller: z.object({ kind: z.string(), name: z.string() }),
  operation: z.string(),
  summary: z.string(),
  arguments: z.string().describe('The exact canonical JSON that will run.'),
  argumentsHash: Sha256,
  reasons: z.array(z.string()).describe('Why this was not done unasked, one plain sentence each.'),
  files: z.array(AskedFile),
  createdAt: Instant,
  expiresAt: Instant,
  decidedAt: Instant.nullable(),
  decidedBy: z.string().nullable(),
  note: z.string().nullable(),
});
export type Approval = z.infer<typeof Approval>;

/** A client may give a call up after a minute, so none waits longer than this (B21). */
export const ANSWER_WAIT_MS = 20_000;

export const approvalsContract = defineContract({
  approval_status: {
    title: 'Approval status',
    summary: 'Where your own approval request stands. No operation of a client can grant one.',
    scope: 'read',
    action: 'read',
    destructive: false,
    idempotent: true,
    context: 'workspace',
    input: z.strictObject({
      approvalId: ApprovalId,
      waitMs: z.number().int().min(0).max(ANSWER_WAIT_MS).default(0).describe('Waits so long for the answer.'),
    }),
    output: z.object({
      approvalId: ApprovalId,
      status: ApprovalStatus,
      tool: z.string(),
      summary: z.string(),
      createdAt: Instant,
      expiresAt: Instant,
      decidedAt: Instant.nullable(),
      reasons: z.array(z.string()),
      note: z.string().nullable().describe('What the owner says about the answer, above all about a denial.'),
      grantedUntil: Instant.nullable().describe('The owner allows the same for this long; null: this one call only.'),
    }),
  },
  approval_list: {
    title: 'List approvals',
    summary: 'What waits for the owner, and what was decided lately.',
    scope: 'owner',
    action: 'read',
    destructive: false,
    idempotent: true,
    context: 'none',
    input: z.strictObject({ status: ApprovalStatus.optional(), limit: z.number().int().min(1).max(200).default(100) }),
    output: z.object({ approvals: z.array(Approval), now: Instant }),
  },
  approval_decide: {
    title: 'Decide an approval',
    summary: 'The owner allows or denies one exact call. The first answer wins; a later one learns who gave it and when.',
    scope: 'owner',
    action: 'control',
    destructive: false,
    idempotent: false,
    context: 'none',
    input: z.strictObject({
      approvalId: ApprovalId,
      argumentsHash: Sha256.describe('The hash of the words that were on the screen.'),
      decision: z.enum(['approve', 'deny']),
      note: z.string().max(1000).optional(),
      forMinutes: GrantMinutes.optional().describe(
        'With approve: makes a grant too, of what was asked and no more: this caller, operation and project, these files (or these exact arguments) and reasons.',
      ),
    }),
    output: z.object({ approval: Approval, grant: Grant.nullable() }),
  },
});
