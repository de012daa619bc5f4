// Programs that run for a client: started under the owner's answer, each a job that outlives the connection it came by.
import { z } from 'zod';
import { defineContract, IdempotencyKey, Instant, RelativePath } from '../contract.ts';

export const JobId = z.string().max(128);
export const JobStatus = z.enum(['running', 'exited', 'canceled', 'timed_out', 'interrupted_on_restart']);
export type JobStatus = z.infer<typeof JobStatus>;

const Survivor = z.object({ pid: z.number().int(), name: z.string() });

export const Job = z.object({
  jobId: JobId,
  status: JobStatus,
  kind: z.enum(['shell', 'argv']),
  program: z.string(),
  args: z.array(z.string()).describe('Cut to a readable length.'),
  cwd: z.string(),
  callerName: z.string(),
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  createdAt: Instant,
  endedAt: Instant.nullable(),
  timeoutMs: z.number().int(),
  stdoutBytes: z.number().int(),
  stderrBytes: z.number().int(),
  stillRunning: z.array(Survivor).describe('Processes that it started and that go on after it ended; job_cancel ends them.'),
});
export type Job = z.infer<typeof Job>;

/** What a call that waited says of both outputs. */
const Outputs = {
  stdout: z.string(),
  stderr: z.string(),
  stdoutTail: z.string().describe('The end, when stdout above is cut; job_output has all of it.'),
  stderrTail: z.string(),
};
const Ran = z.object({ job: Job, exited: z.boolean(), ...Outputs });

const TIMEOUT_MS_MAX = 30 * 60 * 1000;
/** A client may give a call up after a minute, so none waits longer than this (B21). */
export const WAIT_MS_MAX = 20_000;
const Wait = z.number().int().min(1000).max(WAIT_MS_MAX).default(WAIT_MS_MAX).describe('What still runs then goes on as a job.');
const Timeout = z
  .number()
  .int()
  .min(1000)
  .max(TIMEOUT_MS_MAX)
  .default(10 * 60 * 1000)
  .describe('When it is ended.');
const Cwd = RelativePath.default('.');
const Command = z
  .string()
  .min(1)
  .max(64 * 1024)
  .describe('One line or script for the system shell.');

const runs = { scope: 'exec', action: 'run', destructive: true, idempotent: false, context: 'workspace' } as const;
const reads = { scope: 'read', action: 'read', destructive: false, idempotent: true, context: 'workspace' } as const;

export const jobsContract = defineContract({
  run_command: {
    ...runs,
    title: 'Run a command',
    summary:
      'Runs a line in the system shell and waits a little. It needs the owner; its input is empty, and no pager, editor or prompt opens.',
    input: z.strictObject({
      command: Command,
      cwd: Cwd,
      waitMs: Wait,
      timeoutMs: Timeout,
      background: z.boolean().default(false),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    output: Ran,
  },
  run_commands: {
    ...runs,
    title: 'Run several commands',
    summary: 'Runs up to four lines side by side under one answer of the owner; none is begun unless there is room for all.',
    input: z.strictObject({
      commands: z
        .array(z.strictObject({ name: z.string().min(1).max(64).optional(), command: Command, cwd: Cwd }))
        .min(1)
        .max(4),
      waitMs: Wait,
      timeoutMs: Timeout,
    }),
    output: z.object({
      results: z.array(Ran.extend({ name: z.string().nullable() })),
      allExited: z.boolean(),
      allSucceeded: z.boolean(),
    }),
  },
  exec_command: {
    ...runs,
    title: 'Execute a program',
    summary:
      'Starts a program with exact arguments and no shell, and answers at once with its job. A bare name is looked for outside every project.',
    input: z.strictObject({
      program: z.string().min(1).max(512),
      args: z
        .array(z.string().max(64 * 1024))
        .max(128)
        .default([]),
      cwd: Cwd,
      timeoutMs: Timeout,
      hasInput: z.boolean().default(false).describe('Keeps standard input open for job_input.'),
      idempotencyKey: IdempotencyKey.optional(),
    }),
    output: z.object({ job: Job }),
  },
  job_status: {
    ...reads,
    title: 'Job status',
    summary: 'Where one of your jobs stands, whatever connection began it.',
    input: z.strictObject({ jobId: JobId }),
    output: z.object({ job: Job }),
  },
  job_output: {
    ...reads,
    title: 'Job output',
    summary: 'A page of what a job wrote; go on at nextOffset. Whole characters always, and says what is not kept any more.',
    input: z.strictObject({
      jobId: JobId,
      stream: z.enum(['stdout', 'stderr']).default('stdout'),
      offset: z.number().int().min(0).default(0),
      maxBytes: z
        .number()
        .int()
        .min(64)
        .max(1 << 20)
        .default(24 * 1024),
      view: z.enum(['clean', 'raw']).default('clean').describe('clean: as a terminal would show it, without colours.'),
    }),
    output: z.object({
      content: z.string(),
      offset: z.number().int(),
      nextOffset: z.number().int(),
      truncatedBeforeOffset: z.number().int().describe('Bytes before this are not kept any more.'),
      endOfStream: z.boolean(),
      status: JobStatus,
    }),
  },
  job_wait: {
    ...reads,
    title: 'Wait for a job',
    summary: 'Answers when the job ends or the time is over, with both outputs cut to a readable length.',
    input: z.strictObject({ jobId: JobId, waitMs: Wait }),
    output: Ran,
  },
  job_input: {
    scope: 'exec',
    action: 'run',
    destructive: true,
    idempotent: false,
    context: 'workspace',
    title: 'Write to a job',
    summary: 'Writes to the standard input of a job that was started with hasInput. The owner is asked about the exact text.',
    input: z.strictObject({ jobId: JobId, data: z.string().max(64 * 1024), closeStdin: z.boolean().default(false) }),
    output: z.object({ bytesWritten: z.number().int(), stdinOpen: z.boolean() }),
  },
  job_cancel: {
    scope: 'exec',
    action: 'control',
    destructive: true,
    idempotent: true,
    context: 'workspace',
    title: 'End a job',
    summary: 'Ends the job and everything it started: asked first, after five seconds by force.',
    input: z.strictObject({ jobId: JobId }),
    output: z.object({ job: Job }),
  },
  list_jobs: {
    ...reads,
    title: 'List jobs',
    summary: 'Your latest jobs in this project, newest first.',
    input: z.strictObject({ limit: z.number().int().min(1).max(100).default(20) }),
    output: z.object({ jobs: z.array(Job) }),
  },
});
