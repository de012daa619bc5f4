// The product over stdio: nothing but JSON-RPC on standard output whatever else is said, no TCP port, and a clean end.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { entry, place, repositoryAt, start } from './product.ts';

interface Message {
  jsonrpc: string;
  id?: number;
  result?: { structuredContent?: { data: Record<string, unknown> }; content?: { text: string }[]; serverInfo?: { name: string } };
  error?: { code: number };
}

/** A program that, loaded before ours, says things on standard output from the moment that ours begins to read. */
const chatterbox = `
process.stdin.on('newListener', (event) => {
  if (event !== 'data') return;
  console.log('a stray console.log');
  console.info('a stray console.info');
  process.stdout.write('a stray write\\n');
  process.emitWarning('an old thing was used', 'DeprecationWarning');
});
`;

function speak(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { cwd, stdio: 'pipe', env: { ...process.env, ...env } });
  const lines: string[] = [];
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const waiting: (() => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const wake of waiting.splice(0)) wake();
  });
  const gone = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const messages = () => lines.map((line) => JSON.parse(line) as Message);
  return {
    child,
    lines,
    gone,
    log: () => log,
    send: (...sent: unknown[]) => child.stdin.write(sent.map((message) => `${JSON.stringify(message)}\n`).join('')),
    async answer(id: number): Promise<Message> {
      for (;;) {
        const found = messages().find((message) => message.id === id);
        if (found !== undefined) return found;
        const ended = await Promise.race([gone.then(() => true), new Promise<void>((resolve) => waiting.push(resolve))]);
        if (ended === true) throw new Error(`It ended before it answered ${id}: ${log}`);
      }
    },
  };
}

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '1' } };
const opening = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
];
const call = (id: number, name: string, args: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });

/** The TCP ports on which a process listens. Linux tells it by the inodes of its sockets. */
function portsOf(pid: number): string[] {
  const fds = `/proc/${pid}/fd`;
  const inodes = new Set(readdirSync(fds).map((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(join(fds, fd)))?.[1]));
  const rows = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n').slice(1));
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((row) => row[3] === '0A' && inodes.has(row[9]))
    .map((row) => row[1] ?? '');
}

describe('stdio', () => {
  it.each(['alone', 'attached to a running bridge'])(
    'B29 %s, every line on standard output is JSON-RPC whatever else is said',
    async (how) => {
      using here = place();
      const home = join(here.path, 'home');
      const root = repositoryAt(join(here.path, 'shop'), { 'a.txt': 'alpha\n', '.env': 'SECRET=CANARY\nDEBUG=*\n' });
      await using bridge = how === 'alone' ? null : await start(home, '--project', root);
      const preload = join(here.path, 'chatterbox.mjs');
      writeFileSync(preload, chatterbox);
      const args = ['--import', preload, entry, 'stdio', '--home', home, '--root', root];
      const client = speak(args, root, { NODE_OPTIONS: '--pending-deprecation', DRAWBRIDGE_LOG: 'debug' });
      client.send(...opening);
      expect((await client.answer(1)).result?.serverInfo?.name).toBe('drawbridge');
      client.send(call(2, 'project_overview', {}), call(3, 'read_files', { files: [] }));
      client.child.stdin.write('not JSON at all\n');
      client.send(call(4, 'project_overview', {}));
      expect((await client.answer(4)).result?.structuredContent?.data['workspaceId']).toMatch(/^ws_/);
      client.child.stdin.end();
      expect(await client.gone).toBe(0);
      expect(client.lines.length).toBeGreaterThanOrEqual(5);
      for (const line of client.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
      for (const stray of ['a stray console.log', 'a stray console.info', 'a stray write', 'an old thing was used'])
        expect(client.log()).toContain(stray);
      expect(client.lines.join('\n') + client.log()).not.toContain('CANARY');
      expect(bridge?.child.exitCode ?? null).toBeNull();
    },
  );

  it('S02 alone it opens no TCP port, and a started bridge does', async () => {
    using here = place();
    const root = repositoryAt(join(here.path, 'shop'), { 'a.txt': 'alpha\n' });
    const client = speak([entry, 'stdio', '--home', join(here.path, 'stdio'), '--root', root], root);
    client.send(...opening);
    await client.answer(1);
    await using bridge = await start(join(here.path, 'started'));
    if (process.platform === 'linux') {
      expect(portsOf(client.child.pid ?? 0)).toEqual([]);
      expect(portsOf(bridge.line.pid)).toHaveLength(2);
    }
    client.child.kill('SIGTERM');
    expect(await client.gone).toBe(0);
  });

  it.each(['alone', 'attached to a running bridge'])('%s, it answers a script that writes everything at once and closes', async (how) => {
    using here = place();
    const home = join(here.path, 'home');
    const root = repositoryAt(join(here.path, 'shop'), { 'a.txt': 'alpha\n' });
    await using bridge = how === 'alone' ? null : await start(home);
    const client = speak([entry, 'stdio', '--home', home, '--root', root], root);
    client.send(...opening, call(2, 'project_overview', {}));
    client.child.stdin.end();
    expect((await client.answer(2)).result?.structuredContent?.data['project']).toMatchObject({ name: 'shop' });
    expect(await client.gone).toBe(0);
    expect(bridge?.child.exitCode ?? null).toBeNull();
  });

  it('B30 a bridge that restarts under an attached client is said so, and the next process goes on', async () => {
    using here = place();
    const home = join(here.path, 'home');
    const root = repositoryAt(join(here.path, 'shop'), { 'a.txt': 'alpha\n' });
    const first = await start(home, '--project', root);
    const args = [entry, 'stdio', '--home', home, '--root', root];
    const client = speak(args, root);
    client.send(...opening);
    await client.answer(1);
    await first.stop();
    expect(await client.gone).toBe(1);
    expect(client.log()).toMatch(/bridge has ended/);
    await using second = await start(home, '--project', root);
    const again = speak(args, root);
    again.send(...opening, call(2, 'project_overview', {}));
    expect((await again.answer(2)).result?.structuredContent?.data['workspaceId']).toMatch(/^ws_/);
    again.child.stdin.end();
    expect(await again.gone).toBe(0);
    expect(second.child.exitCode).toBeNull();
  });
});
