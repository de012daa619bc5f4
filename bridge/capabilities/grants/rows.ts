// The grants table: its statements and what a row means. A status only ever moves away from active.
import type { ArgumentPattern, Grant, GrantStatus } from '#shared/contracts/grants.ts';
import type { Store } from '../../base/store/store.ts';

export interface GrantRow {
  grant_id: string;
  status: GrantStatus;
  principal: string;
  caller_name: string;
  project_id: string;
  workspace_id: string;
  operation: string;
  arguments: string;
  paths: string;
  program: string | null;
  host: string | null;
  reasons: string | null;
  approval_id: string | null;
  created_at: number;
  created_by: string;
  until: number;
  uses_max: number | null;
  uses: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

/** Of one caller or in one project. */
export interface Whose {
  principal: string | null;
  projectId: string | null;
}

export const toGrant = (row: GrantRow): Grant => ({
  grantId: row.grant_id,
  status: row.status,
  principal: row.principal,
  callerName: row.caller_name,
  projectId: row.project_id,
  operation: row.operation,
  arguments: JSON.parse(row.arguments) as ArgumentPattern[],
  paths: JSON.parse(row.paths) as string[],
  program: row.program,
  host: row.host,
  reasons: row.reasons === null ? null : (JSON.parse(row.reasons) as string[]),
  approvalId: row.approval_id,
  createdAt: row.created_at,
  createdBy: row.created_by,
  until: row.until,
  usesMax: row.uses_max,
  uses: row.uses,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
});

export const grantRows = (store: Store) => ({
  byId: store.prepare<[string], GrantRow>('SELECT * FROM grants WHERE grant_id = ?'),
  lapse: store.prepare("UPDATE grants SET status = 'expired' WHERE status = 'active' AND until <= ?"),
  active: store.prepare<[string, string, string, string], GrantRow>(
    `SELECT * FROM grants WHERE status = 'active' AND principal = ? AND project_id = ? AND workspace_id = ? AND operation = ?
     ORDER BY created_at, rowid`,
  ),
  // One statement, so that the last use of a counted grant is had by one call only.
  use: store.prepare(
    `UPDATE grants SET uses = uses + 1, last_used_at = @now, status = CASE WHEN uses + 1 >= uses_max THEN 'used_up' ELSE status END
     WHERE grant_id = @grantId AND status = 'active' AND until > @now AND (uses_max IS NULL OR uses < uses_max)`,
  ),
  revoke: store.prepare("UPDATE grants SET status = 'revoked', revoked_at = ? WHERE grant_id = ? AND status = 'active'"),
  /** null stands for every one. */
  activeOf: store.prepare<Whose, GrantRow>(
    `SELECT * FROM grants WHERE status = 'active' AND (@principal IS NULL OR principal = @principal)
     AND (@projectId IS NULL OR project_id = @projectId)`,
  ),
  insert: store.prepare(
    `INSERT INTO grants VALUES (@grant_id, 'active', @principal, @caller_name, @project_id, @workspace_id, @operation, @arguments, @paths,
       @program, @host, @reasons, @approval_id, @created_at, @created_by, @until, @uses_max, 0, NULL, NULL)`,
  ),
  list: store.prepare<[string | null, string | null, number], GrantRow>(
    'SELECT * FROM grants WHERE (? IS NULL OR status = ?) ORDER BY created_at DESC, rowid DESC LIMIT ?',
  ),
});
