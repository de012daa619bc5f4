// Jobs over the real product: asked for first, told whole, ended with everything they started, and each client's own.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '#shared/contracts/jobs.ts';
import type { Envelope } from '#shared/envelope.ts';
import { familyOf } from '../../base/process/family.ts';
import { productOver, type Product } from '../../testing/product.ts';

let product: Product;
beforeEach(async () => void (product = await productOver({ 'sub/a.txt': 'alpha\n', 'run.sh': '#!/bin/sh\necho ran "$@"\n' }, 'full')));
afterEach(() => product[Symbol.asyncDispose]());

interface Ran {
  job: Job;
  exited: boolean;
  stdout: string;
  stderr: string;
  stdoutTail: string;
}

let keys = 0;
const owner = (operation: string, input: Record<string, unknown>) =>
  product.app.invoke({
    ...{ operation, input, context: {}, surface: 'test', session: 'owner' },
    caller: () => product.app.access.ownerCaller('owner'),
  });

/** Calls, lets the owner allow what is asked, and calls again as a client would. */
async function allowed(name: string, args: Record<string, unknown>): Promise<Envelope> {
  const call = () => product.call(name, { ...product.context, ...args });
  const first = await call();
  expect(first.error?.code).toBe('APPROVAL_REQUIRED');
  const approvalId = first.error?.detail?.['approvalId'];
  const listed = (await owner('approval_list', {})).envelope.data?.['approvals'] as { approvalId: string; argumentsHash: string }[];
  const argumentsHash = listed.find((one) => one.approvalId === approvalId)?.argumentsHash;
  const decided = await owner('approval_decide', { approvalId, argumentsHash, decision: 'approve' });
  expect(decided.envelope.error).toBeNull();
  return call();
}
async function run(command: string, more: Record<string, unknown> = {}): Promise<Ran> {
  const { data, error } = await allowed('run_command', { command, idempotencyKey: `run-key-${(keys += 1)}`, ...more });
  expect(error).toBeNull();
  return data as unknown as Ran;
}
const call = (name: string, args: Record<string, unknown>) => product.call(name, { ...product.context, ...args });
const status = async (jobId: string) => (await call('job_status', { jobId })).data?.['job'] as Job;

describe('a command', () => {
  it('S10 runs nothing before the owner allowed exactly it', async () => {
    const mark = join(product.folder.root, 'mark');
    expect((await call('run_command', { command: `touch '${mark}'` })).error?.code).toBe('APPROVAL_REQUIRED');
    expect((await call('run_commands', { commands: [{ command: `touch '${mark}'` }] })).error?.code).toBe('APPROVAL_REQUIRED');
    expect((await call('exec_command', { program: 'touch', args: [mark] })).error?.code).toBe('APPROVAL_REQUIRED');
    await wait(100);
    expect(existsSync(mark)).toBe(false);
    await run(`touch '${mark}'`);
    expect(existsSync(mark)).toBe(true);
  });

  it('B16 tells the exit code and all of both outputs, at once and later by the id of the job', async () => {
    const ran = await run("sh -c 'echo out; echo err >&2; exit 7'");
    expect(ran).toMatchObject({ exited: true, stdout: 'out\n', stderr: 'err\n', job: { status: 'exited', exitCode: 7, signal: null } });
    const { jobId } = ran.job;
    expect((await call('job_output', { jobId, stream: 'stderr' })).data).toMatchObject({ content: 'err\n', endOfStream: true });
    expect(await status(jobId)).toMatchObject({ exitCode: 7, stdoutBytes: 4, stderrBytes: 4 });
    expect((await run('no-such-program-here')).job.exitCode).toBe(127);
  });

  it('B18 answers when the program ends though a grandchild holds the output, names it, and ends it when asked', async () => {
    const ran = await run('sleep 60 & echo done');
    expect(ran).toMatchObject({ exited: true, stdout: 'done\n' });
    expect(ran.job.stillRunning.map(({ name }) => name)).toEqual(['sleep']);
    await call('job_cancel', { jobId: ran.job.jobId });
    expect((await status(ran.job.jobId)).stillRunning).toEqual([]);
  });

  it('B17 is shown as a terminal would, and as it was written on demand; long output has its end beside it', async () => {
    const ran = await run("printf '\\033[31mred\\033[0m 1%%\\r2%%\\n'");
    expect(ran.stdout).toBe('2%d 1%\n');
    const { jobId } = ran.job;
    expect((await call('job_output', { jobId, view: 'raw' })).data?.['content']).toBe('\u001b[31mred\u001b[0m 1%\r2%\n');
    const long = await run('seq 1 20000');
    expect([long.stdout.startsWith('1\n2\n'), long.stdoutTail.endsWith('19999\n20000\n')]).toEqual([true, true]);
    expect(Buffer.byteLength(JSON.stringify(long))).toBeLessThan(24 * 1024);
  });

  it('has no input, no terminal, no secret of the environment, and the folder that was named', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] = 'CANARY-of-the-test';
    try {
      const ran = await run('cat; pwd; env; test -t 0 || echo no terminal', { cwd: 'sub' });
      expect(ran.stdout).toContain(`${product.folder.root}/sub\n`);
      expect(ran.stdout).toContain('no terminal');
      expect(ran.stdout).not.toContain('CANARY');
    } finally {
      delete process.env['AWS_SECRET_ACCESS_KEY'];
    }
    expect((await call('run_command', { command: 'pwd', cwd: '../outside' })).error?.code).toBe('APPROVAL_REQUIRED');
    expect((await allowed('run_command', { command: 'pwd', cwd: '../outside' })).error?.code).toBe('PATH_DENIED');
  });

  it('B21 goes on as a job when it takes longer than was waited, can be waited for, and is ended at its time', async () => {
    const ran = await run('echo begun; sleep 2; echo over', { waitMs: 1000 });
    expect(ran).toMatchObject({ exited: false, stdout: 'begun\n', job: { status: 'running' } });
    expect((await call('job_wait', { jobId: ran.job.jobId })).data).toMatchObject({ exited: true, stdout: 'begun\nover\n' });
    const slow = await run('sleep 60', { timeoutMs: 1000 });
    expect(slow).toMatchObject({ exited: true, job: { status: 'timed_out', signal: 'SIGTERM' } });
  });

  it('is begun once for one key, and told again', async () => {
    const idempotencyKey = 'one-key-for-one-run';
    const command = 'echo x >> count; cat count';
    const first = await allowed('run_command', { command, idempotencyKey });
    const again = await call('run_command', { command, idempotencyKey });
    expect([again.data, again.warnings.join().includes('replayed')]).toEqual([first.data, true]);
    expect(product.folder.bytes('count').toString()).toBe('x\n');
  });

  it('several run side by side, all or none', async () => {
    const commands = [{ name: 'a', command: 'echo a' }, { command: 'echo b >&2; exit 1' }];
    const { data } = await allowed('run_commands', { commands });
    expect(data).toMatchObject({
      allExited: true,
      allSucceeded: false,
      results: [
        { name: 'a', stdout: 'a\n' },
        { name: null, stderr: 'b\n' },
      ],
    });
    const job = await run('sleep 60', { background: true });
    const four = Array.from({ length: 4 }, () => ({ command: 'echo never > never' }));
    expect((await allowed('run_commands', { commands: four })).error).toMatchObject({ code: 'RESOURCE_LIMIT', retryable: true });
    await call('job_cancel', { jobId: job.job.jobId });
    expect(existsSync(join(product.folder.root, 'never'))).toBe(false);
  });

  it('does not hold up a change in its project', async () => {
    const { job } = await run('sleep 60', { background: true });
    const wish = { path: 'new.txt', content: 'x', expectedHash: 'absent', idempotencyKey: 'key-of-the-change' };
    expect((await call('write_file', wish)).error).toBeNull();
    expect((await call('job_cancel', { jobId: job.jobId })).data).toMatchObject({ job: { status: 'canceled', stillRunning: [] } });
  });
});

