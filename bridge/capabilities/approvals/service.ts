// Approvals: single use, expiring, surviving a restart, bound to the exact arguments and file hashes; one answer wins.
import { canonicalJson } from '#shared/canonical.ts';
import type { Approval, ApprovalStatus } from '#shared/contracts/approvals.ts';
import type { Grant } from '#shared/contracts/grants.ts';
import { newId } from '#shared/ids.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/digest.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { AskContext, Asked, Caller } from '../../operation.ts';
import type { Events } from '../events/service.ts';
import type { Grants } from '../grants/service.ts';
import { grantFor } from './for-a-while.ts';
import { createWaiting } from './waiting.ts';
import { approvalRows, toApproval, type ApprovalRow, type ApprovalRows } from './rows.ts';

export interface Decision {
  approvalId: string;
  argumentsHash: string;
  decision: 'approve' | 'deny';
  note?: string | undefined;
  /** With approve: the same is allowed for this long. */
  forMinutes?: number | undefined;
  by: string;
}

export interface Decided {
  approval: Approval;
  grant: Grant | null;
}

export interface Approvals {
  find(context: AskContext, asked: Asked): string | null;
  require(context: AskContext, asked: Asked): string;
  spend(approvalId: string): void;
  decide(decision: Decision): Decided;
  /** Resolves when the owner answers, and at the latest when the time is over or the signal says so. */
  decided(approvalId: string, until: { waitMs: number; signal: AbortSignal }): Promise<void>;
  /** Requests and unused answers of one caller, or in one project, hold no more. */
  endOf(whose: { principal: string | null; projectId: string | null }): void;
  list(query: { status?: ApprovalStatus | undefined; limit: number }): Approval[];
  /** The caller's own request; NOT_FOUND for anyone else's. */
  status(approvalId: string, caller: Caller): Approval & { grantedUntil: number | null };
}

export const APPROVAL_TTL_MS = 15 * 60 * 1000;
/** More than this many unanswered questions of one caller is an alarm, not a queue (S19). */
export const PENDING_MAX = 20;

/** What an answer holds for: these arguments, in this project, on files with exactly these bytes. */
const bindingOf = (context: AskContext, asked: Asked): string =>
  sha256(
    canonicalJson({
      operation: context.operation,
      project: context.project?.projectId ?? null,
      arguments: context.argumentsHash,
      files: asked.files.map(({ path, beforeHash, afterHash }) => ({ path, beforeHash, afterHash })),
    }),
  );

export interface ApprovalParts {
  store: Store;
  clock: Clock;
  events: Events;
  grants: Grants;
  /** Where the owner answers; told to the client in words. */
  consoleUrl: () => string | null;
}

export function createApprovals(parts: ApprovalParts): Approvals {
  const { store, clock, consoleUrl } = parts;
  const rows = approvalRows(store);
  const waiting = createWaiting();

  return {
    find(context, asked) {
      rows.lapse.run(clock.now());
      const found = rows.latest.get(context.caller.principal, bindingOf(context, asked));
      return found?.status === 'approved' ? found.approval_id : null;
    },
    require(context, asked) {
      rows.lapse.run(clock.now());
      const binding = bindingOf(context, asked);
      const found = rows.latest.get(context.caller.principal, binding);
      if (found?.status === 'approved') return found.approval_id;
      if (found?.status === 'denied' && found.expires_at > clock.now()) throw denied(found);
      if (found?.status === 'pending') throw required(found, consoleUrl());
      if ((rows.waiting.get(context.caller.principal)?.n ?? 0) >= PENDING_MAX)
        throw new Failed(
          'RESOURCE_LIMIT',
          `Already ${PENDING_MAX} of your requests wait for the owner; this one was not added and nothing was done.`,
          {
            retryable: true,
          },
        );
      throw required(ask(parts, rows, { context, asked, binding }), consoleUrl());
    },
    spend(approvalId) {
      if (rows.use.run(approvalId, clock.now()).changes === 1) return;
      throw new Failed('APPROVAL_EXPIRED', 'The approval was used or ran out in the meantime. Nothing was done.', {
        detail: { approvalId },
      });
    },
    decide(decision) {
      const decided = decide(parts, rows, decision);
      waiting.end(decision.approvalId);
      return decided;
    },
    decided: (approvalId, until) => (rows.byId.get(approvalId)?.status === 'pending' ? waiting.add(approvalId, until) : Promise.resolve()),
    endOf: (whose) => void rows.endOf.run(whose),
    list({ status, limit }) {
      rows.lapse.run(clock.now());
      return rows.list.all(status ?? null, status ?? null, limit).map(toApproval);
    },
    status(approvalId, caller) {
      rows.lapse.run(clock.now());
      const row = rows.byId.get(approvalId);
      if (row === undefined || (caller.kind !== 'owner' && row.principal !== caller.principal))
        throw new Failed('NOT_FOUND', 'You have no approval request of that id.');
      const grant = row.grant_id === null ? null : parts.grants.look(row.grant_id);
      return { ...toApproval(row), grantedUntil: grant?.status === 'active' ? grant.until : null };
    },
  };
}

