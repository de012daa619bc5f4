// The account of jobs: one row each, written before its process is and ended once; only its caller and the owner see it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '#shared/contracts/jobs.ts';
import { newId } from '#shared/ids.ts';
import type { Clock } from '../../base/clock.ts';
import { familyOf } from '../../base/process/family.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { Call, Caller } from '../../operation.ts';
import type { Events } from '../events/service.ts';
import type { End } from './live.ts';
import type { Wish } from './program.ts';
import { jobRows, type JobRow } from './rows.ts';
import { openSpool, type Spool, type Stream } from './spool.ts';

/** How many ended jobs keep their output. */
const ENDED_KEPT = 200;
const ARGUMENT_CHARACTERS_MAX = 1000;

export type Spools = Record<Stream, Spool>;

export interface LedgerParts {
  store: Store;
  clock: Clock;
  events: Pick<Events, 'append'>;
  /** Where the output of jobs is kept. */
  dir: string;
}

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger({ store, clock, events, dir }: LedgerParts) {
  const rows = jobRows(store);
  const open = new Map<string, Spools>();
  const folderOf = (jobId: string): string => join(dir, jobId);
  /** A running job has its output open; that of an ended one is opened for each look. */
  const spoolsOf = (jobId: string): Spools =>
    open.get(jobId) ?? { stdout: openSpool(folderOf(jobId), 'stdout'), stderr: openSpool(folderOf(jobId), 'stderr') };

  return {
    rows,
    spoolsOf,
    toJob: (row: JobRow): Job => toJob(row, spoolsOf(row.job_id)),

    /** Throws NOT_FOUND for what is another caller's as for what is not there. */
    require(jobId: string, caller: Caller): JobRow {
      const row = rows.byId.get(jobId);
      if (row === undefined || (caller.kind !== 'owner' && row.principal !== caller.principal))
        throw new Failed('NOT_FOUND', 'You have no job of that id.');
      return row;
    },

    insert(call: Call, wish: Wish): { row: JobRow; spools: Spools } {
      const jobId = newId('job');
      rows.insert.run({ ...valuesOf(call, wish), job_id: jobId, created_at: clock.now() });
      const spools = spoolsOf(jobId);
      open.set(jobId, spools);
      return { row: rows.byId.get(jobId) as JobRow, spools };
    },

    /** It was never begun. */
    drop(jobId: string): void {
      open.delete(jobId);
      rows.drop.run(jobId);
    },

    letGo: (jobId: string): void => void open.delete(jobId),

    end(row: JobRow, { status, exitCode, signal }: End): void {
      const { job_id: jobId, project_id: projectId, program } = row;
      store.transaction(() => {
        if (rows.end.run(status, exitCode, signal, clock.now(), jobId).changes === 0) return;
        events.append({ session: 'bridge', kind: 'job.ended', projectId, body: { jobId, status, exitCode, signal, program } });
      })();
      for (const { job_id } of rows.ended.all().slice(ENDED_KEPT)) rmSync(folderOf(job_id), { recursive: true, force: true });
    },
  };
}

const valuesOf = ({ project, caller, reservation }: Call, { kind, program, args, cwd, timeoutMs }: Wish) => ({
  project_id: project.projectId,
  principal: caller.principal,
  caller_name: caller.name,
  ...{ kind, program, cwd, reservation },
  args: JSON.stringify(kind === 'shell' ? args.slice(1) : args),
  timeout_ms: timeoutMs,
});

const shortened = (text: string): string => (text.length > ARGUMENT_CHARACTERS_MAX ? `${text.slice(0, ARGUMENT_CHARACTERS_MAX)}…` : text);

function toJob(row: JobRow, { stdout, stderr }: Spools): Job {
  const isRunning = row.status === 'running';
  return {
    jobId: row.job_id,
    status: row.status,
    kind: row.kind,
    program: row.program,
    args: (JSON.parse(row.args) as string[]).map(shortened),
    cwd: row.cwd,
    callerName: row.caller_name,
    exitCode: row.exit_code,
    signal: row.signal,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    timeoutMs: row.timeout_ms,
    stdoutBytes: stdout.size(),
    stderrBytes: stderr.size(),
    stillRunning: isRunning || row.pid === null ? [] : familyOf(null, row.job_id).map(({ pid, name }) => ({ pid, name })),
  };
}