describe('a program', () => {
  it('takes exact arguments, its input when that was asked for, and is not found by a bare name in a project', async () => {
    const exec = await allowed('exec_command', { program: 'cat', hasInput: true });
    const { jobId } = exec.data?.['job'] as Job;
    expect((await allowed('job_input', { jobId, data: '$(x) `y`\n', closeStdin: true })).data).toMatchObject({
      bytesWritten: 9,
      stdinOpen: false,
    });
    expect((await call('job_wait', { jobId })).data).toMatchObject({ stdout: '$(x) `y`\n', job: { exitCode: 0 } });
    expect((await allowed('job_input', { jobId, data: 'late' })).error?.code).toBe('JOB_NOT_RUNNING');
    expect((await allowed('exec_command', { program: 'run.sh' })).error?.code).toBe('NOT_FOUND');
    expect((await allowed('exec_command', { program: '../run.sh' })).error?.code).toBe('PATH_DENIED');
    expect((await allowed('exec_command', { program: './run.sh' })).error?.code).toBe('NOT_FOUND');
  });
});

describe('jobs', () => {
  it("S23 are one client's own", async () => {
    const { job } = await run('echo mine');
    const other = await product.connect('other');
    const as = (name: string, args: Record<string, unknown>) => product.call(name, { ...product.context, ...args }, other);
    for (const name of ['job_status', 'job_output', 'job_wait', 'job_cancel'])
      expect((await as(name, { jobId: job.jobId })).error?.code, name).toBe('NOT_FOUND');
    expect((await as('list_jobs', {})).data).toEqual({ jobs: [] });
    expect((await call('list_jobs', {})).data).toMatchObject({ jobs: [{ jobId: job.jobId }] });
  });

  it('end with the bridge, and the account tells how each one ended', async () => {
    const { job } = await run('sleep 60 & sleep 60', { background: true });
    await product.app.jobs.close();
    expect(familyOf(null, job.jobId)).toEqual([]);
    expect(await status(job.jobId)).toMatchObject({ status: 'interrupted_on_restart' });
    const told = product.app.events.list({ limit: 50 }).find(({ kind }) => kind === 'job.ended');
    expect(told?.body).toMatchObject({ jobId: job.jobId, status: 'interrupted_on_restart' });
  });
});
