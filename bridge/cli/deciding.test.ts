// The owner's answers from a terminal, in real processes: an agent over stdio asks, the command line answers.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Envelope } from '#shared/envelope.ts';
import { eventually } from '../testing/eventually.ts';
import { place, type Place, type Started } from '../testing/program.ts';

let here: Place;
beforeEach(() => void (here = place()));
afterEach(() => here[Symbol.asyncDispose]());

/** A client of the 2025 protocol that can open no address, over the pipe of a real process. */
function agent() {
  const stdio: Started = here.launch(['stdio', '--root', here.project]);
  let last = 0;
  const send = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = (last += 1);
    stdio.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const find = () =>
      stdio
        .stdout()
        .split('\n')
        .find((line) => line.includes(`"id":${id}`));
    await eventually(find).toBeDefined();
    return (JSON.parse(find() ?? '{}') as { result: Record<string, unknown> }).result;
  };
  return {
    start: () => send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }),
    async call(name: string, args: object): Promise<Envelope> {
      const { content } = (await send('tools/call', { name, arguments: args })) as { content: { text: string }[] };
      return JSON.parse(content[0]?.text ?? '') as Envelope;
    },
  };
}

async function asking() {
  const client = agent();
  await client.start();
  const { workspaceId, workspaceEpoch } = (await client.call('project_overview', {})).data as Record<string, string>;
  const write = (expectedHash: string, content: string, more = {}) =>
    client.call('write_file', { workspaceId, workspaceEpoch, path: 'Makefile', content, expectedHash, ...more });
  const status = (approvalId: string) => client.call('approval_status', { workspaceId, workspaceEpoch, approvalId });
  return { write, status };
}

const approvalIn = ({ error }: Envelope): string => error?.detail?.['approvalId'] as string;

describe('an answer from the terminal', () => {
  it('lets the same call with the same key go through once', async () => {
    const { write } = await asking();
    const key = { idempotencyKey: 'key-00001' };
    const first = await write('absent', 'all:\n', key);
    expect(first.error).toMatchObject({ code: 'APPROVAL_REQUIRED', recovery: expect.stringContaining('drawbridge approve') as string });
    expect((await here.run('approvals')).stdout).toContain(approvalIn(first));
    const approved = await here.run('approve', approvalIn(first));
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('exactly: {"content":"all:\\n"')]);
    const again = await write('absent', 'all:\n', key);
    expect([again.ok, readFileSync(join(here.project, 'Makefile'), 'utf8')]).toEqual([true, 'all:\n']);
    expect((await write(again.data?.['hash'] as string, 'more:\n')).error?.code).toBe('APPROVAL_REQUIRED');
    expect((await here.run('approve', approvalIn(first))).code).toBe(1);
  });

  it('with --for holds for a while, is listed with its last use, and is revoked', async () => {
    const { write } = await asking();
    const approvalId = approvalIn(await write('absent', 'one:\n'));
    for (const time of ['0m', '31d', '1 h', 'soon', '-5m']) expect((await here.run('approve', approvalId, '--for', time)).code).toBe(2);
    const approved = await here.run('approve', approvalId, '--for', '1h');
    expect([approved.code, approved.stdout]).toEqual([
      0,
      expect.stringMatching(/for a while: grt_\w+ {2}active until .* {2}write_file {2}Makefile/),
    ]);
    const hash = (await write('absent', 'one:\n')).data?.['hash'] as string;
    const second = await write(hash, 'two:\n');
    expect(second.ok).toBe(true);
    const { stdout } = await here.run('grants');
    expect(stdout).toMatch(/^grt_\w+ {2}active .* {2}used 2 times, last \d{4}-/);
    const grantId = stdout.split(' ')[0] ?? '';
    expect((await here.run('grants', 'revoke', grantId)).stdout).toContain('revoked');
    expect((await write(second.data?.['hash'] as string, 'three:\n')).error?.code).toBe('APPROVAL_REQUIRED');
  });

  it('that denies gives the agent the words of the owner', async () => {
    const { write, status } = await asking();
    const approvalId = approvalIn(await write('absent', 'one:\n'));
    expect((await here.run('deny', approvalId, '--note', 'use scripts/build')).code).toBe(0);
    expect((await status(approvalId)).data).toMatchObject({ status: 'denied', note: 'use scripts/build' });
    const again = await write('absent', 'one:\n');
    expect(again.error).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('use scripts/build') as string });
    expect(existsSync(join(here.project, 'Makefile'))).toBe(false);
  });
});
