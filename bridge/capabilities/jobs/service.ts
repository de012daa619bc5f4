// Jobs: a bounded number at a time, each ended with all that it started; what a bridge that died left behind is ended by the next one.
import type { Job } from '#shared/contracts/jobs.ts';
import type { Log } from '../../base/log.ts';
import { familyOf, signalMember } from '../../base/process/family.ts';
import { Failed } from '../../failed.ts';
import type { Call, Caller } from '../../operation.ts';
import { createLedger, type Ledger, type LedgerParts } from './ledger.ts';
import { startLive, type End, type Live } from './live.ts';
import { readyFor, type ProgramParts, type Ready, type Wish } from './program.ts';
import type { JobRow } from './rows.ts';
import type { Spool, Stream } from './spool.ts';

export interface JobParts extends ProgramParts, LedgerParts {
  log: Log;
}

export type Jobs = ReturnType<typeof createJobs>;

export const JOBS_MAX = 4;

interface Shop {
  parts: JobParts;
  ledger: Ledger;
  live: Map<string, Live>;
}

export function createJobs(parts: JobParts) {
  const ledger = createLedger(parts);
  const live = new Map<string, Live>();
  const shop: Shop = { parts, ledger, live };
  const get = (jobId: string, caller: Caller): Job => ledger.toJob(ledger.require(jobId, caller));

  return {
    get,
    start: (call: Call, wishes: readonly Wish[]): Promise<Job[]> => startAll(shop, call, wishes),

    list: (projectId: string, caller: Caller, limit: number): Job[] =>
      ledger.rows.list.all({ projectId, principal: caller.kind === 'owner' ? null : caller.principal, limit }).map(ledger.toJob),

    output(jobId: string, caller: Caller, stream: Stream): { spool: Spool; status: Job['status'] } {
      const { status } = ledger.require(jobId, caller);
      return { spool: ledger.spoolsOf(jobId)[stream], status };
    },

    /** The job when it has ended, or when the time is over or the call is given up. */
    async wait(jobId: string, call: Call, waitMs: number): Promise<Job> {
      ledger.require(jobId, call.caller);
      const one = live.get(jobId);
      if (one !== undefined) await endOrTime(one.ended, { waitMs, signal: call.signal });
      return get(jobId, call.caller);
    },

    /** Resolves once the text is with the program's pipe. Throws JOB_NOT_RUNNING. */
    async input(jobId: string, caller: Caller, words: { data: string; closeStdin: boolean }) {
      ledger.require(jobId, caller);
      return write(live.get(jobId), words);
    },

    /** Also of a job that ended: what it started and left behind. */
    async cancel(jobId: string, caller: Caller): Promise<Job> {
      const row = ledger.require(jobId, caller);
      const one = live.get(jobId);
      if (one === undefined) endFamily(row);
      else await one.end('canceled').then(() => one.ended);
      return get(jobId, caller);
    },

    /** Whether a job was begun under an idempotency key, so that it must not be begun again. */
    hasBegun: (reservation: string): boolean => ledger.rows.ofReservation.get(reservation) !== undefined,

    /** Run before anything is accepted. */
    recover(): void {
      for (const row of ledger.rows.running.all()) {
        endFamily(row);
        ledger.end(row, { status: 'interrupted_on_restart', exitCode: null, signal: null });
      }
    },

    async close(): Promise<void> {
      await Promise.all([...live.values()].map((one) => one.end('interrupted_on_restart').then(() => one.ended)));
    },
  };
}

/** Throws before anything is begun; of several wishes all are begun or none. */
async function startAll(shop: Shop, call: Call, wishes: readonly Wish[]): Promise<Job[]> {
  requireRoom(shop, wishes.length);
  const ready = await Promise.all(wishes.map((wish) => readyFor(shop.parts, call.project, wish)));
  requireRoom(shop, wishes.length);
  return Promise.all(wishes.map((wish, at) => begin(shop, call, { wish, ready: ready[at] as Ready })));
}

function requireRoom({ live }: Shop, count: number): void {
  if (live.size + count <= JOBS_MAX) return;
  throw new Failed('RESOURCE_LIMIT', `At most ${JOBS_MAX} jobs run at a time, and ${live.size} do. Nothing was run.`, { retryable: true });
}

async function begin(shop: Shop, call: Call, { wish, ready }: { wish: Wish; ready: Ready }): Promise<Job> {
  const { ledger, live } = shop;
  const { row, spools } = ledger.insert(call, wish);
  const jobId = row.job_id;
  try {
    const one = await startLive({ jobId, ready, hasInput: wish.hasInput, timeoutMs: wish.timeoutMs, spools });
    live.set(jobId, one);
    ledger.rows.begun.run(one.group.pid, jobId);
    void one.ended.then((end) => finish(shop, row, end));
  } catch (error) {
    ledger.drop(jobId);
    throw unstartable(error);
  }
  return ledger.toJob(ledger.rows.byId.get(jobId) as JobRow);
}

function finish({ parts, ledger, live }: Shop, row: JobRow, end: End): void {
  const one = live.get(row.job_id);
  live.delete(row.job_id);
  // Somebody may still hold the output open; what comes of it is kept until the last one lets go.
  void one?.group.drained.then(() => ledger.letGo(row.job_id));
  try {
    ledger.end(row, end);
  } catch (error) {
    parts.log.error({ err: error, jobId: row.job_id }, 'The end of a job could not be put on the account.');
  }
}

async function write(one: Live | undefined, { data, closeStdin }: { data: string; closeStdin: boolean }) {
  const stdin = one?.group.stdin;
  if (!stdin?.writable) throw new Failed('JOB_NOT_RUNNING', 'The job does not run, or its input is closed. Nothing was written.');
  await new Promise<void>((resolve, reject) => {
    stdin.write(data, (cause) =>
      cause ? reject(new Failed('JOB_NOT_RUNNING', 'The job closed its input while it was written.', { cause })) : resolve(),
    );
  });
  if (closeStdin) stdin.end();
  return { bytesWritten: Buffer.byteLength(data), stdinOpen: !closeStdin };
}

/** By the mark in their environment and their own start: a number alone may be another's by now. */
function endFamily({ job_id }: JobRow): void {
  for (const member of familyOf(null, job_id)) signalMember(member, 'SIGKILL');
}

async function endOrTime(ended: Promise<unknown>, { waitMs, signal }: { waitMs: number; signal: AbortSignal }): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
    void ended.then(stop);
  });
}

function unstartable(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (['ENOENT', 'EACCES', 'ENOEXEC', 'E2BIG', 'EAGAIN', 'EPERM', 'ENOTDIR'].includes(code))
    return new Failed('NOT_SUPPORTED', `The system could not start this program (${code}). Nothing was run.`, { cause: error });
  return error;
}
