// Approvals as operations: a client sees its own request, only the owner answers.
import { approvalsContract } from '#shared/contracts/approvals.ts';
import type { Clock } from '../../base/clock.ts';
import { implement, type Operation } from '../../operation.ts';
import type { Approvals } from './service.ts';

export const approvalOperations = (approvals: Approvals, clock: Clock): Operation[] =>
  implement(approvalsContract, {
    approval_status: async ({ approvalId }, call) => {
      const found = approvals.status(approvalId, call.caller);
      const { status, operation, summary, createdAt, expiresAt, note } = found;
      return { data: { approvalId, status, tool: operation, summary, createdAt, expiresAt, note }, brief: status };
    },
    approval_list: async (input) => ({ data: { approvals: approvals.list(input), now: clock.now() } }),
    approval_decide: async (input, call) => {
      const approval = approvals.decide({ ...input, by: call.caller.name });
      return { data: { approval }, brief: `${approval.status}: ${approval.summary}` };
    },
  });
