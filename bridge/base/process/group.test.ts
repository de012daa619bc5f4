// Real process trees: what the caller learns when the program ends, who of it is still there, and that all of it can be ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { childEnvironment } from './environment.ts';
import { signalMember } from './family.ts';
import { startGroup, type Group } from './group.ts';
import { startOf } from './started.ts';

interface Told {
  group: Group;
  text: { out: string; err: string };
}

async function start(file: string, args: string[], more: { hasInput?: boolean; mark?: string } = {}): Promise<Told> {
  const text = { out: '', err: '' };
  const group = await startGroup({
    ...{ file, args, cwd: '/', env: childEnvironment(), mark: more.mark ?? `m${Math.random()}`, hasInput: more.hasInput ?? false },
    onStdout: (chunk) => void (text.out += chunk.toString()),
    onStderr: (chunk) => void (text.err += chunk.toString()),
  });
  return { group, text };
}
const sh = (script: string, more = {}) => start('/bin/sh', ['-c', script], more);

describe('a group', () => {
  it('B16 gives the exit code and all of both outputs, however fast it fails', async () => {
    const { group, text } = await sh('echo out; echo err >&2; exit 7');
    expect(await group.exit).toEqual({ exitCode: 7, signal: null });
    await group.drained;
    expect(text).toEqual({ out: 'out\n', err: 'err\n' });
  });

  it('rejects with the reason when there is nothing to start', async () => {
    await expect(start('/nowhere/program', [])).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('has no input unless it was asked for', async () => {
    const without = await sh('cat; echo end');
    await without.group.drained;
    expect(without.text.out).toBe('end\n');
    const withInput = await sh('cat; echo end', { hasInput: true });
    withInput.group.stdin?.end('hello ');
    await withInput.group.drained;
    expect(withInput.text.out).toBe('hello end\n');
  });

  it.each([
    ['in its group', 'sleep 60 & echo done'],
    ['in a session of its own', 'setsid sleep 60 & echo done'],
    ['in a session of its own and with no output', 'setsid sleep 60 >/dev/null 2>&1 & echo done'],
    ['after its parent ended', '(setsid sh -c "sleep 60 & sleep 60" >/dev/null 2>&1 &); echo done'],
  ])('B18 ends while a grandchild goes on %s, names it, and ends that one too', async (_where, script) => {
    const { group, text } = await sh(script);
    expect(await group.exit).toMatchObject({ exitCode: 0 });
    while (!text.out.includes('done')) await new Promise((resolve) => setImmediate(resolve));
    // setsid forks before it becomes what it was asked to be.
    while (!group.members().some(({ name }) => name === 'sleep')) await new Promise((resolve) => setImmediate(resolve));
    expect(await group.end(1_000)).toEqual([]);
    expect(group.members()).toEqual([]);
    await group.drained;
  });

  it('is ended by force when it does not heed the asking', async () => {
    const { group, text } = await sh('trap "" TERM; echo ready; while :; do sleep 60; done');
    while (!text.out.includes('ready')) await new Promise((resolve) => setImmediate(resolve));
    expect(await group.end(100)).toEqual([]);
    expect(await group.exit).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  it('never signals a process that only has the same id', async () => {
    const other = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(other, 'spawn');
    const pid = other.pid ?? 0;
    expect(signalMember({ pid, startedAt: '1', name: 'sleep' }, 'SIGKILL')).toBe(false);
    expect(startOf(pid)).not.toBeNull();
    // The canary: with its true start it is the one.
    expect(signalMember({ pid, startedAt: startOf(pid) ?? '', name: 'sleep' }, 'SIGKILL')).toBe(true);
    await once(other, 'exit');
  });
});
