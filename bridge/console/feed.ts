// One console's live stream: each event once and in order after the position it named. The store is the buffer, so a slow reader costs no memory.
import type { RunningCall, ServerFrame } from '#shared/events.ts';
import type { WebSocket } from 'ws';
import type { ConsoleParts } from './parts.ts';

const PAGE_EVENTS = 100;
const RUNNING_INTERVAL_MS = 100;
const HEARTBEAT_MS = 30_000;
/** The close code that tells the console that its session is over, as opposed to the network or the bridge. */
export const SESSION_ENDED = 4401;

export type FeedParts = Pick<ConsoleParts, 'events' | 'running' | 'sessions' | 'clock' | 'version' | 'log'>;

/** Where a console stopped reading; null starts at the head. */
export interface ReadTo {
  after: number | null;
  /** The bridge process it read from. */
  epoch: string | undefined;
}

/** Serves the socket until it closes or the session ends. */
export function serveFeed(parts: FeedParts, socket: WebSocket, { after, epoch, sessionId }: ReadTo & { sessionId: string }): void {
  const { events, running, sessions } = parts;
  const hasGap = after !== null && events.hasGap(after, epoch);
  const head = events.head();
  const feed: Feed = { socket, sent: after === null || hasGap ? head : after, isPumping: false, isTelling: false, untold: null };
  const stops = [
    events.subscribe(() => startPump(parts, feed)),
    running.subscribe(throttled(RUNNING_INTERVAL_MS, (calls: RunningCall[]) => sendRunning(feed, calls))),
    sessions.onEnded((id) => id === sessionId && endSession(socket)),
    heartbeat(socket, () => sessions.isLive(sessionId)),
  ];
  socket.on('close', () => stops.forEach((stop) => stop()));
  socket.on('error', (error) => parts.log.debug({ err: error }, 'console stream'));
  void send(socket, { type: 'hello', epoch: events.epoch, head, version: parts.version, now: parts.clock.now(), gap: hasGap });
  sendRunning(feed, running.list());
  startPump(parts, feed);
}

interface Feed {
  socket: WebSocket;
  /** The position of the last event handed to the socket. */
  sent: number;
  isPumping: boolean;
  isTelling: boolean;
  /** The newest snapshot that still waits for an older one to leave. */
  untold: RunningCall[] | null;
}

const isOpen = (socket: WebSocket): boolean => socket.readyState === socket.OPEN;

/** Resolves when the frame has left this process, or cannot any more. */
function send(socket: WebSocket, frame: ServerFrame): Promise<void> {
  return new Promise((resolve) => {
    if (!isOpen(socket)) return resolve();
    socket.send(JSON.stringify(frame), () => resolve());
  });
}

function startPump(parts: FeedParts, feed: Feed): void {
  if (feed.isPumping) return;
  feed.isPumping = true;
  pump(parts, feed)
    .catch((error: unknown) => {
      parts.log.error({ err: error }, 'console stream failed');
      feed.socket.terminate();
    })
    .finally(() => (feed.isPumping = false));
}

// At most one page is under way. What comes meanwhile is found by the next read, never queued here.
async function pump({ events }: FeedParts, feed: Feed): Promise<void> {
  while (isOpen(feed.socket)) {
    const page = events.list({ after: feed.sent, limit: PAGE_EVENTS });
    if (page.length === 0) return;
    feed.sent = page.at(-1)?.position ?? feed.sent;
    await Promise.all(page.map((event) => send(feed.socket, { type: 'event', event })));
  }
}

// One snapshot is under way at most; of those that come meanwhile only the newest is worth sending.
function sendRunning(feed: Feed, calls: RunningCall[]): void {
  feed.untold = calls;
  if (feed.isTelling) return;
  feed.isTelling = true;
  feed.untold = null;
  void send(feed.socket, { type: 'running', calls }).then(() => {
    feed.isTelling = false;
    if (feed.untold !== null) sendRunning(feed, feed.untold);
  });
}

function endSession(socket: WebSocket): void {
  socket.close(SESSION_ENDED, 'The session has ended.');
  setTimeout(() => socket.terminate(), 500).unref();
}

/** Ends what no longer answers, and what outlived its session without anyone saying so. */
function heartbeat(socket: WebSocket, isAllowed: () => boolean): () => void {
  let hasAnswered = true;
  socket.on('pong', () => (hasAnswered = true));
  const timer = setInterval(() => {
    if (!isAllowed()) return endSession(socket);
    if (!hasAnswered) return socket.terminate();
    hasAnswered = false;
    socket.ping();
  }, HEARTBEAT_MS);
  return () => clearInterval(timer);
}

function throttled<Value>(intervalMs: number, run: (value: Value) => void): (value: Value) => void {
  let latest: { value: Value } | null = null;
  let timer: NodeJS.Timeout | null = null;
  return (value) => {
    latest = { value };
    timer ??= setTimeout(() => {
      timer = null;
      if (latest !== null) run(latest.value);
    }, intervalMs).unref();
  };
}
