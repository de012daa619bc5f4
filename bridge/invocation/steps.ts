// The steps of the pipeline, one function each; invoke.ts runs them in order.
import { canonicalJson } from '#shared/canonical.ts';
import type { RunningCall } from '#shared/events.ts';
import { sha256 } from '../base/digest.ts';
import { Failed } from '../failed.ts';
import type { Asked, Call, Outcome } from '../operation.ts';
import { placesOf } from './elsewhere.ts';
import { invalidInput } from './normalise.ts';
import type { Invocation, InvokerParts, Progress } from './progress.ts';
import { requireCurrentContext, requireProjectAccess, requireScope } from './rights.ts';

/** Caller, project and lease, scopes, and the context pair: everything a wait can have changed. */
export async function resolveRights(parts: InvokerParts, invocation: Invocation, progress: Progress): Promise<void> {
  const { operation } = progress;
  const caller = parts.policy.narrow(invocation.caller(), null);
  progress.caller = caller;
  requireScope(caller, operation.name, operation.contract);
  progress.places = placesOf(invocation, operation);
  const isOverview = operation.contract.context === 'none';
  progress.project = null;
  if (isOverview && operation.contract.scope === 'owner') return;
  const project = await parts.projects.choose(invocation.context, caller, invocation.defaultProjectId ?? null);
  if (project === null) {
    if (isOverview) return;
    throw new Failed('WORKSPACE_MISMATCH', 'The call does not say which project it is for. Nothing was done.', {
      recovery: 'Call project_overview, then send its workspaceId and workspaceEpoch with every call.',
    });
  }
  const isSecondary = project.projectId !== invocation.defaultProjectId;
  progress.endLease ??= parts.projects.lease(project.projectId, isSecondary);
  requireProjectAccess(caller, project);
  progress.caller = parts.policy.narrow(caller, project);
  requireScope(progress.caller, operation.name, operation.contract);
  if (!isOverview) requireCurrentContext(caller, project, invocation.context);
  progress.project = project;
  parts.projects.touched(project.projectId);
}

/** JSON.stringify writes half of a surrogate pair, and nothing else from that range, as an escape. */
const HALF_CHARACTER = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

export function checkSize(parts: InvokerParts, raw: unknown): void {
  let text: string;
  try {
    text = JSON.stringify(raw) ?? '';
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new Failed('RESOURCE_LIMIT', 'The arguments are nested too deeply. Nothing was done.', { cause });
  }
  if (Buffer.byteLength(text) > parts.limits.requestBodyBytes)
    throw new Failed('RESOURCE_LIMIT', `The arguments are larger than ${parts.limits.requestBodyBytes} bytes. Nothing was done.`);
  // It has no bytes in UTF-8: written, it would silently become another character.
  if (text.includes('\\ud') && HALF_CHARACTER.test(text))
    throw new Failed('INVALID_INPUT', 'The arguments hold half of a character. Nothing was done.');
}

export function parseInput(progress: Progress, raw: unknown): void {
  const input = raw ?? {};
  const parsed = progress.operation.contract.input.safeParse(input);
  if (!parsed.success) throw invalidInput(progress.operation.name, parsed.error, input);
  progress.input = parsed.data;
  progress.isParsed = true;
  const { idempotencyKey, ...rest } = parsed.data as { idempotencyKey?: unknown };
  progress.argumentsText = canonicalJson(rest);
  progress.argumentsHash = sha256(progress.argumentsText);
  if (typeof idempotencyKey === 'string' && progress.caller !== null)
    progress.key = {
      principal: progress.caller.principal,
      workspace: progress.project?.workspaceId ?? '',
      operation: progress.operation.name,
      key: idempotencyKey,
    };
}

export function findReplay(parts: InvokerParts, progress: Progress): Outcome | null {
  if (progress.key === null) return null;
  const receipt = parts.idempotency.replay(progress.key, progress.argumentsHash);
  progress.isReplayed = receipt !== null;
  return receipt;
}

/** Undoable? granted? Otherwise the owner is asked. The owner's own calls are the owner's decision already. */
export async function decide(parts: InvokerParts, invocation: Invocation, progress: Progress): Promise<void> {
  const { operation, caller, project, argumentsText, argumentsHash } = progress;
  if (caller === null || caller.kind === 'owner') return;
  const trust = trustQuestion(parts, progress);
  const call = Object.assign(callOf(invocation, progress, invocation.signal), { mustAsk: trust !== null });
  const asked = withTrust((await operation.asks?.(progress.input, call)) ?? null, { trust, operation: operation.name });
  if (asked === null) return;
  const touches = asked.touches ?? null;
  if (project !== null && touches !== null) parts.policy.requireReach(project, touches);
  const context = { caller, project, session: invocation.session, operation: operation.name, argumentsText, argumentsHash };
  const approved = parts.approvals.find(context, asked);
  const grantId = approved === null ? parts.grants.find(context, asked) : null;
  const approvalId = grantId === null ? parts.approvals.require(context, asked) : null;
  progress.leave = { approvalId, grantId, isOfTrust: trust !== null, touches };
}

