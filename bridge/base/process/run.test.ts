// Real programs: what they print arrives whole, and each way of ending one is told apart.
import { describe, expect, it } from 'vitest';
import { workspace } from '../../testing/workspace.ts';
import { childEnvironment } from './environment.ts';
import { run, type Program } from './run.ts';

async function node(source: string, more: Partial<Program> = {}) {
  await using ws = await workspace();
  let out = '';
  let err = '';
  const ended = await run({
    file: process.execPath,
    args: ['-e', source],
    cwd: ws.root,
    onStdout: (chunk) => void (out += chunk.toString()),
    onStderr: (chunk) => void (err += chunk.toString()),
    ...more,
  });
  return { ...ended, out, err };
}

describe('run', () => {
  it('B16 gives both streams and the exit code of a program that fails at once', async () => {
    const ended = await node("process.stdout.write('O1');process.stderr.write('E1');process.exitCode=3");
    expect(ended).toEqual({ by: 'exited', exitCode: 3, signal: null, out: 'O1', err: 'E1' });
  });

  it('hands arguments over as they are, with no shell in between', async () => {
    await using ws = await workspace();
    let out = '';
    const args = ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', '$(touch x)', '-n', '; rm -rf .', '*'];
    await run({ file: process.execPath, args, cwd: ws.root, onStdout: (chunk) => void (out += chunk.toString()) });
    expect(JSON.parse(out)).toEqual(['$(touch x)', '-n', '; rm -rf .', '*']);
    expect(ws.list()).toEqual([]);
  });

  it('ends a program at its deadline, on abort, and when its reader has had enough', async () => {
    expect(await node('setInterval(()=>{},1000)', { deadlineMs: 50 })).toMatchObject({ by: 'deadline', signal: 'SIGKILL' });
    const abort = new AbortController();
    const aborted = node("process.stdout.write('x');setInterval(()=>{},1000)", { signal: abort.signal, onStdout: () => abort.abort() });
    expect(await aborted).toMatchObject({ by: 'aborted', signal: 'SIGKILL' });
    expect(await node("setInterval(()=>process.stdout.write('x'),1)", { onStdout: () => false })).toMatchObject({ by: 'reader' });
    expect(await node('0', { signal: AbortSignal.abort() })).toMatchObject({ by: 'aborted', exitCode: null });
  });

  it('gives what is to be read, also to a program that does not read it, and nothing otherwise', async () => {
    const echo = 'process.stdin.pipe(process.stdout)';
    expect((await node(echo, { input: Buffer.from('a\0b') })).out).toBe('a\0b');
    expect((await node(echo)).out).toBe('');
    expect(await node('0', { input: Buffer.alloc(4 << 20) })).toMatchObject({ by: 'exited', exitCode: 0 });
  });

  it('rejects with the system’s word when the program cannot be started', async () => {
    await using ws = await workspace();
    await expect(run({ file: ws.path('none'), args: [], cwd: ws.root })).rejects.toMatchObject({ code: 'ENOENT' });
    const args = Array.from({ length: 400 }, () => 'x'.repeat(100_000));
    await expect(run({ file: process.execPath, args, cwd: ws.root })).rejects.toMatchObject({ code: 'E2BIG' });
  });

  it('S15 a child learns only what is on the list', async () => {
    const source = { PATH: '/bin', HOME: '/h', AWS_SECRET_ACCESS_KEY: 'CANARY', NODE_OPTIONS: '--inspect', CI_TOKEN: 'CANARY' };
    expect(childEnvironment([], source)).toEqual({ PATH: '/bin', HOME: '/h' });
    expect(childEnvironment(['NODE_OPTIONS'], source)).toMatchObject({ NODE_OPTIONS: '--inspect' });
    process.env['DRAWBRIDGE_CANARY'] = 'CANARY';
    const ended = await node('process.stdout.write(JSON.stringify(process.env))');
    delete process.env['DRAWBRIDGE_CANARY'];
    expect(ended.out).not.toContain('CANARY');
    expect(JSON.parse(ended.out)).toHaveProperty('PATH');
    const given = await node('process.stdout.write(process.env.GIVEN + process.env.PATH)', { env: { GIVEN: 'yes', PATH: '/none' } });
    expect(given.out).toBe('yes/none');
  });
});
