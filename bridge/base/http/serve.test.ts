// A real server on a free port: who may reach it, what it refuses before the app, and how it ends.
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { Fatal } from '../../failed.ts';
import { eventually } from '../../testing/eventually.ts';
import { rawHttp } from '../../testing/raw-http.ts';
import { silentLog } from '../log.ts';
import { readJson } from './body.ts';
import { jsonAnswer } from './headers.ts';
import { serveLoopback, type Listening, type WebApp } from './serve.ts';

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close()));
});

async function serve(app: WebApp, port = 0): Promise<Listening> {
  const listening = await serveLoopback({ app, port, log: silentLog, portFlag: '--console-port' });
  open.push(listening);
  return listening;
}

const echo: WebApp = { fetch: async (request, from) => jsonAnswer(200, { url: request.url, peer: from.peer }) };

describe('serveLoopback', () => {
  it('S01 answers its own names and refuses a missing Host with 403, not with 400', async () => {
    const { port } = await serve(echo);
    const own = await rawHttp(port, ['GET /x HTTP/1.1', `Host: localhost:${port}`, 'Connection: close']);
    expect(own.status).toBe(200);
    expect(own.body).toContain('127.0.0.1');
    for (const lines of [
      ['GET / HTTP/1.1'],
      ['GET / HTTP/1.0'],
      ['GET / HTTP/1.1', 'Host:'],
      ['GET http://evil.com/ HTTP/1.1', `Host: 127.0.0.1:${port}`],
    ])
      expect((await rawHttp(port, lines)).status).toBe(403);
  });

  it('S01 the app never sees a refused request (and does see it without the guard)', async () => {
    let seen = 0;
    const app: WebApp = {
      fetch: async () => jsonAnswer(200, { seen: ++seen }),
      upgrade: (_request, socket) => void (seen++, socket.destroy()),
    };
    const { port } = await serve(app);
    const evil = ['Host: evil.com', 'Connection: Upgrade', 'Upgrade: websocket'];
    expect((await rawHttp(port, ['GET / HTTP/1.1', 'Host: evil.com'])).status).toBe(403);
    expect((await rawHttp(port, ['GET /ws HTTP/1.1', ...evil])).status).toBe(403);
    expect(seen).toBe(0);
    await rawHttp(port, ['GET /ws HTTP/1.1', `Host: 127.0.0.1:${port}`, ...evil.slice(1)]);
    expect(seen).toBe(1);
  });

  it('is reachable on loopback only', async () => {
    const { port } = await serve(echo);
    const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address, internal, family } of others) {
      if (internal || family !== 'IPv4') continue;
      await expect(reach(port, address)).rejects.toThrow();
    }
    await expect(reach(port, '::1')).rejects.toThrow();
    await expect(reach(port, '127.0.0.1')).resolves.toBeUndefined();
  });

  it('ends the process with code 4 when its port is taken', async () => {
    const { port } = await serve(echo);
    const second = serve(echo, port);
    await expect(second).rejects.toThrow(Fatal);
    await expect(second).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining('--console-port') as string });
  });

  it('S24 refuses a 64 MB body by its announced length and by its real one', async () => {
    const app: WebApp = { fetch: async (request) => jsonAnswer(200, await readJson(request, 1024).catch((error: Error) => error.message)) };
    const { url } = await serve(app);
    const big = Buffer.alloc(64 * 1024 * 1024, 0x20);
    const headers = { 'content-type': 'application/json' };
    const announced = await fetch(url, { method: 'POST', headers, body: big }).then(
      (answer) => answer.text(),
      (error: Error) => String(error.cause),
    );
    expect(announced).toMatch(/larger than the 1024 bytes|EPIPE|ECONNRESET|closed/);
    async function* drip() {
      for (let sent = 0; sent < 64; sent++) yield big.subarray(0, 1024 * 1024);
    }
    const stream = ReadableStream.from(drip());
    const dripped = await fetch(url, { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit).then(
      (answer) => answer.text(),
      (error: Error) => String(error.cause),
    );
    expect(dripped).toMatch(/larger than the 1024 bytes|EPIPE|ECONNRESET|closed/);
  });

  it('a fault of the app is a 500 without its words', async () => {
    const { url } = await serve({ fetch: async () => Promise.reject(new Error('CANARY')) });
    const answer = await fetch(url);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('CANARY');
  });

  it('tells the app when the client has gone, and closes under an open stream', async () => {
    let signal: AbortSignal | undefined;
    const { url, close } = await serve({
      fetch: async (request) => {
        signal = request.signal;
        return new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('hello')) }));
      },
    });
    const abort = new AbortController();
    const answer = await fetch(url, { signal: abort.signal });
    await answer.body?.getReader().read();
    abort.abort();
    await eventually(() => signal?.aborted).toBe(true);
    void fetch(url)
      .then((stream) => stream.text())
      .catch(() => 'ended');
    await eventually(() => signal?.aborted).toBe(false);
    await close();
  });
});

function reach(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
    socket.setTimeout(2_000, () => socket.destroy(new Error('no answer')));
  });
}
