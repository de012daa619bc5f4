// The other end of the private socket. It imports next to nothing, because a stdio client waits for it to begin.
import { connect, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Envelope } from '#shared/envelope.ts';
import type { Failure } from '#shared/failure.ts';
import { Failed, Fatal } from '../failed.ts';
import type { ConsoleWish, StdioWish } from './hello.ts';
import type { ConsoleFacts } from './lend.ts';
import { takeLine } from './line.ts';
import { readRecord } from './record.ts';

const ANSWER_LIMITS = { limitBytes: 64 * 1024 * 1024, timeoutMs: 120_000 };

/** A connection to the bridge that owns the folder, or null when none answers. */
export function connectToBridge(home: string): Promise<Socket | null> {
  const path = readRecord(home)?.socketPath ?? null;
  if (path === null) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('connect', () => {
      // A connection that breaks ends like one that is closed: whoever waits for a line or an end hears of that.
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ECONNREFUSED'].includes(error.code ?? '')) resolve(null);
      else reject(error);
    });
  });
}

/** One owner's call. The connection is spent with it. */
export async function callBridge(socket: Socket, operation: string, input: Record<string, unknown>): Promise<Envelope> {
  socket.write(`${JSON.stringify({ call: { operation, input } })}\n`);
  const line = await takeLine(socket, ANSWER_LIMITS);
  socket.destroy();
  if (line === null) throw new Error('The bridge ended before it answered.');
  return JSON.parse(line) as Envelope;
}

/** A pipe between a stdio client and the bridge. Resolves with how it ended: refused, or closed by one side. */
export async function pipeStdio(
  socket: Socket,
  wish: StdioWish,
  { input, output }: { input: Readable; output: Writable },
): Promise<{ refusal: Failure } | { endedBy: 'client' | 'bridge' }> {
  let hasClientEnded = false;
  input.once('end', () => (hasClientEnded = true));
  socket.write(`${JSON.stringify({ stdio: wish })}\n`);
  // What the client says first need not wait for the bridge's answer to the hello.
  input.pipe(socket);
  const line = await takeLine(socket, ANSWER_LIMITS);
  const answer = line === null ? null : (JSON.parse(line) as { ready: true } | { error: Failure });
  if (answer !== null && 'error' in answer) return { refusal: answer.error };
  if (answer !== null) await pipeAll(socket, output);
  return { endedBy: hasClientEnded ? 'client' : 'bridge' };
}

function pipeAll(socket: Socket, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve).once('end', resolve);
    output.on('error', () => socket.destroy());
    socket.pipe(output, { end: false });
  });
}

export interface Borrowed {
  facts: ConsoleFacts;
  /** Resolves when the bridge that lends it has gone. */
  gone: Promise<void>;
  /** Gives it back; resolves once its listeners are closed. */
  close(): Promise<void>;
}

/** Asks the bridge for a console. null when it ended before it answered; Fatal when it has one or cannot open it. */
export async function borrowConsole(socket: Socket, wish: ConsoleWish): Promise<Borrowed | null> {
  const gone = new Promise<void>((resolve) => socket.once('end', resolve).once('close', resolve));
  socket.write(`${JSON.stringify({ console: wish })}\n`);
  const line = await takeLine(socket, ANSWER_LIMITS);
  if (line === null) return null;
  const answer = JSON.parse(line) as { ready: ConsoleFacts } | { error: Failure } | { fatal: Pick<Fatal, 'exitCode' | 'message'> };
  if ('fatal' in answer) throw new Fatal(answer.fatal.exitCode, answer.fatal.message);
  if ('error' in answer) throw new Failed(answer.error.code, answer.error.message);
  socket.resume();
  const close = async () => {
    socket.end();
    await gone;
    socket.destroy();
  };
  return { facts: answer.ready, gone, close };
}
