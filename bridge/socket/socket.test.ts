// A real private socket: lines and raw bytes cross it unbroken, and no one but this user can reach it.
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../base/log.ts';
import { Failed, Fatal } from '../failed.ts';
import { eventually } from '../testing/eventually.ts';
import { removeFolder, temporaryFolder } from '../testing/folder.ts';
import type { Invocation, Invoke } from '../invocation/progress.ts';
import { chooseSocketPath, removeSocket } from './address.ts';
import type { Attach } from './attach.ts';
import { borrowConsole, callBridge, connectToBridge, pipeStdio } from './client.ts';
import { createLend } from './lend.ts';
import { takeLock, type Lock } from './lock.ts';
import { liveRecord, recordFile, writeRecord } from './record.ts';
import { serveSocket, type SocketServer } from './server.ts';

let home: string;
let ends: (() => void | Promise<void>)[] = [];
beforeEach(() => {
  home = temporaryFolder('sock');
  ends = [() => removeFolder(home)];
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

async function lock(folder = home): Promise<Lock> {
  const taken = await takeLock(folder);
  ends.push(() => taken.release());
  return taken;
}

/** Answers an owner's call with what was asked, so that a test sees what crossed. */
const echo: Invoke = async (invocation: Invocation) => ({
  envelope: {
    ok: true,
    workspaceId: null,
    workspaceEpoch: null,
    data: { operation: invocation.operation, input: invocation.input as never, caller: invocation.caller().kind },
    error: null,
    warnings: [],
    truncated: false,
    nextCursor: null,
  },
  images: [],
});

/** Sends everything back until the client ends. */
const mirror: Attach = async ({ root }, { input, output }) => {
  if (root === '/nowhere') throw new Failed('NOT_FOUND', 'There is no such folder.');
  input.pipe(output, { end: false });
  return { closed: new Promise((resolve) => input.once('end', resolve)), close: () => undefined };
};

/** Lends a console of no ports, and counts how often it was opened and closed. */
function lender() {
  const counts = { opened: 0, closed: 0 };
  const parts = {
    address: { consoleUrl: null },
    listen: async ({ mcpPort }: { mcpPort: number }) => {
      if (mcpPort === 99) throw new Fatal(4, 'Port 99 is taken.');
      counts.opened += 1;
    },
    unlisten: async () => void (counts.closed += 1),
    addProjects: async ([root]: readonly string[]) => {
      if (root === '/nowhere') throw new Failed('NOT_FOUND', 'There is no such folder.');
    },
    facts: async () => ({ mcpUrl: null, consoleUrl: 'http://127.0.0.1:3', ownerLink: 'l', projects: [] }),
    publish: () => undefined,
  };
  return { counts, lend: createLend(parts) };
}

async function serve(attach: Attach = mirror, lend = lender().lend): Promise<SocketServer> {
  const held = await lock();
  const path = chooseSocketPath(home);
  const server = await serveSocket({
    path,
    invoke: echo,
    attach,
    lend,
    log: silentLog,
    access: { ownerCaller: (name) => ({ kind: 'owner', principal: 'owner', name, scopes: new Set(['owner']), projectIds: null }) },
  });
  held.publish({ mcpUrl: null, consoleUrl: 'http://127.0.0.1:1', socketPath: path });
  ends.push(() => server.close());
  return server;
}

async function client() {
  const socket = await connectToBridge(home);
  if (socket === null) throw new Error('no bridge');
  ends.push(() => void socket.destroy());
  return socket;
}

describe('private socket', () => {
  it('S05 is for its owner alone', async () => {
    await serve();
    expect(statSync(join(home, 'bridge.sock')).mode & 0o777).toBe(0o600);
    expect(statSync(recordFile(home)).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'bridge.mutex')).mode & 0o777).toBe(0o600);
  });

  it('carries an owner call and its answer', async () => {
    await serve();
    const answer = await callBridge(await client(), 'token_list', { text: 'a\u2028b\nc' });
    expect(answer.data).toEqual({ operation: 'token_list', input: { text: 'a\u2028b\nc' }, caller: 'owner' });
  });

  it.each([['not json'], ['{}'], ['{"call":{"operation":"a"}}'], ['{"stdio":{"root":"/x"},"call":{}}'], ['[' + '['.repeat(200)]])(
    'refuses the hello %s with one answer',
    async (line) => {
      await serve();
      const socket = await client();
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.write(`${line}\n`);
      await new Promise((resolve) => socket.once('end', resolve));
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
    },
  );

  it('carries a stdio client unbroken, from the first byte to the last', async () => {
    await serve();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const sent = Buffer.from(Array.from({ length: 400_000 }, (_, n) => (n * 7) % 251));
    const received: Buffer[] = [];
    output.on('data', (chunk: Buffer) => received.push(chunk));
    const ended = pipeStdio(await client(), { root: '/some/where', tools: null }, { input, output });
    for (let at = 0; at < sent.length; at += 3_333) input.write(sent.subarray(at, at + 3_333));
    input.end();
    expect(await ended).toEqual({ endedBy: 'client' });
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  it('tells a stdio client why it was refused, and that the bridge has gone', async () => {
    const server = await serve();
    const streams = () => ({ input: new PassThrough(), output: new PassThrough() });
    expect(await pipeStdio(await client(), { root: '/nowhere', tools: null }, streams())).toMatchObject({ refusal: { code: 'NOT_FOUND' } });
    const { input, output } = streams();
    const ended = pipeStdio(await client(), { root: '/some/where', tools: null }, { input, output });
    input.write('hello');
    await once(output, 'data');
    await server.close();
    expect(await ended).toEqual({ endedBy: 'bridge' });
    expect(await connectToBridge(home)).toBeNull();
  });

  it('lends its console to one at a time, and takes it back from one that is gone', async () => {
    const { counts, lend } = lender();
    const server = await serve(mirror, lend);
    const wish = { mcpPort: 0, consolePort: 0, tools: null, roots: [] };
    const first = await borrowConsole(await client(), wish);
    expect(first?.facts.consoleUrl).toBe('http://127.0.0.1:3');
    await expect(borrowConsole(await client(), wish)).rejects.toMatchObject({ exitCode: 3 });
    await first?.close();
    expect(counts).toEqual({ opened: 1, closed: 1 });
    const killed = await client();
    await borrowConsole(killed, wish);
    killed.destroy();
    await eventually(() => counts).toEqual({ opened: 2, closed: 2 });
    const last = await borrowConsole(await client(), wish);
    await server.close();
    await last?.gone;
    await eventually(() => counts).toEqual({ opened: 3, closed: 3 });
  });

  it.each([
    [
      { mcpPort: 99, consolePort: 0, tools: null, roots: [] },
      { exitCode: 4, message: 'Port 99 is taken.' },
    ],
    [{ mcpPort: 0, consolePort: 0, tools: null, roots: ['/nowhere'] }, { code: 'NOT_FOUND' }],
    [{ mcpPort: -1, consolePort: 0, tools: null, roots: [] }, { code: 'INVALID_INPUT' }],
  ])('says why the console for %j could not be opened, and can lend it then', async (wish, refusal) => {
    const { counts, lend } = lender();
    await serve(mirror, lend);
    await expect(borrowConsole(await client(), wish)).rejects.toMatchObject(refusal);
    await (await borrowConsole(await client(), { mcpPort: 0, consolePort: 0, tools: null, roots: [] }))?.close();
    expect(counts.opened).toBeLessThanOrEqual(counts.closed);
  });

  it('takes a short path when the state folder is too deep for a socket', async () => {
    const deep = join(home, 'd'.repeat(120));
    mkdirSync(deep);
    const path = chooseSocketPath(deep);
    expect(Buffer.byteLength(path)).toBeLessThan(104);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    removeSocket(deep, path);
    expect(() => statSync(dirname(path))).toThrow();
    writeFileSync(join(home, 'kept'), '');
    removeSocket(home, join(home, 'bridge.sock'));
    expect(readdirSync(home)).toContain('kept');
  });

  it('replaces a socket file that a killed bridge left', async () => {
    const left = join(home, 'bridge.sock');
    writeFileSync(left, '');
    await serve();
    (await client()).destroy();
  });
});

describe('lock', () => {
  it('names the process and the console that own the folder, with exit code 3', async () => {
    await serve();
    const second = takeLock(home);
    await expect(second).rejects.toThrow(Fatal);
    await expect(second).rejects.toMatchObject({ exitCode: 3 });
    await expect(second).rejects.toThrow(new RegExp(`process ${process.pid}.*http://127\\.0\\.0\\.1:1`));
  });

  it('is free again after release, and leaves no record', async () => {
    const first = await takeLock(home);
    first.release();
    expect(liveRecord(home)).toBeNull();
    await lock();
  });

  it('believes no record whose process is gone or is another one of the same id', async () => {
    const facts = { mcpUrl: null, consoleUrl: 'http://127.0.0.1:2', socketPath: null };
    writeRecord(home, { pid: process.pid, startedAt: 'another time', ...facts });
    expect(liveRecord(home)).toBeNull();
    writeRecord(home, { pid: 2 ** 22 + 1, startedAt: null, ...facts });
    expect(liveRecord(home)).toBeNull();
    expect((await lock()).stale).toMatchObject({ consoleUrl: 'http://127.0.0.1:2' });
  });

  it.each([[''], ['{'], ['null'], ['{"pid":"1"}'], ['{"pid":-1,"startedAt":null}']])(
    'reads the damaged record %j as none',
    async (text) => {
      writeFileSync(recordFile(home), text);
      expect(liveRecord(home)).toBeNull();
      expect((await lock()).stale).toBeNull();
    },
  );
});
