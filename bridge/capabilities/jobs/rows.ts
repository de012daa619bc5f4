// The jobs table: its statements and what a row means. A status only ever moves away from running.
import type { Job, JobStatus } from '#shared/contracts/jobs.ts';
import type { Store } from '../../base/store/store.ts';

export interface JobRow {
  job_id: string;
  project_id: string;
  principal: string;
  caller_name: string;
  kind: Job['kind'];
  program: string;
  args: string;
  cwd: string;
  status: JobStatus;
  exit_code: number | null;
  signal: string | null;
  created_at: number;
  ended_at: number | null;
  timeout_ms: number;
  pid: number | null;
  reservation: string | null;
}

export const jobRows = (store: Store) => ({
  insert: store.prepare(
    `INSERT INTO jobs (job_id, project_id, principal, caller_name, kind, program, args, cwd, status, created_at, timeout_ms, reservation)
     VALUES (@job_id, @project_id, @principal, @caller_name, @kind, @program, @args, @cwd, 'running', @created_at, @timeout_ms, @reservation)`,
  ),
  begun: store.prepare('UPDATE jobs SET pid = ? WHERE job_id = ?'),
  drop: store.prepare("DELETE FROM jobs WHERE job_id = ? AND status = 'running'"),
  end: store.prepare("UPDATE jobs SET status = ?, exit_code = ?, signal = ?, ended_at = ? WHERE job_id = ? AND status = 'running'"),
  byId: store.prepare<[string], JobRow>('SELECT * FROM jobs WHERE job_id = ?'),
  running: store.prepare<[], JobRow>("SELECT * FROM jobs WHERE status = 'running'"),
  /** null stands for every caller. */
  list: store.prepare<{ projectId: string; principal: string | null; limit: number }, JobRow>(
    `SELECT * FROM jobs WHERE project_id = @projectId AND (@principal IS NULL OR principal = @principal)
     ORDER BY created_at DESC, rowid DESC LIMIT @limit`,
  ),
  ended: store.prepare<[], { job_id: string }>("SELECT job_id FROM jobs WHERE status <> 'running' ORDER BY created_at DESC, rowid DESC"),
  ofReservation: store.prepare<[string], { job_id: string }>('SELECT job_id FROM jobs WHERE reservation = ?'),
});
