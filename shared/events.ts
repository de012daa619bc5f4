// One line of what happened, and the frames the bridge pushes to a console. Positions only grow.
import { z } from 'zod';

export const eventKinds = [
  'bridge.started',
  'call',
  'approval.requested',
  'approval.decided',
  'project.added',
  'project.removed',
  'token.issued',
  'token.revoked',
  'token.changed',
  'client.admitted',
  'client.revoked',
  'client.changed',
  'grant.created',
  'grant.revoked',
  'settings.changed',
  'access.refused',
  'change.recovered',
  'job.ended',
] as const;
export type EventKind = (typeof eventKinds)[number];

export const BridgeEvent = z.object({
  position: z.number().int().describe('Global, gapless, one-based.'),
  session: z.string(),
  generation: z.string().describe('The epoch of the bridge process that wrote it.'),
  sequence: z.number().int().describe('Per session, one-based.'),
  kind: z.enum(eventKinds),
  projectId: z.string().nullable(),
  run: z.string().nullable(),
  at: z.number().int(),
  body: z.record(z.string(), z.unknown()),
  hash: z.string().describe('SHA-256 over the previous hash and this row.'),
});
export type BridgeEvent = z.infer<typeof BridgeEvent>;

/** The body of a `call` event: what was asked, by whom, and how it was answered. */
export const CallBody = z.object({
  operation: z.string(),
  action: z.string(),
  caller: z.object({ kind: z.string(), name: z.string(), principal: z.string() }),
  surface: z.string(),
  via: z.string().optional().describe('The gateway that carried the call.'),
  arguments: z.unknown().optional().describe('The exact arguments, when they are at most 16 KiB.'),
  argumentsBlob: z.string().optional().describe('SHA-256 of the exact arguments in the blob store, when larger.'),
  argumentsHash: z.string(),
  code: z.string().describe('OK or the failure code.'),
  message: z.string().nullable(),
  brief: z.string().nullable().describe('One line in plain words.'),
  refused: z.number().int().optional().describe('How many parts of a call that went well were refused.'),
  changesetId: z.string().nullable(),
  approvalId: z.string().nullable(),
  grantId: z.string().optional().describe('The grant that answered instead of a question.'),
  replayed: z.boolean(),
  durationMs: z.number(),
});
export type CallBody = z.infer<typeof CallBody>;

/** A call that has begun and has no event yet. Kept in memory only. */
export const RunningCall = z.object({
  callId: z.string(),
  operation: z.string(),
  caller: z.string(),
  projectId: z.string().nullable(),
  phase: z.enum(['running', 'queued']),
  startedAt: z.number().int(),
});
export type RunningCall = z.infer<typeof RunningCall>;

/** Bridge -> console over /ws. The console opens with `?after=<position>&epoch=<epoch>`. */
export const ServerFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    epoch: z.string(),
    head: z.number().int(),
    version: z.string(),
    now: z.number().int(),
    gap: z.boolean(),
  }),
  z.object({ type: z.literal('event'), event: BridgeEvent }),
  z.object({ type: z.literal('running'), calls: z.array(RunningCall) }),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;
