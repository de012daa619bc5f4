// Client programs that signed in, and the owner's consent to each: what it is, where its answer goes, what it may do.
import { z } from 'zod';
import { defineContract, Instant } from '../contract.ts';
import { ProjectId } from '../ids.ts';
import { TokenScope, UnlistedReach } from './owner.ts';

const ClientId = z.string().min(1).max(2048);
const ConsentId = z.string().min(1).max(128);

export const ClientProgram = z.object({
  clientId: ClientId,
  name: z.string().describe('As the program calls itself; nobody has proven it.'),
  redirectHost: z.string().describe('Where the last sign-in was sent back to.'),
  scopes: z.array(TokenScope),
  projectIds: z.array(ProjectId).nullable().describe('null: none are listed; unlistedReach says what that gives.'),
  createdAt: Instant,
  lastUsedAt: Instant.nullable(),
  revokedAt: Instant.nullable(),
});
export type ClientProgram = z.infer<typeof ClientProgram>;

export const Consent = z.object({
  consentId: ConsentId,
  status: z.enum(['pending', 'allowed', 'denied', 'expired']),
  clientId: ClientId,
  name: z.string().describe('As the program calls itself; nobody has proven it.'),
  redirectHost: z.string().describe('Where the browser is sent with the answer.'),
  scopes: z.array(TokenScope).describe('What was asked for. The owner may allow less.'),
  known: ClientProgram.nullable().describe('What this program was allowed before; a new answer takes its place.'),
  createdAt: Instant,
  expiresAt: Instant,
});
export type Consent = z.infer<typeof Consent>;

const owns = { scope: 'owner', context: 'none', destructive: false } as const;
const reads = { ...owns, action: 'read', idempotent: true } as const;
const controls = { ...owns, action: 'control', idempotent: false } as const;

export const clientsContract = defineContract({
  client_list: {
    ...reads,
    title: 'List clients',
    summary: 'Every client program that signed in, with what it may do and its last use.',
    input: z.strictObject({}),
    output: z.object({ clients: z.array(ClientProgram), unlistedReach: UnlistedReach, now: Instant }),
  },
  client_revoke: {
    ...controls,
    title: 'Revoke a client',
    summary: 'Ends everything a client program was given. It holds from the next request on and ends its open streams.',
    input: z.strictObject({ clientId: ClientId }),
    output: z.object({ client: ClientProgram }),
  },
  client_projects: {
    ...controls,
    title: 'Choose the projects of a client',
    summary: 'Sets which projects a client program may reach; it holds from the next request. In managed mode null reaches none.',
    input: z.strictObject({ clientId: ClientId, projectIds: z.array(ProjectId).min(1).max(100).nullable() }),
    output: z.object({ client: ClientProgram }),
  },
  consent_show: {
    ...reads,
    title: 'Show a consent',
    summary: 'What a client program asks for, and where its answer would be sent.',
    input: z.strictObject({ consentId: ConsentId }),
    output: z.object({ consent: Consent, unlistedReach: UnlistedReach, now: Instant }),
  },
  consent_decide: {
    ...controls,
    title: 'Decide a consent',
    summary: 'Allows or denies a sign-in, once. The browser that began it finishes it at the address that is answered.',
    input: z.strictObject({
      consentId: ConsentId,
      allow: z.boolean(),
      scopes: z.array(TokenScope).min(1).max(3).optional().describe('At most what was asked for; left out: all of it.'),
      projectIds: z
        .array(ProjectId)
        .min(1)
        .max(100)
        .optional()
        .describe('Left out: none are listed; unlistedReach of consent_show says what that gives.'),
    }),
    output: z.object({ resumeUrl: z.string().describe('Holds a secret that works once, and only in the browser that began.') }),
  },
});
