// The grant that an approval "for a while" makes: of the row as it was asked, never of words that came later.
import type { Grant } from '#shared/contracts/grants.ts';
import { Failed } from '../../failed.ts';
import type { Touches } from '../../operation.ts';
import { covers, scopeOf, type Grants } from '../grants/service.ts';
import type { ApprovalRow } from './rows.ts';

/** What was asked, for a while: the same caller, operation, project, reach and reasons. */
export function grantFor(grants: Grants, row: ApprovalRow, { minutes, by }: { minutes: number; by: string }): Grant {
  const reasons = JSON.parse(row.reasons) as string[];
  const question = {
    operation: row.operation,
    arguments: JSON.parse(row.arguments) as Record<string, unknown>,
    reasons,
    touches: row.touches === null ? null : (JSON.parse(row.touches) as Touches),
  };
  const scope = scopeOf(question);
  const { project_id: projectId, workspace_id: workspaceId } = row;
  if (projectId === null || workspaceId === null || !covers({ ...scope, reasons }, question))
    throw new Failed('NOT_SUPPORTED', 'This can only be allowed once, not for a while. Nothing was decided.');
  const who = { principal: row.principal, callerName: row.caller_name, by };
  const project = { projectId, workspaceId };
  return grants.create({ ...scope, ...who, project, reasons, approvalId: row.approval_id, minutes, usesMax: null });
}
