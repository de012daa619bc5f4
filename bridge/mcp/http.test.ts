// The MCP listener over a real socket: who gets in, what is refused before it costs anything, and what ends with a grant.
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Log } from '../base/log.ts';
import { mcpWorld, type McpWorld } from '../testing/mcp.ts';
import { rawHttp } from '../testing/raw-http.ts';
import { REQUEST_BODY_BYTES } from './limits.ts';

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const both = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

interface Message {
  id?: unknown;
  result?: { structuredContent?: { data: Record<string, unknown> }; tools?: unknown[]; content?: { text: string }[]; isError?: boolean };
  error?: { code: number; message: string };
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  message: Message;
}

interface Asking {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

async function post(url: string, body: unknown, { headers = {}, signal }: Asking = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...both, ...headers },
    body: text,
    ...(signal === undefined ? {} : { signal }),
  });
  return read(response);
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const data = text.startsWith('event:') || text.startsWith(':') ? (/^data: (.*)$/m.exec(text)?.[1] ?? 'null') : text || 'null';
  return { status: response.status, headers: response.headers, text, message: JSON.parse(data) as Message };
}

const bearerOf = (world: McpWorld, days = 1) => world.access.issue({ name: 'client', scopes: ['read'], days });
const auth = (bearer: string) => ({ authorization: `Bearer ${bearer}` });
const call = (id: unknown, name: string, args: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

/** A log whose lines a test can read. */
function listening(): Log & { lines: string[] } {
  const lines: string[] = [];
  const keep = (...parts: unknown[]) => void lines.push(JSON.stringify(parts));
  return { lines, info: keep, warn: keep, error: keep, debug: keep };
}

describe('who gets in', () => {
  it('S02 refuses none, wrong, revoked and expired alike with a challenge, before it reads a body', async () => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const revoked = bearerOf(world);
    world.access.revoke(revoked.token.tokenId);
    const expired = bearerOf(world);
    world.state.clock.advance(24 * 60 * 60 * 1000);
    const good = bearerOf(world);
    const wrong = [`${good.bearer}x`, good.bearer.slice(0, -1), revoked.bearer, expired.bearer, 'dbr_', '.'];
    for (const bearer of wrong) {
      const answer = await post(url, 'not even JSON', { headers: auth(bearer) });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="drawbridge", error="invalid_token"/);
      expect(answer.message.error?.code).toBe(-32001);
    }
    for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer' }, { authorization: good.bearer }]) {
      const answer = await post(url, list, { headers: headers as Record<string, string> });
      expect(answer.status).toBe(401);
      const where = `resource_metadata="${url}/.well-known/oauth-protected-resource/mcp", scope="dodo:read dodo:write dodo:exec"`;
      expect(answer.headers.get('www-authenticate')).toBe(`Bearer realm="drawbridge", ${where}`);
    }
    expect((await post(url, list, { headers: auth(good.bearer) })).status).toBe(200);
  });

  it('S02 answers nothing without a bearer but liveness, which tells nothing', async () => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect((await fetch(`${url}/mcp`, { method })).status, method).toBe(401);
    for (const path of ['/', '/api', '/ws', '/mcp/', '/mcp/x', '/.well-known/oauth-protected-resource', '/register'])
      expect((await fetch(url + path)).status, path).toBe(404);
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('{"ok":true}');
  });

  it('S05 takes a token from the header only, and writes it nowhere', async () => {
    const log = listening();
    await using world = await mcpWorld(undefined, log);
    const { url } = await world.listen();
    const { bearer } = bearerOf(world);
    const tries = [`access_token=${bearer}`, `token=${bearer}`, `bearer=${bearer}`];
    for (const query of tries) {
      const response = await fetch(`${url}/mcp?${query}`, { method: 'POST', headers: both, body: JSON.stringify(list) });
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain(bearer);
    }
    const cookie = await post(url, list, { headers: { cookie: `token=${bearer}` } });
    expect(cookie.status).toBe(401);
    await post(url, call(1, 'echo', { ...world.context, value: 'x' }), { headers: auth(bearer) });
    await post(url, call(1, 'echo', { ...world.context, value: 'x' }), { headers: auth(`${bearer}x`) });
    expect(log.lines.length).toBeGreaterThan(0);
    expect(log.lines.join('\n')).not.toContain(bearer);
    expect(JSON.stringify(world.state.store.prepare('SELECT * FROM events').all())).not.toContain(bearer);
  });

  it('S02 logs a failed proof with its peer and limits them, while the right one still gets in', async () => {
    const log = listening();
    await using world = await mcpWorld(undefined, log);
    const { url } = await world.listen();
    const { bearer } = bearerOf(world);
    const statuses: number[] = [];
    for (let n = 0; n < 60; n += 1) statuses.push((await post(url, list, { headers: auth(`dbr_${n}`) })).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(statuses.at(-1)).toBe(429);
    expect((await post(url, list, { headers: auth('dbr_x') })).headers.get('retry-after')).toMatch(/^\d+$/);
    const told = log.lines.filter((line) => line.includes('bearer refused'));
    expect(told[0]).toContain('127.0.0.1');
    expect(told.length).toBeLessThan(60);
    const account = world.events.list({ after: 0, limit: 100, kind: 'access.refused' });
    expect(account).toHaveLength(told.length);
    expect(account[0]?.body).toEqual({ surface: 'mcp', peer: '127.0.0.1', what: 'bearer' });
    expect((await post(url, list, { headers: auth(bearer) })).status).toBe(200);
  });

  it('S01 refuses foreign Hosts and Origins with the right bearer too, preflights included, and allows no origin', async () => {
    await using world = await mcpWorld();
    const { port } = await world.listen();
    const { bearer } = bearerOf(world);
    const body = JSON.stringify(list);
    const lines = (host: string, more: string[] = []) => [
      'POST /mcp HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${bearer}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${body.length}`,
      'Connection: close',
      ...more,
    ];
    const own = `127.0.0.1:${port}`;
    expect((await rawHttp(port, lines(own), body)).status).toBe(200);
    for (const host of ['evil.com', `127.0.0.1.evil.com:${port}`, 'localhost:1', `0.0.0.0:${port}`, `[::ffff:127.0.0.1]:${port}`])
      expect((await rawHttp(port, lines(host), body)).status, host).toBe(403);
    for (const origin of ['https://evil.com', 'null', `http://localhost:${port}@evil.com`])
      expect((await rawHttp(port, lines(own, [`Origin: ${origin}`]), body)).status, origin).toBe(403);
    const preflight = ['OPTIONS /mcp HTTP/1.1', `Host: ${own}`, 'Connection: close', 'Access-Control-Request-Method: POST'];
    for (const origin of ['https://evil.com', `http://${own}`]) {
      const answer = await rawHttp(port, [...preflight, `Origin: ${origin}`]);
      expect(answer.status).toBe(origin.includes('evil') ? 403 : 401);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('B38 a token ends by the clock of the bridge, whatever the client thinks the time is', async () => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const { bearer } = bearerOf(world, 1);
    const dated = { ...auth(bearer), date: new Date(Date.now() + 24 * 60 * 60 * 1000).toUTCString() };
    world.state.clock.advance(24 * 60 * 60 * 1000 - 60_000);
    expect((await post(url, list, { headers: dated })).status).toBe(200);
    world.state.clock.advance(60_000);
    expect((await post(url, list, { headers: dated })).status).toBe(401);
    world.state.clock.advance(-2 * 24 * 60 * 60 * 1000);
    expect((await post(url, list, { headers: dated })).status).toBe(401);
  });
});

describe('what it costs', () => {
  const levels = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`;
  const batch = JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
  const tiny = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${'{},'.repeat(4_000_000)}{}]}}`;
  it.each([
    ['100 levels', levels, 400, -32700],
    ['a body of open brackets', '['.repeat(1_000_000), 400, -32700],
    ['a batch of ten thousand', batch, 400, -32600],
    ['millions of tiny objects', tiny, 400, -32700],
    ['a key twice', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', 400, -32700],
    ['__proto__', '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"method":"tools/list"}}', 400, -32700],
    ['a huge exponent', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e999}}', 400, -32700],
    ['no JSON', '{', 400, -32700],
    ['nothing', '', 400, -32700],
  ])('S24 refuses %s and is free again for others', async (...[, body, status, code]) => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const headers = auth(bearerOf(world).bearer);
    const answer = await post(url, body, { headers });
    expect([answer.status, answer.message.error?.code]).toEqual([status, code]);
    expect(answer.message.error?.message).not.toMatch(/ at |node_modules/);
    expect((await post(url, list, { headers })).message.result?.tools).toHaveLength(8);
  });

  it('S24 refuses a 64 MB body by its announced length, and at 16 MiB when none is announced', async () => {
    await using world = await mcpWorld();
    const { url, port } = await world.listen();
    const { bearer } = bearerOf(world);
    const head = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${bearer}`, 'Content-Type: application/json'];
    const announced = await rawHttp(port, [...head, 'Content-Length: 67108864', 'Connection: close'], '{');
    expect(announced.status).toBe(413);
    expect(await drip(port, [...head, 'Transfer-Encoding: chunked', 'Connection: close'])).toMatch(/^HTTP\/1.1 413/);
    expect((await post(url, list, { headers: auth(bearer) })).status).toBe(200);
  });

  it('takes a body of 16 MiB', async () => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const headers = auth(bearerOf(world).bearer);
    const room = REQUEST_BODY_BYTES - JSON.stringify(call(1, 'echo', { ...world.context, value: '' })).length;
    const answer = await post(url, call(1, 'echo', { ...world.context, value: 'x'.repeat(room) }), { headers });
    expect((answer.message.result?.structuredContent?.data['value'] as string).length).toBe(room);
    expect((await post(url, call(1, 'echo', { ...world.context, value: 'x'.repeat(room + 1) }), { headers })).status).toBe(413);
  });

  it('S24 a form or a text that a page could send is not read as JSON', async () => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const headers = auth(bearerOf(world).bearer);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonx'])
      expect((await post(url, list, { headers: { ...headers, 'content-type': type } })).status, type).toBe(415);
  });
});

describe('what a session is', () => {
  it('B30 a 2025 client is never stuck on a session id that a restart has forgotten', async () => {
    // Nothing here is bound to the id of a session (it is only how a cancellation finds its call), so there is nothing a
    // restart could lose: where a stateful server answers 404 to make a client begin again, this one answers the request.
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const headers = auth(bearerOf(world).bearer);
    const stale = { ...headers, 'mcp-session-id': 'from-before-the-restart' };
    expect((await post(url, list, { headers: stale })).message.result?.tools).toHaveLength(8);
    const again = await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }, { headers: stale });
    expect(again.status).toBe(200);
    expect(again.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(again.headers.get('mcp-session-id')).not.toBe(stale['mcp-session-id']);
    expect((await post(url, list, { headers })).message.result?.tools).toHaveLength(8);
    for (const method of ['GET', 'DELETE'])
      expect((await fetch(`${url}/mcp`, { method, headers: { ...stale, accept: 'text/event-stream' } })).status).toBe(405);
  });

  it('B30 a 2026-07-28 request needs no session and is given none', async () => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    };
    const headers = { ...auth(bearerOf(world).bearer), 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const answer = await post(url, { ...list, params: { _meta: meta } }, { headers });
    expect(answer.message.result).toMatchObject({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' });
    expect(answer.message.result?.tools).toHaveLength(8);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  });

  it('cancels exactly the call that its client names', async () => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const headers = auth(bearerOf(world).bearer);
    const open = async () => {
      const answer = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params: hello }, { headers });
      return { ...headers, 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
    };
    const [first, second] = [await open(), await open()];
    const mine = post(url, call(5, 'wait', world.context), { headers: first });
    const abort = new AbortController();
    const others = post(url, call(5, 'wait', world.context), { headers: second, signal: abort.signal }).catch(() => 'gone');
    await expect.poll(() => world.seen.begun).toBe(2);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    expect((await post(url, cancel, { headers })).status).toBe(202);
    expect((await post(url, cancel, { headers: { ...first, ...auth(bearerOf(world).bearer) } })).status).toBe(202);
    expect(world.seen.cancelled).toBe(0);
    expect((await post(url, cancel, { headers: first })).status).toBe(202);
    expect((await mine).message).toBeNull();
    expect(world.seen.cancelled).toBe(1);
    abort.abort();
    expect(await others).toBe('gone');
    await expect.poll(() => world.seen.cancelled).toBe(2);
  });

  it('S06 a revoked token ends its open streams at once, and no other', async () => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const [first, second] = [bearerOf(world), bearerOf(world)];
    const ended = post(url, call(1, 'wait', world.context), { headers: auth(first.bearer) });
    const abort = new AbortController();
    const stays = post(url, call(1, 'wait', world.context), { headers: auth(second.bearer), signal: abort.signal }).catch(
      () => 'by its client',
    );
    await expect.poll(() => world.seen.begun).toBe(2);
    world.access.revoke(first.token.tokenId);
    expect((await ended).message).toBeNull();
    expect(world.seen.cancelled).toBe(1);
    expect((await post(url, list, { headers: auth(second.bearer) })).status).toBe(200);
    abort.abort();
    expect(await stays).toBe('by its client');
  });

  it('S23 200 calls at once under two grants with the same ids: each sees its own', async () => {
    await using world = await mcpWorld();
    const { url } = await world.listen();
    const grants = [auth(bearerOf(world).bearer), auth(bearerOf(world).bearer)];
    const jobs = Array.from({ length: 200 }, (_, n) => ({ id: n >> 1, headers: grants[n & 1] ?? {}, value: `call ${n}` }));
    const answers = await Promise.all(
      jobs.map(({ id, headers, value }) => post(url, call(id, 'echo', { ...world.context, value, afterMs: id % 5 }), { headers })),
    );
    expect(answers.map(({ message }) => [message.id, message.result?.structuredContent?.data])).toEqual(
      jobs.map(({ id, value }) => [id, { value }]),
    );
  });
});

/** Sends chunks without end until the other side has answered. */
function drip(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
    let answer = '';
    let sent = 0;
    const more = () => {
      while (answer === '' && sent++ < 64) if (!socket.write(chunk)) return;
    };
    socket.on('data', (data: Buffer) => (answer += data.toString('latin1')));
    socket.on('error', () => resolve(answer));
    socket.on('close', () => resolve(answer));
    socket.on('drain', more);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    more();
  });
}
