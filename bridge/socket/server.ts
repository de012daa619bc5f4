// The private socket: the owner's own terminal commands, and stdio clients that attach to this bridge. The folder's rights are its guard.
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Envelope } from '#shared/envelope.ts';
import type { Failure } from '#shared/failure.ts';
import { parseJson } from '../base/http/json.ts';
import type { Log } from '../base/log.ts';
import { Failed, Fatal } from '../failed.ts';
import { normalise } from '../invocation/normalise.ts';
import type { Invoke } from '../invocation/progress.ts';
import type { Caller } from '../operation.ts';
import { Hello, type ConsoleWish, type StdioWish } from './hello.ts';
import type { Lend } from './lend.ts';
import type { Attach } from './attach.ts';
import { takeLine } from './line.ts';

export interface SocketParts {
  path: string;
  invoke: Invoke;
  access: { ownerCaller(name: string): Caller };
  /** Registers the folder if it is not yet and serves MCP on the streams. */
  attach: Attach;
  lend: Lend;
  log: Log;
}

export interface SocketServer {
  close(): Promise<void>;
}

const HELLO_LIMITS = { limitBytes: 20 * 1024 * 1024, timeoutMs: 10_000 };
const CONNECTIONS_MAX = 256;

/** Resolves once connections are accepted. The caller holds the lock, so what lies at the path is left over. */
export async function serveSocket(parts: SocketParts): Promise<SocketServer> {
  const open = new Set<Socket>();
  rmSync(parts.path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', (error) => parts.log.debug({ err: error }, 'private socket'));
    serveConnection(parts, socket).catch((error: unknown) => {
      parts.log.error({ err: error }, 'private socket failed');
      socket.destroy();
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, parts.path);
  chmodSync(parts.path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

async function serveConnection(parts: SocketParts, socket: Socket): Promise<void> {
  const line = await takeLine(socket, HELLO_LIMITS);
  if (line === null) return void socket.destroy();
  try {
    const hello = Hello.safeParse(parseJson(line));
    if (!hello.success) throw new Failed('INVALID_INPUT', 'The first line is not one this bridge understands.');
    if ('stdio' in hello.data) await serveStdio(parts, socket, hello.data.stdio);
    else if ('console' in hello.data) await lendConsole(parts, socket, hello.data.console);
    else answer(socket, await call(parts, socket, hello.data.call));
  } catch (thrown) {
    if (thrown instanceof Fatal) return answer(socket, { fatal: { exitCode: thrown.exitCode, message: thrown.message } });
    answer(socket, { error: normalise(thrown, parts.log) });
  }
}

async function call(
  parts: SocketParts,
  socket: Socket,
  { operation, input }: { operation: string; input: Record<string, unknown> },
): Promise<Envelope> {
  const abort = new AbortController();
  socket.on('close', () => abort.abort());
  const { envelope } = await parts.invoke({
    operation,
    input,
    context: {},
    caller: () => parts.access.ownerCaller('terminal'),
    surface: 'cli',
    session: 'cli',
    signal: abort.signal,
  });
  return envelope;
}

async function serveStdio(parts: SocketParts, socket: Socket, wish: StdioWish): Promise<void> {
  const served = await parts.attach(wish, { input: socket, output: socket });
  // The bytes that follow are the client's: nothing of ours may come after this line.
  socket.write(`${JSON.stringify({ ready: true })}\n`);
  socket.on('close', () => void served.close());
  await served.closed;
  socket.end();
}

/** Until whoever asked lets go or is gone. */
async function lendConsole({ lend }: SocketParts, socket: Socket, wish: ConsoleWish): Promise<void> {
  const letGo = new Promise<void>((resolve) => socket.once('end', resolve).once('close', resolve));
  socket.resume();
  const lent = await lend(wish);
  socket.write(`${JSON.stringify({ ready: lent.facts })}\n`);
  await letGo;
  await lent.close();
  socket.end();
}

type Answer = Envelope | { error: Failure } | { fatal: { exitCode: Fatal['exitCode']; message: string } };
const answer = (socket: Socket, line: Answer): void => void socket.end(`${JSON.stringify(line)}\n`);

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
