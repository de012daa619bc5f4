// An HTTP server on 127.0.0.1 and nowhere else. The guard runs before the app sees anything, upgrades included.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { Fatal } from '../../failed.ts';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { accountOf } from './account.ts';
import { refusalOf } from './guard.ts';
import { safeHeaders } from './headers.ts';
import { createFailureLimiter } from './rate.ts';

/** What an app may know of a request besides the request. */
export interface Arrived {
  peer: string;
  /** The local account that the connection comes from, where the system tells. Asked only where it matters: it reads a table. */
  account(): number | null;
}

/** A listener's behaviour, free of sockets and ports. */
export interface WebApp {
  fetch(request: Request, from: Arrived): Promise<Response>;
  /** Whether pages of any origin may read this. */
  isOpen?(request: IncomingMessage): boolean;
  /** Answers in Node's own terms, for a library that speaks no other; false leaves the request to `fetch`. */
  native?(request: IncomingMessage, response: ServerResponse): boolean;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface Serving {
  app: WebApp;
  /** 0 takes any free port. */
  port: number;
  log: Log;
  /** The flag that chooses this port, for the message when it is taken. */
  portFlag: string;
}

export interface Listening {
  port: number;
  url: string;
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CLOSE_GRACE_MS = 1_000;

/** Resolves once connections are accepted. A taken port is Fatal(4). */
export async function serveLoopback({ app, port, log, portFlag }: Serving): Promise<Listening> {
  // Node's own answer to a missing Host is 400 before any handler; the guard gives it the same 403 as a wrong one.
  const server = createServer({ requireHostHeader: false, headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS });
  const tell = refusalLog(log);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listener = listenerOf(app, log);
  server.on('request', (request, response) => {
    const refusal = refusalOf(request, portOf(server), app.isOpen?.(request) === true);
    if (refusal === null) return app.native?.(request, response) === true ? undefined : void listener(request, response);
    tell(peerOf(request), refusal);
    refuse(request, response, refusal);
  });
  if (app.upgrade !== undefined) guardUpgrades(server, app.upgrade.bind(app), { log, tell });
  await listen(server, { port, portFlag, log });
  return { port: portOf(server), url: `http://127.0.0.1:${portOf(server)}`, close: () => close(server, sockets) };
}

const portOf = (server: Server): number => (server.address() as AddressInfo | null)?.port ?? 0;
const peerOf = (request: IncomingMessage): string => request.socket.remoteAddress ?? 'unknown';

function arrivedFrom(request: IncomingMessage): Arrived {
  const { remotePort = 0, localPort = 0 } = request.socket;
  return { peer: peerOf(request), account: () => accountOf({ peerPort: remotePort, ownPort: localPort }) };
}

function listenerOf(app: WebApp, log: Log) {
  return getRequestListener((request, { incoming }) => app.fetch(request, arrivedFrom(incoming as IncomingMessage)), {
    overrideGlobalObjects: false,
    errorHandler: (error) => {
      log.error({ err: error }, 'request failed');
      return new Response('The request failed here; the bridge log says why.\n', { status: 500, headers: { ...safeHeaders, ...plain } });
    },
  });
}

type Tell = (peer: string, refusal: string) => void;

/** A page that keeps asking must not fill the log. */
function refusalLog(log: Log): Tell {
  const limiter = createFailureLimiter({ clock: systemClock() });
  return (peer, refusal) => {
    if (limiter.spend(peer) === null) log.warn({ peer, refusal }, 'request refused');
  };
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };

// The connection ends with the refusal: a body that nobody reads must not hold it.
function refuse(request: IncomingMessage, response: ServerResponse, refusal: string): void {
  response.writeHead(403, { ...safeHeaders, ...plain, connection: 'close' }).end(`${refusal}\n`, () => request.socket.destroySoon());
}

function guardUpgrades(server: Server, upgrade: NonNullable<WebApp['upgrade']>, { log, tell }: { log: Log; tell: Tell }): void {
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', (error: Error) => log.debug({ err: error }, 'upgrade socket'));
    const refusal = refusalOf(request, portOf(server));
    if (refusal === null) return upgrade(request, socket, head);
    tell(peerOf(request), refusal);
    refuseUpgrade(socket, 403, refusal);
  });
}

/** Answers an upgrade with a plain refusal and ends the connection. */
export function refuseUpgrade(socket: Duplex, status: number, why: string): void {
  const body = `${why}\n`;
  const lines = Object.entries({ ...safeHeaders, ...plain, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = [`HTTP/1.1 ${status} Refused`, ...lines.map(([name, value]) => `${name}: ${value}`), '', body];
  socket.end(head.join('\r\n'));
}

function listen(server: Server, { port, portFlag, log }: Omit<Serving, 'app'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      reject(new Fatal(4, `Port ${port} is taken by another program. Choose another with ${portFlag}, or 0 for any free one.`));
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.removeAllListeners('error');
      server.on('error', (error) => log.error({ err: error }, 'listener'));
      resolve();
    });
  });
}

// Upgraded sockets are no longer the HTTP server's to count, but it still waits for them.
function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => sockets.forEach((socket) => socket.destroy()), CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });
}