function ask(
  { store, clock, events }: ApprovalParts,
  rows: ApprovalRows,
  question: { context: AskContext; asked: Asked; binding: string },
): ApprovalRow {
  const { context, asked, binding } = question;
  const now = clock.now();
  const row = {
    approval_id: newId('apr'),
    status: 'pending' as const,
    project_id: context.project?.projectId ?? null,
    principal: context.caller.principal,
    caller_kind: context.caller.kind,
    caller_name: context.caller.name,
    operation: context.operation,
    summary: asked.summary,
    arguments: context.argumentsText,
    arguments_hash: context.argumentsHash,
    binding,
    reasons: JSON.stringify(asked.reasons),
    files: JSON.stringify(asked.files),
    touches: asked.touches === undefined ? null : JSON.stringify(asked.touches),
    workspace_id: context.project?.workspaceId ?? null,
    created_at: now,
    expires_at: now + APPROVAL_TTL_MS,
  };
  store.transaction(() => {
    rows.insert.run(row);
    const body = { approvalId: row.approval_id, operation: row.operation, caller: row.caller_name, summary: row.summary };
    events.append({ session: context.session, kind: 'approval.requested', projectId: row.project_id, body });
  })();
  return { ...row, decided_at: null, decided_by: null, note: null, grant_id: null };
}

function decide(parts: ApprovalParts, rows: ApprovalRows, answer: Decision): Decided {
  const { store, clock, events } = parts;
  const { approvalId, decision, note, by } = answer;
  const now = clock.now();
  rows.lapse.run(now);
  const row = requireOnScreen(rows.byId.get(approvalId), answer);
  const grant = store.transaction(() => {
    if (row.status !== 'pending') throw answered(row);
    const made =
      decision === 'approve' && answer.forMinutes !== undefined ? grantFor(parts.grants, row, { minutes: answer.forMinutes, by }) : null;
    const status = decision === 'approve' ? 'approved' : 'denied';
    rows.answer.run(status, now, by, note ?? null, made?.until ?? now + APPROVAL_TTL_MS, made?.grantId ?? null, approvalId);
    const body = { approvalId, decision, by, note: note ?? null, operation: row.operation, summary: row.summary };
    events.append({ session: 'owner', kind: 'approval.decided', projectId: row.project_id, body });
    return made;
  })();
  return { approval: toApproval(rows.byId.get(approvalId) ?? row), grant };
}

function requireOnScreen(row: ApprovalRow | undefined, { argumentsHash, decision, forMinutes }: Decision): ApprovalRow {
  if (row === undefined) throw new Failed('NOT_FOUND', 'There is no approval of that id.');
  if (row.arguments_hash !== argumentsHash)
    throw new Failed('CONFLICT', 'The words on the screen are not the ones that wait. Nothing was decided.');
  if (row.status === 'expired') throw new Failed('APPROVAL_EXPIRED', 'This request ran out; it counts as denied. Nothing was decided.');
  if (decision === 'deny' && forMinutes !== undefined)
    throw new Failed('INVALID_INPUT', 'Only an approval can hold for a while. Nothing was decided.');
  return row;
}

function required(row: ApprovalRow, consoleUrl: string | null): Failed {
  const terminal = `with "drawbridge approve ${row.approval_id}"`;
  const place = consoleUrl === null ? terminal : `at ${consoleUrl}/#/approvals/${row.approval_id}, or ${terminal}`;
  return new Failed('APPROVAL_REQUIRED', `This needs the owner: ${row.summary}. Nothing was done yet.`, {
    recovery: `The owner answers ${place}. Ask approval_status (waitMs lets it wait) until it says approved, then send the same call again with the same arguments and idempotency key.`,
    detail: {
      approvalId: row.approval_id,
      expiresAt: row.expires_at,
      reasons: JSON.parse(row.reasons) as string[],
      ...(consoleUrl === null ? {} : { address: `${consoleUrl}/#/approvals/${row.approval_id}` }),
    },
  });
}

function denied(row: ApprovalRow): Failed {
  const words = row.note === null ? '' : ` The owner says: ${JSON.stringify(row.note)}.`;
  return new Failed('FORBIDDEN', `The owner denied this call.${words} Nothing was done.`, {
    detail: { approvalId: row.approval_id, note: row.note },
  });
}

function answered(row: ApprovalRow): Failed {
  return new Failed('CONFLICT', `This was ${row.status} already by ${row.decided_by ?? 'someone'}.`, {
    detail: { status: row.status, decidedBy: row.decided_by, decidedAt: row.decided_at },
  });
}
