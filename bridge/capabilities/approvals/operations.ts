// Approvals as operations: a client sees its own request, only the owner answers.
import { approvalsContract } from '#shared/contracts/approvals.ts';
import type { Clock } from '../../base/clock.ts';
import { implement, type Operation } from '../../operation.ts';
import type { Approvals } from './service.ts';

export const approvalOperations = (approvals: Approvals, clock: Clock): Operation[] =>
  implement(approvalsContract, {
    approval_status: async ({ approvalId, waitMs }, call) => {
      approvals.status(approvalId, call.caller);
      if (waitMs > 0) await approvals.decided(approvalId, { waitMs, signal: call.signal });
      const found = approvals.status(approvalId, call.caller);
      const { operation: tool, status, summary, createdAt, expiresAt, decidedAt, reasons, note, grantedUntil } = found;
      const data = { approvalId, status, tool, summary, createdAt, expiresAt, decidedAt, reasons, note, grantedUntil };
      return { data, brief: status };
    },
    approval_list: async (input) => ({ data: { approvals: approvals.list(input), now: clock.now() } }),
    approval_decide: async (input, call) => {
      const { approval, grant } = approvals.decide({ ...input, by: call.caller.name });
      return { data: { approval, grant }, brief: `${approval.status}: ${approval.summary}` };
    },
  });