const trustQuestion = (parts: InvokerParts, { caller, project, operation, input }: Progress): string | null =>
  project === null || caller === null || caller.kind === 'owner' ? null : parts.policy.question(project, operation.contract, input);

/** An operation that has nothing to ask is asked about in its own name and arguments. */
function withTrust(asked: Asked | null, { trust, operation }: { trust: string | null; operation: string }): Asked | null {
  if (trust === null) return asked;
  const whole = asked ?? { summary: operation, reasons: [], files: [] };
  return { ...whole, reasons: [trust, ...whole.reasons] };
}

/** What the owner chose while the call waited counts: a question that arose meanwhile is asked now. */
export async function decideAgain(parts: InvokerParts, invocation: Invocation, progress: Progress): Promise<void> {
  const { leave, project } = progress;
  if (leave?.touches && project !== null) parts.policy.requireReach(project, leave.touches);
  if (trustQuestion(parts, progress) !== null && leave?.isOfTrust !== true) await decide(parts, invocation, progress);
}

export async function enterQueue(
  parts: InvokerParts,
  progress: Progress,
  wait: { signal: AbortSignal; notice: (facts: Partial<RunningCall>) => void },
): Promise<() => void> {
  if (progress.operation.contract.action !== 'mutate-files' || progress.project === null) return () => undefined;
  wait.notice({ phase: 'queued' });
  const leave = await parts.queue.enter(progress.project.projectId, wait.signal);
  wait.notice({ phase: 'running' });
  return leave;
}

/** A read without a question has waited for nothing, so what was resolved a moment ago still holds. */
export const hasWaited = (progress: Progress): boolean => progress.leave !== null || progress.operation.contract.action === 'mutate-files';

/** Spends the owner's answer and reserves the key together, so that neither can be had without the other. */
export function reserve(parts: InvokerParts, progress: Progress): Outcome | null {
  const settledMeanwhile = findReplay(parts, progress);
  if (settledMeanwhile !== null) return settledMeanwhile;
  const { leave, key } = progress;
  if (leave === null && key === null) return null;
  parts.atomically('flushed', () => {
    if (leave?.approvalId) parts.approvals.spend(leave.approvalId);
    if (leave?.grantId) parts.grants.spend(leave.grantId);
    if (key !== null) progress.reservation = parts.idempotency.reserve(key, progress.argumentsHash);
  });
  return null;
}

export function callOf(invocation: Invocation, progress: Progress, signal: AbortSignal | undefined): Call {
  const { operation, caller, project, reservation } = progress;
  if (caller === null) throw new Error('A call has no caller before its rights are resolved.');
  return {
    operation: operation.name,
    caller,
    get project() {
      if (project === null) throw new Failed('WORKSPACE_ACCESS_REQUIRED', 'This call names no project. Nothing was done.');
      return project;
    },
    hasProject: project !== null,
    signal: signal ?? new AbortController().signal,
    surface: invocation.surface,
    listed: invocation.listed,
    session: invocation.session,
    reservation,
  };
}

/** What a caller may not know any more is withheld. What it changed stands, so that is said and its key is told the same again. */
export function requireRightsStill(parts: InvokerParts, invocation: Invocation, progress: Progress): void {
  const { project, operation } = progress;
  try {
    const caller = parts.policy.narrow(invocation.caller(), null);
    if (project !== null) requireProjectAccess(caller, project);
    requireScope(project === null ? caller : parts.policy.narrow(caller, project), operation.name, operation.contract);
  } catch (error) {
    if (!(error instanceof Failed) || operation.contract.action === 'read') throw error;
    progress.isWithheld = true;
    throw new Failed(error.code, 'The right to this call ended while it ran. It was carried out, and its answer is withheld.', {
      cause: error,
    });
  }
}

export function checkOutput(progress: Progress): void {
  if (progress.outcome === null) return;
  const checked = progress.operation.contract.output.safeParse(progress.outcome.data);
  if (!checked.success) throw new Error(`${progress.operation.name} answered outside its contract: ${checked.error.message}`);
  progress.outcome = { ...progress.outcome, data: checked.data };
}
