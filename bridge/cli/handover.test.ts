// A stdio client came first and owns the state folder: a later start gets its console from that process, and goes on when it ends.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signIn } from '../testing/console.ts';
import { eventually } from '../testing/eventually.ts';
import { firstLine, listeningPorts, namesIn, place, type Place, type Started, takenPort } from '../testing/program.ts';

let here: Place;
let client: Started;
beforeEach(async () => {
  here = place();
  client = here.launch(['stdio', '--root', here.project]);
  client.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await firstLine(client);
});
afterEach(() => here[Symbol.asyncDispose]());

const pidOf = ({ child }: Started): number => child.pid as number;
const portsOf = ({ mcpUrl, consoleUrl }: { mcpUrl: string; consoleUrl: string }) =>
  [mcpUrl, consoleUrl].map((url) => Number(new URL(url).port));

async function stillServesMcp(): Promise<void> {
  client.child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
  await eventually(client.stdout).toContain('"id":2');
}

describe('start beside a stdio client that owns the state folder', () => {
  it('opens the console in that process while it runs, and gives it back', async () => {
    const other = join(here.userHome, 'other');
    mkdirSync(other);
    const bridge = await here.start('--project', other);
    const { ready } = bridge;
    expect(ready).toMatchObject({ pid: pidOf(bridge), home: here.home });
    expect(ready.projects.map(({ root }) => root).sort()).toEqual([here.project, other].sort());
    expect(listeningPorts(pidOf(client)).sort()).toEqual(portsOf(ready).sort());
    expect(listeningPorts(pidOf(bridge))).toEqual([]);
    const owner = await signIn(ready.consoleUrl, ready.ownerLink.split('=')[1] ?? '');
    expect((await owner.call('bridge_status')).envelope.data).toMatchObject({ consoleUrl: ready.consoleUrl, mcpUrl: ready.mcpUrl });
    expect((await here.run('link')).stdout).toContain(ready.consoleUrl);
    const second = await here.run('start', '--json', '--mcp-port', '0', '--console-port', '0');
    expect([second.code, second.stdout]).toEqual([3, '']);
    expect(second.stderr).toContain(ready.consoleUrl);

    bridge.child.kill('SIGINT');
    expect(await bridge.ended).toBe(0);
    expect(bridge.stdout().trimEnd().split('\n')).toHaveLength(1);
    expect(listeningPorts(pidOf(client))).toEqual([]);
    expect(await here.run('link')).toMatchObject({ code: 1, stdout: '' });
    await stillServesMcp();
    const again = await here.start();
    expect((await fetch(`${again.ready.consoleUrl}/api/session`)).status).toBe(401);
  });

  it.each(['ends', 'is killed'])('takes the folder and the same ports over when that process %s', async (how) => {
    const bridge = await here.start();
    const { ready } = bridge;
    const owner = await signIn(ready.consoleUrl, ready.ownerLink.split('=')[1] ?? '');
    if (how === 'ends') client.child.stdin.end();
    else client.child.kill('SIGKILL');
    expect(await client.ended).toBe(how === 'ends' ? 0 : 'SIGKILL');
    await eventually(() => listeningPorts(pidOf(bridge)).sort()).toEqual(portsOf(ready).sort());
    expect((await owner.call('token_list')).status).toBe(200);
    const next = here.launch(['stdio', '--root', here.project]);
    next.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(JSON.parse(await firstLine(next))).toMatchObject({ id: 1 });
    expect(listeningPorts(pidOf(next))).toEqual([]);
    bridge.child.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    expect(bridge.stdout().trimEnd().split('\n')).toHaveLength(1);
    expect(namesIn(here.home)).not.toContain('bridge.lock');
  });

  it('closes the console when start is killed', async () => {
    const bridge = await here.start();
    expect(listeningPorts(pidOf(client))).toHaveLength(2);
    bridge.child.kill('SIGKILL');
    await eventually(() => listeningPorts(pidOf(client))).toEqual([]);
    await stillServesMcp();
  });

  it('is refused in plain words, and the client goes on', async () => {
    using other = await takenPort();
    const taken = await here.run('start', '--json', '--mcp-port', '0', '--console-port', other.port);
    expect([taken.code, taken.stdout]).toEqual([4, '']);
    expect(taken.stderr).toContain('--console-port');
    const missing = await here.run('start', '--json', '--mcp-port', '0', '--console-port', '0', '--project', 'none');
    expect([missing.code, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toContain('no such directory');
    expect(listeningPorts(pidOf(client))).toEqual([]);
    await stillServesMcp();
  });
});
