// The built program as scripts hold on to it: its lines, its exit codes, its signals, and what it leaves behind.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { openStream, signIn } from '../testing/console.ts';
import { firstLine, namesIn, place, type Place, type Ready, takenPort } from '../testing/program.ts';

let here: Place;
beforeEach(() => void (here = place()));
afterEach(() => here[Symbol.asyncDispose]());

describe('start', () => {
  it('prints one JSON line once both listeners accept, and nothing else on stdout until it ends', async () => {
    const bridge = await here.start('--project', here.project);
    const { ready } = bridge;
    expect(Object.keys(ready)).toEqual(['version', 'pid', 'mcpUrl', 'consoleUrl', 'ownerLink', 'home', 'projects']);
    expect(ready).toMatchObject({ pid: bridge.child.pid, home: here.home, projects: [{ root: here.project }] });
    expect(ready.ownerLink).toMatch(new RegExp(`^${ready.consoleUrl}/#link=[\\w-]{43}$`));
    expect((await fetch(new URL('/healthz', ready.mcpUrl))).status).toBe(200);
    expect((await fetch(`${ready.consoleUrl}/api/session`)).status).toBe(401);
    await here.run('link');
    bridge.child.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    expect(bridge.stdout().trimEnd().split('\n')).toHaveLength(1);
    expect(readdirSync(here.home).filter((name) => /lock|sock/.test(name))).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends cleanly on %s, also when it comes twice and while streams are open',
    async (signal) => {
      const bridge = await here.start();
      const session = await signIn(bridge.ready.consoleUrl, bridge.ready.ownerLink.split('=')[1] ?? '');
      const stream = await openStream(bridge.ready.consoleUrl, '/ws', { headers: { cookie: session.cookie } });
      bridge.child.kill(signal);
      bridge.child.kill(signal);
      expect(await bridge.ended).toBe(0);
      await stream.closed;
    },
  );

  it('ends in order when the signal comes while it starts', async () => {
    const bridge = here.launch(['start', '--json', '--mcp-port', '0', '--console-port', '0']);
    await eventually(() => namesIn(here.home)).toContain('bridge.lock');
    bridge.child.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    expect(namesIn(here.home)).not.toContain('bridge.lock');
  });

  it('speaks to a person without --json, and opens no browser where there is no terminal', async () => {
    const bridge = here.launch(['start', '--mcp-port', '0', '--console-port', '0', '--project', here.project]);
    await eventually(bridge.stdout).toContain('Ctrl-C ends it.');
    expect(bridge.stdout()).toMatch(/console {3}http:\/\/127\.0\.0\.1:\d+\/#link=/);
    expect(bridge.stdout()).toContain(here.project);
  });

  it('S05 leaves everything readable by its owner alone, and no secret in log or state', async () => {
    const bridge = await here.start();
    const { bearer } = JSON.parse((await here.run('token', '--name', 'x', '--json')).stdout) as { bearer: string };
    const code = bridge.ready.ownerLink.split('=')[1] ?? '';
    const { cookie, csrf } = await signIn(bridge.ready.consoleUrl, code);
    const secrets = [bearer, code, cookie.split('=')[1] ?? '', csrf];
    expect(statSync(here.home).mode & 0o777).toBe(0o700);
    const entries = readdirSync(here.home, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
      if (!entry.isFile()) continue;
      const text = readFileSync(path, 'latin1');
      expect([path, secrets.filter((secret) => text.includes(secret))]).toEqual([path, []]);
    }
    expect(secrets.filter((secret) => bridge.stderr().includes(secret))).toEqual([]);
    const commandLine = readFileSync(`/proc/${bridge.child.pid}/cmdline`, 'latin1');
    expect(secrets.filter((secret) => commandLine.includes(secret))).toEqual([]);
  });

  it('S15 what its environment holds reaches no log, no state and no answer', async () => {
    const secret = { AWS_SECRET_ACCESS_KEY: 'CANARY', DRAWBRIDGE_LOG: 'debug' };
    const bridge = here.launch(['start', '--json', '--mcp-port', '0', '--console-port', '0'], secret);
    const ready = JSON.parse(await firstLine(bridge)) as Ready;
    const owner = await signIn(ready.consoleUrl, ready.ownerLink.split('=')[1] ?? '');
    const answers = [
      await owner.call('bridge_status'),
      await owner.call('event_list'),
      await owner.call('project_add', { root: '/proc/self' }),
    ];
    bridge.child.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
    const state = namesIn(here.home)
      .filter((name) => name.startsWith('state'))
      .map((name) => readFileSync(join(here.home, name), 'latin1'));
    for (const text of [bridge.stdout(), bridge.stderr(), JSON.stringify(answers), ...state]) expect(text).not.toContain('CANARY');
  });

  it('S05 a token holds from the next request on until it is revoked', async () => {
    const { ready } = await here.start('--project', here.project);
    const { bearer, token } = JSON.parse((await here.run('token', '--name', 'x', '--json')).stdout) as {
      bearer: string;
      token: { tokenId: string };
    };
    const list = () =>
      fetch(ready.mcpUrl, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      }).then(({ status }) => status);
    expect(await list()).toBe(200);
    const owner = await signIn(ready.consoleUrl, ready.ownerLink.split('=')[1] ?? '');
    expect((await owner.call('token_revoke', { tokenId: token.tokenId })).status).toBe(200);
    expect(await list()).toBe(401);
  });
});

describe('exit codes', () => {
  it.each([
    [[]],
    [['bogus']],
    [['start', '--bogus']],
    [['start', '--mcp-port', '70000']],
    [['start', 'extra']],
    [['stdio']],
    [['stdio', '--root', '.', '--tools', 'all']],
    [['token']],
    [['token', 'revoke']],
    [['project', 'bogus']],
    [['stdio', '--root', '.', '--json']],
    [['connect', 'codex', '--json']],
    [['token', '--name', 'x', '--scopes', 'owner']],
    [['connect', 'emacs']],
    [['project', 'add']],
  ])('2 for the wrong usage %j, with nothing on stdout and nothing begun', async (args) => {
    const { code, stdout, stderr } = await here.run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
    expect(namesIn(here.home)).toEqual([]);
  });

  it('0 for help and version', async () => {
    expect(await here.run('--help')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('doctor') as string });
    expect(await here.run('--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
  });

  it('3 when another bridge owns the state folder, naming its process and its console', async () => {
    const { ready } = await here.start();
    const second = await here.run('start', '--json', '--mcp-port', '0', '--console-port', '0');
    expect([second.code, second.stdout]).toEqual([3, '']);
    expect(second.stderr).toContain(`process ${ready.pid}`);
    expect(second.stderr).toContain(ready.consoleUrl);
    expect((await fetch(`${ready.consoleUrl}/api/session`)).status).toBe(401);
  });

  it('3 for all but one of many that start at once', async () => {
    const all = Array.from({ length: 4 }, () => here.launch(['start', '--json', '--mcp-port', '0', '--console-port', '0']));
    const codes = await Promise.all(
      all.map((one) =>
        Promise.race([
          firstLine(one).then(
            () => 'up',
            () => one.ended,
          ),
          one.ended,
        ]),
      ),
    );
    expect(codes.sort()).toEqual([3, 3, 3, 'up']);
  });

  it('4 when a port is taken, naming the flag; the state folder is free again', async () => {
    using other = await takenPort();
    const taken = await here.run('start', '--json', '--mcp-port', '0', '--console-port', other.port);
    expect([taken.code, taken.stdout]).toEqual([4, '']);
    expect(taken.stderr).toContain('--console-port');
    expect((await here.run('project', 'list')).code).toBe(0);
  });

  it('1 when what was asked for failed, in plain words', async () => {
    const refused = await here.run('start', '--json', '--mcp-port', '0', '--console-port', '0', '--project', join(here.project, 'none'));
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('no such directory');
    expect(await here.run('link')).toMatchObject({ code: 1, stdout: '' });
    expect(await here.run('approve', 'apr_none')).toMatchObject({ code: 1, stdout: '' });
    expect(await here.run('project', 'remove', 'none')).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('after kill -9', () => {
  it('the next start takes over, sessions included', async () => {
    const killed = await here.start();
    const owner = await signIn(killed.ready.consoleUrl, killed.ready.ownerLink.split('=')[1] ?? '');
    const port = new URL(killed.ready.consoleUrl).port;
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    expect(namesIn(here.home)).toEqual(expect.arrayContaining(['bridge.lock', 'bridge.sock']));
    expect((await here.run('link')).code).toBe(1);
    const next = await here.start('--console-port', port);
    expect(next.ready.consoleUrl).toBe(killed.ready.consoleUrl);
    await eventually(() =>
      owner.call('token_list').then(
        ({ status }) => status,
        () => 'closed',
      ),
    ).toBe(200);
    expect((await here.run('link')).stdout).toMatch(/#link=/);
  });

  it('a record without its process is believed by no command', async () => {
    const bridge = await here.start();
    const record = readFileSync(join(here.home, 'bridge.lock'), 'utf8');
    bridge.child.kill('SIGTERM');
    await bridge.ended;
    writeFileSync(join(here.home, 'bridge.lock'), record.replace(/"pid":\d+/, `"pid":${process.pid}`));
    expect((await here.run('link')).code).toBe(1);
    expect((await here.run('project', 'list')).code).toBe(0);
  });
});
