// The owner's own operations over the bridge itself: its tokens, its account of events, its state.
import { z } from 'zod';
import { defineContract, Instant } from '../contract.ts';
import { BridgeEvent } from '../events.ts';
import { ProjectId, TokenId } from '../ids.ts';

export const TokenScope = z.enum(['read', 'write', 'exec']);
export const Token = z.object({
  tokenId: TokenId,
  name: z.string(),
  scopes: z.array(TokenScope),
  projectIds: z.array(ProjectId).nullable().describe('null: none are listed; unlistedReach says what that gives.'),
  createdAt: Instant,
  expiresAt: Instant,
  lastUsedAt: Instant.nullable(),
  revokedAt: Instant.nullable(),
});
export type Token = z.infer<typeof Token>;

/** What `projectIds: null` gives as things stand, told beside every answer that may hold such a null. */
export const UnlistedReach = z
  .enum(['every', 'none'])
  .describe('What null reaches now: every registered project, or in managed mode none until some are listed.');
export type UnlistedReach = z.infer<typeof UnlistedReach>;

export const clientKinds = ['claude-code', 'claude-desktop', 'cursor', 'codex', 'vscode', 'opencode', 'gemini'] as const;
const owns = { scope: 'owner', context: 'none', destructive: false } as const;
const reads = { ...owns, action: 'read', idempotent: true } as const;
const controls = { ...owns, action: 'control', idempotent: false } as const;

export const ownerContract = defineContract({
  token_issue: {
    ...controls,
    title: 'Issue a token',
    summary: 'Makes a bearer for a script or a client without OAuth. Its text is shown once and only its digest is kept.',
    input: z.strictObject({
      name: z.string().trim().min(1).max(80),
      scopes: z.array(TokenScope).min(1).default(['read', 'write']),
      projectIds: z.array(ProjectId).min(1).max(100).optional(),
      days: z.number().int().min(1).max(365).default(90),
    }),
    output: z.object({ token: Token, bearer: z.string() }),
  },
  token_list: {
    ...reads,
    title: 'List tokens',
    summary: 'Every token that was issued, with its last use.',
    input: z.strictObject({}),
    output: z.object({ tokens: z.array(Token), unlistedReach: UnlistedReach, now: Instant }),
  },
  token_revoke: {
    ...controls,
    title: 'Revoke a token',
    summary: 'Ends a token. It holds from the next request on and ends its open streams.',
    input: z.strictObject({ tokenId: TokenId }),
    output: z.object({ token: Token }),
  },
  token_projects: {
    ...controls,
    title: 'Choose the projects of a token',
    summary: 'Sets which projects a token may reach; it holds from the next request. In managed mode null reaches none.',
    input: z.strictObject({ tokenId: TokenId, projectIds: z.array(ProjectId).min(1).max(100).nullable() }),
    output: z.object({ token: Token }),
  },
  client_setup: {
    ...reads,
    title: 'Client set-up',
    summary: 'The text to paste into a client so that it reaches this bridge over stdio or HTTP.',
    input: z.strictObject({ client: z.enum(clientKinds), projectId: ProjectId.optional() }),
    output: z.object({
      client: z.enum(clientKinds),
      stdio: z.object({ file: z.string(), text: z.string(), command: z.string().nullable() }),
      http: z.object({
        file: z.string(),
        text: z.string(),
        command: z.string().nullable(),
        signIn: z
          .string()
          .nullable()
          .describe('What is typed in the client, or in a shell, so that it signs in; null: it does when it starts.'),
      }),
    }),
  },
  event_list: {
    ...reads,
    title: 'List events',
    summary: 'The account of what happened, oldest first after a position or newest first before one.',
    input: z.strictObject({
      after: z.number().int().min(0).optional(),
      before: z.number().int().min(1).optional(),
      limit: z.number().int().min(1).max(500).default(100),
      kind: z.string().max(64).optional(),
      projectId: ProjectId.optional(),
    }),
    output: z.object({ events: z.array(BridgeEvent), head: z.number().int(), epoch: z.string(), gap: z.boolean() }),
  },
  event_verify: {
    ...reads,
    title: 'Verify the account',
    summary: 'Walks the hash chain of all events and names the first position that does not fit.',
    input: z.strictObject({ knownPosition: z.number().int().min(1).optional(), knownHash: z.string().max(64).optional() }),
    output: z.object({
      intact: z.boolean(),
      checked: z.number().int(),
      brokenAt: z.number().int().nullable(),
      head: z.object({ position: z.number().int(), hash: z.string() }),
      containsKnown: z.boolean().nullable(),
    }),
  },
  bridge_status: {
    ...reads,
    title: 'Bridge status',
    summary: 'Version, addresses, uptime, and what the store holds against its cap.',
    input: z.strictObject({}),
    output: z.object({
      version: z.string(),
      epoch: z.string(),
      startedAt: Instant,
      now: Instant,
      mcpUrl: z.string().nullable(),
      consoleUrl: z.string().nullable(),
      home: z.string(),
      store: z.object({
        blobs: z.number().int(),
        bytes: z.number().int(),
        capBytes: z.number().int(),
        droppedBlobs: z.number().int().describe('Dropped so far to stay under the cap; changes that need them cannot be undone.'),
        droppedBytes: z.number().int(),
        databaseBytes: z.number().int().describe('On disk, its write-ahead log included.'),
      }),
    }),
  },
  link_create: {
    ...controls,
    title: 'Make an owner link',
    summary: 'A fresh one-time link that opens the console; valid for ten minutes and for one use.',
    input: z.strictObject({}),
    output: z.object({ ownerLink: z.string(), expiresAt: Instant }),
  },
});
