// MCP over stdio in real processes: no port, nothing stray on stdout, and one bridge behind however many clients.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { firstLine, listeningPorts, namesIn, place, type Place } from '../testing/program.ts';

let here: Place;
beforeEach(() => void (here = place()));
afterEach(() => here[Symbol.asyncDispose]());

const initialize = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
})}\n`;
const listTools = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';

describe('stdio', () => {
  it('S02 opens no TCP port (a bridge that listens is seen by the same count)', async () => {
    const alone = here.launch(['stdio', '--root', here.project]);
    alone.child.stdin.write(initialize);
    await firstLine(alone);
    expect(listeningPorts(alone.child.pid as number)).toEqual([]);
    alone.child.stdin.end();
    expect(await alone.ended).toBe(0);
    const { ready } = await here.start();
    expect(listeningPorts(ready.pid)).toHaveLength(2);
  });

  it('B29 puts nothing but JSON-RPC on stdout, whatever else prints', async () => {
    writeFileSync(join(here.project, '.env'), 'A=1\n');
    const noisy = join(here.userHome, 'noisy.cjs');
    writeFileSync(
      noisy,
      "setTimeout(()=>{console.log('STRAY');console.info('STRAY');process.stdout.write('STRAY');process.emitWarning('old','DeprecationWarning');},300)",
    );
    for (const isAttached of [false, true]) {
      if (isAttached) await here.start();
      const client = here.launch(['stdio', '--root', here.project], { NODE_OPTIONS: `--require ${noisy}` });
      client.child.stdin.write(initialize + listTools);
      await eventually(client.stderr).toContain('STRAY');
      client.child.stdin.write('{"jsonrpc":"2.0","id":3,"method":"ping"}\n');
      await eventually(client.stdout).toContain('"id":3');
      client.child.stdin.end();
      expect(await client.ended).toBe(0);
      const lines = client
        .stdout()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { jsonrpc: string; id: number });
      expect(lines.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([1, 2, 3].map((id) => ['2.0', id]));
    }
  });

  it('attaches to the bridge that runs, registers its folder, and ends with it', async () => {
    const bridge = await here.start();
    const client = here.launch(['stdio', '--root', here.project]);
    client.child.stdin.write(initialize);
    expect(JSON.parse(await firstLine(client))).toMatchObject({ id: 1, result: { serverInfo: { name: 'drawbridge' } } });
    expect((await here.run('project', 'list')).stdout).toContain(here.project);
    expect(listeningPorts(client.child.pid as number)).toEqual([]);
    bridge.child.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    expect(await client.ended).toBe(1);
    expect(client.stderr()).toContain('The bridge has ended');
  });

  it('is itself attached to when it runs alone, and its folder is free when it ends', async () => {
    const first = here.launch(['stdio', '--root', here.project]);
    first.child.stdin.write(initialize);
    await firstLine(first);
    const second = here.launch(['stdio', '--root', here.project]);
    second.child.stdin.write(initialize);
    expect(JSON.parse(await firstLine(second))).toMatchObject({ id: 1 });
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(namesIn(here.home)).not.toContain('bridge.lock');
  });

  it('answers what was asked before its input ended, as a piped script expects', async () => {
    const client = here.launch(['stdio', '--root', here.project]);
    client.child.stdin.end(initialize + listTools);
    expect(await client.ended).toBe(0);
    expect(
      client
        .stdout()
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: number }).id),
    ).toEqual([1, 2]);
  });

  it('says on stderr why a folder cannot be served', async () => {
    for (const isAttached of [false, true]) {
      if (isAttached) await here.start();
      const { code, stdout, stderr } = await here.run('stdio', '--root', join(here.project, 'none'));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('no such directory');
    }
  });
});
