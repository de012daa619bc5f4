// Sessions as the 2025 revisions know them, which the product does not serve: a stream for requests to the client, and events kept to be sent again.
import { randomUUID } from 'node:crypto';
import {
  type EventStore,
  isInitializeRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

const RETRY_MS = 500;

/** Every message of a session in order. An event is found again by the id it was given. */
function keepEvents(): EventStore {
  const events: { stream: string; message: Parameters<EventStore['storeEvent']>[1] }[] = [];
  const idOf = (index: number): string => `event-${index}`;
  const indexOf = (eventId: string): number => Number(eventId.slice('event-'.length));
  return {
    storeEvent: (stream, message) => Promise.resolve(idOf(events.push({ stream, message }) - 1)),
    getStreamIdForEventId: (eventId) => Promise.resolve(events[indexOf(eventId)]?.stream),
    async replayEventsAfter(lastEventId, { send }) {
      const last = indexOf(lastEventId);
      const stream = events[last]?.stream ?? '';
      for (const [index, event] of events.entries())
        if (index > last && event.stream === stream && 'jsonrpc' in event.message) await send(idOf(index), event.message);
      return stream;
    },
  };
}

/** Serves requests that are already admitted, each session with one server of the factory. */
export function createSessions(factory: McpServerFactory) {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  async function open(request: Request): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
      eventStore: keepEvents(),
      retryInterval: RETRY_MS,
    });
    const server = await factory({ era: 'legacy', requestInfo: request });
    await server.connect(transport);
    return transport;
  }

  return {
    async fetch(request: Request, body: unknown): Promise<Response> {
      const id = request.headers.get('mcp-session-id');
      const known = id === null ? undefined : sessions.get(id);
      if (known === undefined && id !== null) return new Response('There is no such session.', { status: 404 });
      if (known === undefined && !isInitializeRequest(body)) return new Response('A session id is needed.', { status: 400 });
      return (known ?? (await open(request))).handleRequest(request, body === undefined ? {} : { parsedBody: body });
    },
    async close(): Promise<void> {
      for (const transport of sessions.values()) await transport.close();
    },
  };
}
