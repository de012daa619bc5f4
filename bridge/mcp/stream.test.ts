// One client over a pair of streams: what it may get wrong, what it may ask at once, and how it goes.
import { once } from 'node:events';
import type { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { mcpWorld, type McpWorld } from '../testing/mcp.ts';
import { LineTransport } from './lines.ts';
import { REQUEST_BODY_BYTES } from './limits.ts';

interface Line {
  id?: unknown;
  result?: { content?: { text: string }[]; isError?: boolean; structuredContent?: { data: Record<string, unknown> } };
  error?: { code: number; message: string };
}

/** A client that writes what it is told and reads lines. */
function wire({ toServer, fromServer }: { toServer: PassThrough; fromServer: PassThrough }) {
  const lines: Line[] = [];
  let text = '';
  fromServer.setEncoding('utf8');
  fromServer.on('data', (chunk: string) => {
    text += chunk;
    const parts = text.split('\n');
    text = parts.pop() ?? '';
    lines.push(...parts.map((part) => JSON.parse(part) as Line));
    fromServer.emit('lines');
  });
  const until = async (isMet: () => boolean) => {
    while (!isMet()) await once(fromServer, 'lines');
  };
  const send = (message: unknown) => toServer.write(typeof message === 'string' ? `${message}\n` : `${JSON.stringify(message)}\n`);
  return {
    lines,
    send,
    count: (n: number) => until(() => lines.length >= n).then(() => lines),
    answer: async (id: unknown) => {
      await until(() => lines.some((line) => line.id === id));
      return lines.find((line) => line.id === id) as Line;
    },
  };
}

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'wire', version: '1' } };
const call = (id: unknown, name: string, args: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

async function connected(world: McpWorld) {
  const connection = world.connect();
  const client = wire(connection);
  client.send({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: hello });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await client.answer('hello');
  return { ...connection, client };
}

describe('stream', () => {
  it.each([
    ['no JSON', '{"jsonrpc":"2.0",', -32700, null],
    ['100 levels', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`, -32700, null],
    ['a key twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700, null],
    [
      '__proto__',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"value":"x"}}}}',
      -32700,
      null,
    ],
    ['a huge exponent', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e999}}', -32700, null],
    [
      'a batch of ten thousand',
      JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))),
      -32600,
      null,
    ],
    ['not JSON-RPC', '{"id":7,"hello":true}', -32600, 7],
    ['a number', '42', -32600, null],
  ])('S24 answers %s with an error and goes on', async (...[, line, code, id]) => {
    await using world = await mcpWorld();
    const { client } = await connected(world);
    client.send(line);
    client.send(call('after', 'echo', { ...world.context, value: 'still here' }));
    const answer = await client.answer('after');
    expect(client.lines.find((candidate) => candidate.error !== undefined)).toMatchObject({ id, error: { code } });
    expect(answer.result?.structuredContent?.data).toEqual({ value: 'still here' });
  });

  it('S24 answers damaged UTF-8 with an error, because a file could be written from it', async () => {
    await using world = await mcpWorld();
    const { client, toServer } = await connected(world);
    const whole = Buffer.from(JSON.stringify(call('cut', 'echo', { ...world.context, value: 'caf\u00e9' })));
    toServer.write(Buffer.concat([whole.subarray(0, whole.indexOf(0xa9)), Buffer.from('"}}}\n')]));
    client.send(call('after', 'echo', { ...world.context, value: 'caf\u00e9' }));
    expect((await client.answer('after')).result?.structuredContent?.data).toEqual({ value: 'caf\u00e9' });
    expect(client.lines.find((line) => line.error !== undefined)?.error?.code).toBe(-32700);
  });

  it('takes a message of nearly 16 MiB, and refuses a longer one without ending the connection', async () => {
    await using world = await mcpWorld();
    const { client } = await connected(world);
    const room = REQUEST_BODY_BYTES - JSON.stringify(call('large', 'echo', { ...world.context, value: '' })).length;
    client.send(call('large', 'echo', { ...world.context, value: 'x'.repeat(room) }));
    client.send(call('larger', 'echo', { ...world.context, value: 'x'.repeat(room + 100) }));
    client.send('x'.repeat(64 * 1024 * 1024));
    client.send(call('after', 'echo', { ...world.context, value: 'y' }));
    expect((await client.answer('after')).result?.isError).toBeUndefined();
    const large = await client.answer('large');
    expect((large.result?.structuredContent?.data['value'] as string).length).toBe(room);
    expect(Buffer.byteLength(large.result?.content?.[0]?.text ?? '')).toBeLessThanOrEqual(64 * 1024);
    const refused = client.lines.filter((line) => line.error !== undefined);
    expect(refused.map((line) => line.error?.code)).toEqual([-32600, -32600]);
    expect(refused[0]?.error?.message).toMatch(/longer than 16777216 bytes/);
    expect(refused.map((line) => line.id)).toEqual(['larger', null]);
  });

  it('answers what was asked when the client closes its end at once, then ends', async () => {
    await using world = await mcpWorld();
    const connection = world.connect();
    const client = wire(connection);
    client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
    client.send(call(2, 'read_note', { ...world.context, name: 'a.txt' }));
    connection.toServer.end();
    await connection.served.closed;
    expect((await client.answer(2)).result?.structuredContent?.data).toMatchObject({ text: 'alpha\n' });
  });

  it('ends a call that a client cancels, and every call of a client that goes', async () => {
    await using world = await mcpWorld();
    const { client, toServer, fromServer, served } = await connected(world);
    for (const id of [1, 2, 3]) client.send(call(id, 'wait', world.context));
    await expect.poll(() => world.seen.begun).toBe(3);
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await expect.poll(() => world.seen.cancelled).toBe(1);
    fromServer.destroy();
    toServer.destroy();
    await served.closed;
    await expect.poll(() => world.seen.cancelled).toBe(3);
    expect(client.lines.map((line) => line.id)).toEqual(['hello']);
  });

  it('a client that is gone is not a fault', async () => {
    await using world = await mcpWorld();
    const { client, fromServer, served } = await connected(world);
    client.send(call(1, 'echo', { ...world.context, value: 'x', afterMs: 50 }));
    fromServer.destroy(new Error('broken pipe'));
    await served.closed;
    await served.close();
  });

  it('S23 two clients with the same ids and 200 calls at once each see only their own', async () => {
    await using world = await mcpWorld();
    const clients = await Promise.all([connected(world), connected(world)]);
    for (let id = 0; id < 200; id += 1)
      for (const [n, { client }] of clients.entries())
        client.send(call(id, 'echo', { ...world.context, value: `client ${n} call ${id}`, afterMs: id % 7 }));
    for (const [n, { client }] of clients.entries()) {
      await client.count(201);
      expect(client.lines).toHaveLength(201);
      for (let id = 0; id < 200; id += 1)
        expect((await client.answer(id)).result?.structuredContent?.data).toEqual({ value: `client ${n} call ${id}` });
    }
  });

  it('is an ordinary transport at both ends', async () => {
    await using world = await mcpWorld();
    const { toServer, fromServer } = world.connect();
    const transport = new LineTransport({ input: fromServer, output: toServer });
    const answered = new Promise((resolve) => (transport.onmessage = resolve));
    await transport.start();
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
    expect(await answered).toMatchObject({ id: 1, result: { serverInfo: { name: 'drawbridge' } } });
  });
});
