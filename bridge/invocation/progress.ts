// One call on its way through the pipeline: what it asks, what the steps have learnt, and how it is answered.
import type { OperationContract } from '#shared/contract.ts';
import type { CallContext, Envelope } from '#shared/envelope.ts';
import type { Clock } from '../base/clock.ts';
import { sha256 } from '../base/digest.ts';
import type { Log } from '../base/log.ts';
import type { Failed } from '../failed.ts';
import type { Caller, Listed, Operation, Outcome, ProjectHandle, Touches } from '../operation.ts';
import type { Idempotency, KeyScope } from './idempotency.ts';
import type { ApprovalPort, ArgumentStore, EventPort, GrantPort, PolicyPort, ProjectPort } from './ports.ts';
import type { MutationQueue } from './queue.ts';
import type { Running } from './running.ts';

export interface Invocation {
  /** The operation, or the tool that was called when what it should carry could not be told. */
  operation: string;
  /** The surface could not read it as a call: it is put on the account and answered with this. */
  refused?: Failed;
  /** The tool that carried the call, when that was not the operation's own. */
  via?: string | null;
  input: unknown;
  context: CallContext;
  /** Resolves the caller's rights as they are now; asked again after every wait. May throw AUTH_REQUIRED. */
  caller: () => Caller;
  surface: string;
  listed?: Listed;
  session: string;
  signal?: AbortSignal | undefined;
  /** The project of the session, when the call names none. */
  defaultProjectId?: string | null | undefined;
}

export interface Answer {
  envelope: Envelope;
  images: { data: string; mimeType: string }[];
}

export type Invoke = (invocation: Invocation) => Promise<Answer>;

export interface InvokerParts {
  operations: readonly Operation[];
  projects: ProjectPort;
  events: EventPort;
  approvals: ApprovalPort;
  grants: GrantPort;
  policy: PolicyPort;
  idempotency: Idempotency;
  queue: MutationQueue;
  running: Running;
  blobs: ArgumentStore;
  /** Runs the work in one transaction of the store, flushed to the disk or with the next flush. */
  atomically(durability: 'flushed' | 'soon', work: () => void): void;
  clock: Clock;
  log: Log;
  limits: { requestBodyBytes: number };
}

/** How a call that needed the owner was answered. */
export interface Leave {
  approvalId: string | null;
  grantId: string | null;
  /** The owner was asked because of the project's trust, too. */
  isOfTrust: boolean;
  touches: Touches | null;
}

/** The part of an operation that the account tells. */
export interface Named {
  name: string;
  contract: Pick<OperationContract, 'action'>;
}

/** What the steps learn about one call as it goes along. */
export interface Progress<Of extends Named = Operation> {
  operation: Of;
  startedMs: number;
  caller: Caller | null;
  project: ProjectHandle | null;
  /** Lets go of the project. */
  endLease: (() => void) | null;
  /** The projects that a read looks in instead. */
  places: readonly string[] | null;
  input: Record<string, unknown>;
  /** `input` is what the contract made of the arguments; before that it is nothing. */
  isParsed: boolean;
  argumentsText: string;
  argumentsHash: string;
  key: KeyScope | null;
  leave: Leave | null;
  reservation: string | null;
  isReplayed: boolean;
  /** It was carried out, and its caller may not have the answer. */
  isWithheld: boolean;
  outcome: Outcome | null;
}

export const begin = <Of extends Named>(operation: Of, startedMs: number): Progress<Of> => ({
  operation,
  startedMs,
  caller: null,
  project: null,
  endLease: null,
  places: null,
  input: {},
  isParsed: false,
  argumentsText: '{}',
  argumentsHash: sha256('{}'),
  key: null,
  leave: null,
  reservation: null,
  isReplayed: false,
  isWithheld: false,
  outcome: null,
});

export function refusal(project: ProjectHandle | null, error: NonNullable<Envelope['error']>): Envelope {
  return {
    ok: false,
    workspaceId: project?.workspaceId ?? null,
    workspaceEpoch: project?.epoch ?? null,
    data: null,
    error,
    warnings: [],
    truncated: false,
    nextCursor: null,
  };
}

export function accepted(progress: Progress): Answer {
  const { outcome, project, isReplayed } = progress;
  if (outcome === null) throw new Error('A call ended without an outcome.');
  return {
    envelope: {
      ok: true,
      workspaceId: project?.workspaceId ?? null,
      workspaceEpoch: project?.epoch ?? null,
      data: outcome.data,
      error: null,
      warnings: [...(outcome.warnings ?? []), ...(isReplayed ? ['replayed: the receipt of the first call with this key'] : [])],
      truncated: outcome.truncated ?? false,
      nextCursor: outcome.nextCursor ?? null,
    },
    images: outcome.images ?? [],
  };
}
