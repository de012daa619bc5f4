// The owner's listener: the shell for anyone on this machine, /api and /ws for a session only. It serves no MCP.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { createFailureLimiter } from '../base/http/rate.ts';
import { refuseUpgrade, type Arrived } from '../base/http/serve.ts';
import type { Store } from '../base/store/store.ts';
import { Failed } from '../failed.ts';
import { answerApi } from './api.ts';
import { secretIn } from './cookie.ts';
import { serveFeed, type ReadTo } from './feed.ts';
import type { ConsoleParts } from './parts.ts';
import { requireLive } from './session-api.ts';
import { createSessions } from './sessions.ts';
import { createShell } from './shell.ts';

export interface ConsoleListenerParts extends Omit<ConsoleParts, 'sessions' | 'limiter'> {
  store: Store;
  /** The folder of the built console. */
  webDir: string;
}

export interface ConsoleListener {
  fetch(request: Request, from: Arrived): Promise<Response>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends the open streams. */
  close(): void;
}

const STREAMS_MAX = 64;
const MESSAGE_LIMIT_BYTES = 1024;

export function createConsoleListener(given: ConsoleListenerParts): ConsoleListener {
  const parts: ConsoleParts = { ...given, sessions: createSessions(given), limiter: createFailureLimiter({ clock: given.clock }) };
  const shell = createShell(given.webDir);
  const streams = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_LIMIT_BYTES, perMessageDeflate: false });

  return {
    async fetch(request, from) {
      const { pathname } = new URL(request.url);
      if (isUnder('/api', pathname) || isUnder('/ws', pathname)) return answerApi(parts, request, from);
      return shell.answer(request);
    },
    upgrade(request, socket, head) {
      const opening = openingOf(parts, request, streams.clients.size);
      if ('refusal' in opening) return refuseUpgrade(socket, opening.status, opening.refusal);
      streams.handleUpgrade(request, socket, head, (stream) => serveFeed(parts, stream, opening));
    },
    close() {
      for (const stream of streams.clients) stream.close(1001, 'The bridge is stopping.');
      streams.close();
    },
  };
}

const isUnder = (prefix: string, pathname: string): boolean => pathname === prefix || pathname.startsWith(`${prefix}/`);

type Opening = (ReadTo & { sessionId: string }) | { status: number; refusal: string };

/** Decides an upgrade. A credential in the address is not looked for; an address with anything unknown in it is refused. */
function openingOf(parts: ConsoleParts, request: IncomingMessage, streamsOpen: number): Opening {
  // Joined as text after the guard: resolving it instead would read "//name" as another host.
  const url = new URL(`http://${request.headers.host}${request.url}`);
  try {
    const secret = requireLive(parts, secretIn(request.headers.cookie, url.port), request.socket.remoteAddress ?? 'unknown');
    if (url.pathname !== '/ws') return { status: 404, refusal: 'There is no such stream.' };
    if (streamsOpen >= STREAMS_MAX) return { status: 503, refusal: `Already ${STREAMS_MAX} consoles are connected.` };
    const sessionId = parts.sessions.find(secret)?.id ?? '';
    return { ...readTo(url.searchParams), sessionId };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    return { status: statusOf(error), refusal: error.message };
  }
}

function readTo(query: URLSearchParams): ReadTo {
  const isKnown = [...query.keys()].every((key) => key === 'after' || key === 'epoch');
  const after = query.get('after') ?? '';
  if (!isKnown || !/^\d{0,15}$/.test(after))
    throw new Failed('INVALID_INPUT', 'The stream takes a position and an epoch, and nothing else.');
  return { after: after === '' ? null : Number(after), epoch: query.get('epoch') ?? undefined };
}

const statusOf = (failed: Failed): number => ({ AUTH_REQUIRED: 401, RESOURCE_LIMIT: 429 })[failed.code as string] ?? 400;
