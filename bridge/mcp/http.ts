// The MCP listener: calls behind a bearer at one path, liveness at another, nothing of the owner's. Host and Origin were checked before it.
import { randomUUID } from 'node:crypto';
import { createMcpHandler, isJsonContentType, type ServerEventBus } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { readBody } from '../base/http/body.ts';
import { jsonAnswer, safeHeaders } from '../base/http/headers.ts';
import { Failed } from '../failed.ts';
import { type Admitted, createGate, type GateParts } from './bearer.ts';
import { createExchanges, type Exchange } from './exchanges.ts';
import { createServerFactory, surfaceFacts, type FactoryParts, type Peer } from './factory.ts';
import { looks, rpc, rpcError } from './failure.ts';
import { REQUEST_BODY_BYTES } from './limits.ts';
import { readJsonBytes, idOf } from './message.ts';
import { refuseWanting } from './wanting.ts';

export interface McpListenerParts extends FactoryParts, GateParts {
  /** Where changes of a list are told to the clients that listen for them. Left out, nobody tells of any. */
  bus?: ServerEventBus;
}

export interface McpListener {
  fetch(request: Request, from: { peer: string }): Promise<Response>;
  /** Ends every exchange of a principal that lost something it was given. */
  endOf(principal: string): void;
  close(): Promise<void>;
}

const SESSION = 'mcp-session-id';

export function createMcpListener(parts: McpListenerParts): McpListener {
  const { access, log } = parts;
  const gate = createGate(parts);
  log.info({ transport: 'http', ...surfaceFacts(parts) }, 'tools');
  const exchanges = createExchanges();
  const peers = new WeakMap<Request, Peer>();
  const handler = createMcpHandler(
    createServerFactory(parts)(({ requestInfo }) => peerOf(peers, requestInfo)),
    {
      maxRequestBodySize: REQUEST_BODY_BYTES,
      onerror: (error) => log.debug({ err: error }, 'mcp request'),
      ...(parts.bus === undefined ? {} : { bus: parts.bus }),
    },
  );
  const stopListening = access.onRevoked((tokenId) => exchanges.endAll(`token:${tokenId}`));

  async function answer(request: Request, { caller, again }: Admitted): Promise<Response> {
    if (request.method !== 'POST') return handler.fetch(request);
    const message = await readMessage(request);
    if (message instanceof Response) return message;
    const { principal } = caller;
    const peer = { surface: 'mcp-http', session: principal, defaultProjectId: null };
    const refused = await refuseWanting(parts, { body: message.body, caller, peer, url: request.url });
    if (refused !== null) return refused;
    const session = request.headers.get(SESSION);
    if (message.cancels !== undefined) exchanges.cancel({ principal, session }, message.cancels);
    const exchange = exchanges.begin({ principal, session, ids: message.ids });
    request.signal.addEventListener('abort', exchange.abort, { once: true });
    const forwarded = new Request(request.url, { method: 'POST', headers: request.headers, signal: exchange.signal });
    peers.set(forwarded, { caller: again, ...peer });
    try {
      const response = await handler.fetch(forwarded, { parsedBody: message.body });
      if (message.opens && response.ok) response.headers.set(SESSION, randomUUID());
      return whenDone(response, exchange.end);
    } catch (thrown) {
      exchange.end();
      throw thrown;
    }
  }

  const app = new Hono<{ Bindings: { peer: string } }>();
  app.get('/healthz', () => jsonAnswer(200, { ok: true }));
  app.all('/mcp', async ({ req, env }) => {
    const admitted = gate(req.raw, env.peer);
    return withSafeHeaders(admitted instanceof Response ? admitted : await answer(req.raw, admitted));
  });
  app.notFound(() => jsonAnswer(404, { error: 'There is nothing at this address.' }));
  app.onError((error) => {
    throw error;
  });

  return {
    fetch: async (request, from) => app.fetch(request, from),
    endOf: (principal) => exchanges.endAll(principal),
    async close() {
      stopListening();
      exchanges.endAll();
      await handler.close();
    },
  };
}

function peerOf(peers: WeakMap<Request, Peer>, request: Request | undefined): Peer {
  const peer = request === undefined ? undefined : peers.get(request);
  if (peer === undefined) throw new Error('An MCP exchange has no proven peer.');
  return peer;
}

interface Message {
  body: unknown;
  ids: Exchange['ids'];
  /** The id that a cancellation names. */
  cancels: unknown;
  /** Whether it opens a session of a 2025 revision. */
  opens: boolean;
}

async function readMessage(request: Request): Promise<Message | Response> {
  if (!isJsonContentType(request.headers.get('content-type')))
    return jsonAnswer(415, rpcError(rpc.invalidRequest, 'The body must be application/json. Nothing was done.'));
  try {
    const { value, error } = readJsonBytes(await readBody(request, REQUEST_BODY_BYTES));
    return error === undefined ? describe(value) : jsonAnswer(looks.INVALID_INPUT.httpStatus, error);
  } catch (thrown) {
    if (!(thrown instanceof Failed)) throw thrown;
    const { httpStatus, rpcCode } = looks[thrown.code];
    return jsonAnswer(httpStatus, rpcError(rpcCode, thrown.message));
  }
}

function describe(body: unknown): Message {
  const ids = (Array.isArray(body) ? body : [body]).map(idOf).filter((id) => id !== null);
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { requestId?: unknown } };
  const cancels = method === 'notifications/cancelled' ? params?.requestId : undefined;
  return { body, ids, cancels, opens: method === 'initialize' };
}

/** Tells when the last byte of an answer has left, or its reader has. */
function whenDone(response: Response, done: () => void): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (response.body === null || !isStream) {
    done();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done: isOver, value } = await reader.read();
        if (!isOver) return controller.enqueue(value);
        controller.close();
      } catch (cause) {
        controller.error(cause);
      }
      done();
    },
    cancel(reason) {
      done();
      return reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

function withSafeHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(safeHeaders)) if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}
