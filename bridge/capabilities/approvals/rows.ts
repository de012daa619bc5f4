// The approvals table: its statements and what a row means. A status only ever moves away from pending.
import type { Approval, ApprovalStatus, AskedFile } from '#shared/contracts/approvals.ts';
import type { Store } from '../../base/store/store.ts';

export interface ApprovalRow {
  approval_id: string;
  status: ApprovalStatus;
  project_id: string | null;
  principal: string;
  caller_kind: string;
  caller_name: string;
  operation: string;
  summary: string;
  arguments: string;
  arguments_hash: string;
  binding: string;
  reasons: string;
  files: string;
  touches: string | null;
  workspace_id: string | null;
  created_at: number;
  expires_at: number;
  decided_at: number | null;
  decided_by: string | null;
  note: string | null;
  /** Made by the same answer, and then it alone answers. */
  grant_id: string | null;
}

export const toApproval = (row: ApprovalRow): Approval => ({
  approvalId: row.approval_id,
  status: row.status,
  projectId: row.project_id,
  caller: { kind: row.caller_kind, name: row.caller_name },
  operation: row.operation,
  summary: row.summary,
  arguments: row.arguments,
  argumentsHash: row.arguments_hash,
  reasons: JSON.parse(row.reasons) as string[],
  files: JSON.parse(row.files) as AskedFile[],
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
  note: row.note,
});

export type ApprovalRows = ReturnType<typeof approvalRows>;

export const approvalRows = (store: Store) => ({
  byId: store.prepare<[string], ApprovalRow>('SELECT * FROM approvals WHERE approval_id = ?'),
  latest: store.prepare<[string, string], ApprovalRow>(
    "SELECT * FROM approvals WHERE principal = ? AND binding = ? AND status <> 'used' AND (status <> 'approved' OR grant_id IS NULL) ORDER BY created_at DESC, rowid DESC LIMIT 1",
  ),
  waiting: store.prepare<[string], { n: number }>("SELECT count(*) AS n FROM approvals WHERE principal = ? AND status = 'pending'"),
  lapse: store.prepare("UPDATE approvals SET status = 'expired' WHERE status IN ('pending', 'approved') AND expires_at <= ?"),
  endOf: store.prepare<{ principal: string | null; projectId: string | null }>(
    `UPDATE approvals SET status = 'expired' WHERE status IN ('pending', 'approved') AND (@principal IS NULL OR principal = @principal)
     AND (@projectId IS NULL OR project_id = @projectId)`,
  ),
  answer: store.prepare(
    "UPDATE approvals SET status = ?, decided_at = ?, decided_by = ?, note = ?, expires_at = ?, grant_id = ? WHERE approval_id = ? AND status = 'pending'",
  ),
  use: store.prepare(
    "UPDATE approvals SET status = 'used' WHERE approval_id = ? AND status = 'approved' AND grant_id IS NULL AND expires_at > ?",
  ),
  insert: store.prepare(
    `INSERT INTO approvals VALUES (@approval_id, @status, @project_id, @principal, @caller_kind, @caller_name, @operation, @summary,
       @arguments, @arguments_hash, @binding, @reasons, @files, @touches, @workspace_id, @created_at, @expires_at, NULL, NULL, NULL, NULL)`,
  ),
  list: store.prepare<[string | null, string | null, number], ApprovalRow>(
    'SELECT * FROM approvals WHERE (? IS NULL OR status = ?) ORDER BY created_at DESC, rowid DESC LIMIT ?',
  ),
});
