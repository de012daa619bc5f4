// A console listener on a free port over the real parts it stands on, and a browser's side of it without a browser.
import { atomically } from '../base/store/store.ts';
import { WebSocket, type ClientOptions } from 'ws';
import type { Envelope } from '#shared/envelope.ts';
import type { ServerFrame } from '#shared/events.ts';
import { serveLoopback, type Arrived } from '../base/http/serve.ts';
import { silentLog, type Log } from '../base/log.ts';
import { accessOperations } from '../capabilities/access/operations.ts';
import { createAccess, type Access } from '../capabilities/access/service.ts';
import { approvalOperations } from '../capabilities/approvals/operations.ts';
import { createApprovals, type Approvals } from '../capabilities/approvals/service.ts';
import { eventOperations } from '../capabilities/events/operations.ts';
import { createEvents, type Events } from '../capabilities/events/service.ts';
import { createProjects } from '../capabilities/projects/service.ts';
import { createLinks, type Links } from '../console/links.ts';
import { createConsoleListener } from '../console/listener.ts';
import { createIdempotency } from '../invocation/idempotency.ts';
import { createInvoker } from '../invocation/invoke.ts';
import { createMutationQueue } from '../invocation/queue.ts';
import { createRunning, type Running } from '../invocation/running.ts';
import { removeFolder, temporaryFolder } from './folder.ts';
import { rightsOver } from './rights.ts';
import { testState, type TestState } from './state.ts';

export interface TestConsole extends AsyncDisposable {
  state: TestState;
  events: Events;
  access: Access;
  approvals: Approvals;
  running: Running;
  links: Links;
  webDir: string;
  port: number;
  url: string;
  /** Ends the listener and begins another one on the same state and port, as a restart does. */
  restart(): Promise<void>;
  /** What the listener answers to a request that arrives so. */
  answer(request: Request, from: Arrived): Promise<Response>;
  /** Spends a fresh link. */
  signIn(): Promise<TestSession>;
}

export interface TestSession {
  cookie: string;
  csrf: string;
  call(operation: string, input?: Record<string, unknown>): Promise<{ status: number; envelope: Envelope }>;
}

export async function testConsole(log: Log = silentLog): Promise<TestConsole> {
  const state = testState();
  const webDir = temporaryFolder('web');
  const { store, clock } = state;
  const events = createEvents({ store, clock });
  const access = createAccess({ store, clock, events });
  const projects = createProjects({ store, clock, events, home: state.home });
  const { grants, settings: policy } = rightsOver({ store, clock, events, projects: projects.list });
  const approvals = createApprovals({ store, clock, events, grants, consoleUrl: () => null });
  const running = createRunning();
  const links = createLinks({ store, clock });
  const invoke = createInvoker({
    operations: [
      ...accessOperations({ access, clock, unlistedReach: () => 'every' }),
      ...eventOperations(events),
      ...approvalOperations(approvals, clock),
    ],
    projects,
    events,
    approvals,
    grants,
    policy,
    idempotency: createIdempotency(store, clock),
    queue: createMutationQueue(),
    running,
    blobs: { put: async () => 'f'.repeat(64) },
    atomically: (durability, work) => atomically(store, durability, work),
    clock,
    log,
    limits: { requestBodyBytes: 16 * 1024 * 1024 },
  });
  const open = async (port: number) => {
    const app = createConsoleListener({ invoke, access, events, running, links, store, clock, webDir, version: '0.0.0-test', log });
    const listening = await serveLoopback({ app, port, log, portFlag: '--console-port' });
    return { app, listening };
  };
  let current = await open(0);
  const end = async () => {
    current.app.close();
    await current.listening.close();
  };
  const { port, url } = current.listening;
  return {
    ...{ state, events, access, approvals, running, links, webDir, port, url },
    async restart() {
      await end();
      current = await open(port);
    },
    answer: (request, from) => current.app.fetch(request, from),
    signIn: () => signIn(url, links.create().code),
    async [Symbol.asyncDispose]() {
      await end();
      state[Symbol.dispose]();
      removeFolder(webDir);
    },
  };
}

export const spendLink = (url: string, code: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-drawbridge': '1', ...headers },
    body: JSON.stringify({ link: code }),
  });

export async function signIn(url: string, code: string): Promise<TestSession> {
  const answer = await spendLink(url, code);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { csrf } = (await answer.json()) as { csrf: string };
  return {
    cookie,
    csrf,
    async call(operation, input = {}) {
      const headers = { cookie, 'content-type': 'application/json', 'x-drawbridge-csrf': csrf };
      const response = await fetch(`${url}/api/call/${operation}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ input, context: {} }),
      });
      return { status: response.status, envelope: (await response.json()) as Envelope };
    },
  };
}

/** What a console does with its stream: keeps the frames, and knows how it ended. */
export interface TestStream {
  frames: ServerFrame[];
  /** The positions of the events so far, in the order they came. */
  positions(): number[];
  socket: WebSocket;
  closed: Promise<number>;
}

/** Resolves once the stream is open; rejects with the status it was refused with. */
export function openStream(url: string, path: string, options: ClientOptions): Promise<TestStream> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, options);
  const frames: ServerFrame[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as ServerFrame));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const positions = () => frames.flatMap((frame) => (frame.type === 'event' ? [frame.event.position] : []));
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve({ frames, positions, socket, closed }));
    socket.once('unexpected-response', (_request, response) => {
      reject(new Error(`refused with ${response.statusCode}`));
      socket.terminate();
    });
    socket.once('error', reject);
  });
}
