// The account of one call: exact arguments, who, how it ended. No account, no result.
import type { CallBody } from '#shared/events.ts';
import type { Failure } from '#shared/failure.ts';
import type { Caller, Outcome } from '../operation.ts';
import type { ArgumentStore } from './ports.ts';
import type { Named } from './progress.ts';

const INLINE_ARGUMENTS_MAX = 16 * 1024;
const BRIEF_MAX = 300;

export interface CallFacts {
  operation: Named;
  caller: Caller;
  surface: string;
  via: string | null;
  argumentsText: string;
  argumentsHash: string;
  durationMs: number;
  isReplayed: boolean;
  /** The grant that answered instead of a question. */
  grantId: string | null;
}

/** Both are there when a result was withheld after the handler had done its work. */
export interface CallEnd {
  outcome: Outcome | null;
  failure: Failure | null;
}

/** Where the exact arguments are kept: in the row when small, else in the blob store. */
export async function keepArguments(text: string, blobs: ArgumentStore): Promise<Pick<CallBody, 'arguments' | 'argumentsBlob'>> {
  if (text.length <= INLINE_ARGUMENTS_MAX) return { arguments: JSON.parse(text) as unknown };
  return { argumentsBlob: await blobs.put(Buffer.from(text)) };
}

export function callBody(facts: CallFacts, end: CallEnd, kept: Pick<CallBody, 'arguments' | 'argumentsBlob'>): CallBody {
  const { failure, outcome } = end;
  const changesetId = outcome?.data['changesetId'];
  const approvalId = failure?.detail?.['approvalId'];
  return {
    operation: facts.operation.name,
    action: facts.operation.contract.action,
    caller: { kind: facts.caller.kind, name: facts.caller.name, principal: facts.caller.principal },
    surface: facts.surface,
    ...(facts.via === null ? {} : { via: facts.via }),
    ...kept,
    argumentsHash: facts.argumentsHash,
    code: failure?.code ?? 'OK',
    message: failure?.message ?? null,
    brief: outcome?.brief?.slice(0, BRIEF_MAX) ?? null,
    ...(outcome?.refused ? { refused: outcome.refused } : {}),
    changesetId: typeof changesetId === 'string' ? changesetId : null,
    approvalId: typeof approvalId === 'string' ? approvalId : null,
    ...(facts.grantId === null ? {} : { grantId: facts.grantId }),
    replayed: facts.isReplayed,
    durationMs: Math.round(facts.durationMs * 100) / 100,
  };
}
