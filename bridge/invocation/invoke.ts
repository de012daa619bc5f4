// The one pipeline: every call of every surface runs these steps in this order. Operations are data to it.
import { canonicalJson } from '#shared/canonical.ts';
import type { Envelope } from '#shared/envelope.ts';
import type { RunningCall } from '#shared/events.ts';
import { sha256 } from '../base/digest.ts';
import { Failed } from '../failed.ts';
import { readElsewhere } from './elsewhere.ts';
import { normalise } from './normalise.ts';
import {
  accepted,
  begin,
  refusal,
  type Answer,
  type Invocation,
  type InvokerParts,
  type Invoke,
  type Named,
  type Progress,
} from './progress.ts';
import { callBody, keepArguments } from './record.ts';
import {
  callOf,
  checkOutput,
  checkSize,
  decide,
  decideAgain,
  enterQueue,
  findReplay,
  hasWaited,
  parseInput,
  requireRightsStill,
  reserve,
  resolveRights,
} from './steps.ts';

export type { Answer, Invocation, Invoke } from './progress.ts';

/** Builds `invoke`, which never throws: every end is an envelope. */
export function createInvoker(parts: InvokerParts): Invoke {
  const byName = new Map(parts.operations.map((operation) => [operation.name, operation]));
  if (byName.size !== parts.operations.length) throw new Error('Two operations share a name.');

  let begun = 0;
  const invoke: Invoke = async (invocation) => {
    const operation = byName.get(invocation.operation);
    if (invocation.refused !== undefined) return refuseUnread(parts, invocation, invocation.refused);
    if (operation === undefined)
      return refuseUnread(parts, invocation, new Failed('INVALID_INPUT', 'There is no operation of that name. Nothing was done.'));
    const progress = begin(operation, parts.clock.monotonic());
    const ticket = parts.running.begin({
      callId: `call_${(begun += 1)}`,
      operation: operation.name,
      caller: invocation.surface,
      projectId: null,
      phase: 'running',
      startedAt: parts.clock.now(),
    });
    try {
      await runSteps(parts, invocation, { progress, notice: ticket.update, invoke });
      return accepted(progress);
    } catch (thrown) {
      return await refuse(parts, invocation, { progress, thrown });
    } finally {
      progress.endLease?.();
      ticket.end();
    }
  };
  return invoke;
}

async function runSteps(
  parts: InvokerParts,
  invocation: Invocation,
  run: { progress: Progress; notice: (facts: Partial<RunningCall>) => void; invoke: Invoke },
): Promise<void> {
  const { progress } = run;
  const signal = invocation.signal ?? new AbortController().signal;
  await resolveRights(parts, invocation, progress);
  run.notice({ caller: progress.caller?.name ?? '', projectId: progress.project?.projectId ?? null });
  checkSize(parts, invocation.input);
  parseInput(progress, invocation.input);
  if (progress.places !== null) {
    progress.outcome = await readElsewhere(parts, { invocation, progress, places: progress.places, invoke: run.invoke });
    checkOutput(progress);
    return record(parts, invocation, { progress });
  }
  const replayed = findReplay(parts, progress);
  if (replayed === null) await decide(parts, invocation, progress);
  // A receipt is read, and no change that is under way can alter it.
  const leave = replayed === null ? await enterQueue(parts, progress, { signal, notice: run.notice }) : () => undefined;
  try {
    if (hasWaited(progress)) {
      await resolveRights(parts, invocation, progress);
      if (replayed === null) await decideAgain(parts, invocation, progress);
    }
    const receipt = replayed ?? reserve(parts, progress);
    progress.outcome = receipt ?? (await progress.operation.run(progress.input, callOf(invocation, progress, signal)));
    checkOutput(progress);
    requireRightsStill(parts, invocation, progress);
    await record(parts, invocation, { progress });
  } finally {
    leave();
  }
}

/** One transaction holds the event and the receipt: without the account there is no result. */
async function record(
  parts: InvokerParts,
  invocation: Invocation,
  end: { progress: Progress<Named>; failure?: Envelope['error'] },
): Promise<void> {
  const { progress } = end;
  const { operation, caller, outcome, argumentsHash, reservation, isReplayed, leave } = progress;
  // What the owner only looks at is no act, and the console looks whenever a line arrives: recorded, it would never end.
  if (caller === null || (caller.kind === 'owner' && operation.contract.action === 'read')) return;
  const text = canonicalJson(progress.input);
  const kept = await keepArguments(text, parts.blobs);
  const facts = {
    operation,
    caller,
    surface: invocation.surface,
    via: invocation.via ?? null,
    argumentsText: text,
    argumentsHash,
    isReplayed,
    grantId: leave?.grantId ?? null,
  };
  const durationMs = parts.clock.monotonic() - progress.startedMs;
  const body = callBody({ ...facts, durationMs }, { outcome, failure: end.failure ?? null }, kept);
  parts.atomically(operation.contract.action === 'read' ? 'soon' : 'flushed', () => {
    parts.events.append({ session: invocation.session, kind: 'call', projectId: progress.project?.projectId ?? null, body });
    if (reservation !== null && outcome !== null && (end.failure === undefined || progress.isWithheld))
      parts.idempotency.settle(reservation, { data: outcome.data, warnings: outcome.warnings ?? [] });
  });
}

/** What was no call of an operation is on the account all the same, in the words that came. */
async function refuseUnread(parts: InvokerParts, invocation: Invocation, refused: Failed): Promise<Answer> {
  const progress = begin<Named>({ name: invocation.operation, contract: { action: 'read' } }, parts.clock.monotonic());
  try {
    progress.caller = parts.policy.narrow(invocation.caller(), null);
    throw refused;
  } catch (thrown) {
    return refuse(parts, invocation, { progress, thrown });
  }
}

/** Codes after which how the call ended is not known, so that its key must not be run again. */
const uncertain: ReadonlySet<string> = new Set(['RECOVERY_REQUIRED', 'PARTIAL_RECOVERY_REQUIRED', 'INTERNAL_ERROR']);

/** What was refused before it was read is on the account as it was sent, unless it is too large or no arguments at all. */
function tellAsSent(parts: InvokerParts, progress: Progress<Named>, raw: unknown): void {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return;
  const named = Object.entries(raw).filter(([name]) => name !== 'idempotencyKey');
  try {
    checkSize(parts, raw);
    progress.argumentsHash = sha256(canonicalJson(Object.fromEntries(named)));
    progress.input = raw as Record<string, unknown>;
  } catch (error) {
    // Too large, or nested deeper than anything that could be told.
    if (!(error instanceof Failed) && !(error instanceof RangeError)) throw error;
  }
}

async function refuse(parts: InvokerParts, invocation: Invocation, end: { progress: Progress<Named>; thrown: unknown }): Promise<Answer> {
  const { progress } = end;
  const failure = normalise(end.thrown, parts.log);
  if (!progress.isParsed) tellAsSent(parts, progress, invocation.input);
  try {
    if (progress.reservation !== null && progress.outcome === null && !uncertain.has(failure.code))
      parts.idempotency.release(progress.reservation);
    await record(parts, invocation, { progress, failure });
    return { envelope: refusal(progress.project, failure), images: [] };
  } catch (cause) {
    const unrecorded = { ...normalise(cause, parts.log), retryable: true };
    return { envelope: refusal(progress.project, unrecorded), images: [] };
  }
}
