// MCP over one pair of streams: a pipe, a socket, or this process's own standard input and output.
import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { newId } from '#shared/ids.ts';
import type { Log } from '../base/log.ts';
import type { Invoke } from '../invocation/progress.ts';
import type { Caller, Operation } from '../operation.ts';
import type { Exposure } from './exposure.ts';
import { createServerFactory, surfaceFacts } from './factory.ts';
import { LineTransport } from './lines.ts';

export interface McpStream {
  input: Readable;
  output: Writable;
  invoke: Invoke;
  operations: readonly Operation[];
  exposure: () => Exposure;
  caller: (said: string | null) => Caller;
  defaultProjectId: string | null;
  version: string;
  log: Log;
}

export interface ServedStream {
  /** Resolves when the peer has gone or close() was called. The streams themselves are the caller's to end. */
  closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client until it goes. Its session is this connection. */
export function serveMcpStream({ input, output, caller, defaultProjectId, ...parts }: McpStream): ServedStream {
  parts.log.info({ transport: 'stdio', ...surfaceFacts(parts) }, 'tools');
  const transport = new LineTransport({ input, output });
  const peer = { caller, surface: 'mcp-stdio', session: newId('stdio'), defaultProjectId };
  const served = serveStdio(
    createServerFactory(parts)(() => peer),
    {
      transport,
      onerror: (error) => parts.log.debug({ err: error }, 'mcp stream'),
    },
  );
  return { closed: transport.closed, close: () => served.close() };
}
