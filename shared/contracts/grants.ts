// Grants: a standing answer of the owner to one kind of question. It names who, what, where and until when, and is only ever narrowed.
import { z } from 'zod';
import { defineContract, Instant } from '../contract.ts';
import { GrantId, ProjectId } from '../ids.ts';

export const GrantStatus = z.enum(['active', 'expired', 'used_up', 'revoked']);
export type GrantStatus = z.infer<typeof GrantStatus>;

/** One argument of the call, by its name: equal to a value, or a list that begins with whole elements. */
export const ArgumentPattern = z.union([
  z.strictObject({ name: z.string().min(1).max(64), equals: z.json() }),
  z.strictObject({ name: z.string().min(1).max(64), startsWith: z.array(z.json()).min(1).max(64) }),
]);
export type ArgumentPattern = z.infer<typeof ArgumentPattern>;

/** Everything a call must fit at once. A null or empty part covers only calls that have no such part. */
export const GrantScope = z.object({
  operation: z.string(),
  arguments: z
    .array(ArgumentPattern)
    .describe('Empty: any arguments, where the operation can say what it touches; else each argument must be named.'),
  paths: z.array(z.string()).describe('Every path the call changes is one of these or below one; "." is the whole project.'),
  program: z.string().nullable(),
  host: z.string().nullable(),
});
export type GrantScope = z.infer<typeof GrantScope>;

export const Grant = z.object({
  grantId: GrantId,
  status: GrantStatus,
  principal: z.string(),
  callerName: z.string(),
  projectId: ProjectId,
  ...GrantScope.shape,
  reasons: z.array(z.string()).nullable().describe('The grant answers only these reasons; null: any.'),
  approvalId: z.string().nullable().describe('The question it was made from.'),
  createdAt: Instant,
  createdBy: z.string(),
  until: Instant,
  usesMax: z.number().int().nullable(),
  uses: z.number().int(),
  lastUsedAt: Instant.nullable(),
  revokedAt: Instant.nullable(),
});
export type Grant = z.infer<typeof Grant>;

const DAY_MINUTES = 24 * 60;
/** How long a grant may last. */
export const GrantMinutes = z
  .number()
  .int()
  .min(1)
  .max(30 * DAY_MINUTES);

const owns = { scope: 'owner', context: 'none', destructive: false } as const;

export const grantsContract = defineContract({
  grant_list: {
    ...owns,
    title: 'List grants',
    summary: 'Every grant, newest first: who, what, where, until when, how often it was used and when last.',
    action: 'read',
    idempotent: true,
    input: z.strictObject({ status: GrantStatus.optional(), limit: z.number().int().min(1).max(500).default(200) }),
    output: z.object({ grants: z.array(Grant), now: Instant }),
  },
  grant_create: {
    ...owns,
    title: 'Create a grant',
    summary: 'Answers one kind of question in advance for one caller in one project, until a time. It never lifts a ceiling or a scope.',
    action: 'control',
    idempotent: false,
    input: z.strictObject({
      principal: z
        .string()
        .max(200)
        .regex(/^[a-z]+:[\x21-\x7e]+$/)
        .describe('As tokens and clients are named in the account, such as "token:tok_…" or "stdio:cursor".'),
      callerName: z.string().trim().min(1).max(80),
      projectId: ProjectId,
      operation: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
      arguments: z.array(ArgumentPattern).max(20).default([]),
      paths: z.array(z.string().min(1).max(1024)).max(50).default([]),
      program: z.string().min(1).max(256).nullable().default(null),
      host: z.string().min(1).max(255).nullable().default(null),
      minutes: GrantMinutes,
      usesMax: z.number().int().min(1).max(100_000).optional(),
    }),
    output: z.object({ grant: Grant }),
  },
  grant_revoke: {
    ...owns,
    title: 'Revoke a grant',
    summary: 'Ends a grant. It holds from the next call on, also for one that waits in the queue.',
    action: 'control',
    idempotent: true,
    input: z.strictObject({ grantId: GrantId }),
    output: z.object({ grant: Grant }),
  },
});
