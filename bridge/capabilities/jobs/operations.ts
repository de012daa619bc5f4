// Jobs as operations. What runs is always asked about: nothing here can take back what a program did.
import { counted } from '#shared/counted.ts';
import { jobsContract, type Job } from '#shared/contracts/jobs.ts';
import { implement, type Asked, type Call, type Operation, type Questions } from '../../operation.ts';
import { pageOf } from './page.ts';
import { shellWish, type Wish } from './program.ts';
import type { Jobs } from './service.ts';
import type { Spool } from './spool.ts';

const HEAD_BYTES = 8 * 1024;
const TAIL_BYTES = 2 * 1024;
const UNDOABLE = 'What a program does outside the journal cannot be taken back here.';

export function jobOperations(jobs: Jobs): Operation[] {
  const start = async (call: Call, wish: Wish): Promise<Job> => (await jobs.start(call, [wish]))[0] as Job;

  /** Waits together for all of them, no longer than asked. */
  async function ran(call: Call, started: readonly Job[], waitMs: number) {
    const ended = await Promise.all(
      started.map(({ jobId }) => (waitMs === 0 ? jobs.get(jobId, call.caller) : jobs.wait(jobId, call, waitMs))),
    );
    return ended.map((job) => ({ job, exited: job.status !== 'running', ...outputsOf(jobs, call, job) }));
  }

  return implement(
    jobsContract,
    {
      async run_command({ command, background, waitMs, ...rest }, call) {
        const job = await start(call, shellWish(command, rest));
        const [one] = await ran(call, [job], background ? 0 : waitMs);
        return { data: one as NonNullable<typeof one>, truncated: isCut(one), brief: toldOf(one?.job ?? job) };
      },
      async run_commands({ commands, waitMs, timeoutMs }, call) {
        const started = await jobs.start(
          call,
          commands.map(({ command, cwd }) => shellWish(command, { cwd, timeoutMs })),
        );
        const results = (await ran(call, started, waitMs)).map((one, at) => ({ ...one, name: commands[at]?.name ?? null }));
        const allExited = results.every(({ exited }) => exited);
        const allSucceeded = allExited && results.every(({ job }) => job.exitCode === 0);
        return { data: { results, allExited, allSucceeded }, truncated: results.some(isCut), brief: counted(results.length, 'command') };
      },
      async exec_command({ program, args, cwd, timeoutMs, hasInput }, call) {
        const job = await start(call, { kind: 'argv', program, args, cwd, timeoutMs, hasInput });
        return { data: { job }, brief: toldOf(job) };
      },
      job_status: async ({ jobId }, call) => ({ data: { job: jobs.get(jobId, call.caller) } }),
      async job_output({ jobId, stream, offset, maxBytes, view }, call) {
        const { spool, status } = jobs.output(jobId, call.caller, stream);
        const page = pageOf(spool, { offset, maxBytes, isClean: view === 'clean', isEnded: status !== 'running' });
        return { data: { ...page, status }, truncated: !page.endOfStream, brief: `${stream} from ${page.offset} to ${page.nextOffset}` };
      },
      async job_wait({ jobId, waitMs }, call) {
        const [one] = await ran(call, [jobs.get(jobId, call.caller)], waitMs);
        return { data: one as NonNullable<typeof one>, truncated: isCut(one), ...(one === undefined ? {} : { brief: toldOf(one.job) }) };
      },
      async job_input({ jobId, data, closeStdin }, call) {
        const written = await jobs.input(jobId, call.caller, { data, closeStdin });
        return { data: written, brief: counted(written.bytesWritten, 'byte') };
      },
      async job_cancel({ jobId }, call) {
        const job = await jobs.cancel(jobId, call.caller);
        return { data: { job }, brief: toldOf(job) };
      },
      async list_jobs({ limit }, call) {
        const found = jobs.list(call.project.projectId, call.caller, limit);
        return { data: { jobs: found }, brief: counted(found.length, 'job') };
      },
    },
    questions,
  );
}

const questions: Questions<typeof jobsContract> = {
  run_command: async ({ command }) => asked(command),
  run_commands: async ({ commands }) => asked(commands.map(({ command }) => command).join('\n')),
  exec_command: async ({ program, args }) => asked([program, ...args].join(' ')),
  job_input: async ({ data }) => asked(data),
};

const asked = (text: string): Asked => ({
  summary: `Run ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`,
  reasons: [UNDOABLE],
  files: [],
});

interface Outputs {
  stdout: string;
  stderr: string;
  stdoutTail: string;
  stderrTail: string;
}

function outputsOf(jobs: Jobs, call: Call, { jobId, status }: Job): Outputs {
  const isEnded = status !== 'running';
  const [out, err] = (['stdout', 'stderr'] as const).map((stream) => inShort(jobs.output(jobId, call.caller, stream).spool, isEnded));
  return { stdout: out?.head ?? '', stderr: err?.head ?? '', stdoutTail: out?.tail ?? '', stderrTail: err?.tail ?? '' };
}

/** The beginning, and when that is not all the end too. */
function inShort(spool: Spool, isEnded: boolean): { head: string; tail: string } {
  const head = pageOf(spool, { offset: 0, maxBytes: HEAD_BYTES, isClean: true, isEnded });
  if (head.nextOffset >= spool.size()) return { head: head.content, tail: '' };
  const offset = Math.max(head.nextOffset, spool.size() - TAIL_BYTES);
  return { head: head.content, tail: pageOf(spool, { offset, maxBytes: TAIL_BYTES, isClean: true, isEnded }).content };
}

const isCut = (one: Outputs | undefined): boolean => one !== undefined && (one.stdoutTail !== '' || one.stderrTail !== '');

function toldOf({ kind, program, args, status, exitCode, signal }: Job): string {
  const words = kind === 'shell' ? args.join(' ') : [program, ...args].join(' ');
  const end = status === 'exited' ? (signal ?? `exit ${exitCode}`) : status.replaceAll('_', ' ');
  return `${words.slice(0, 120)}: ${end}`;
}
