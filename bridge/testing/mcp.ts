// A real pipeline over a temporary folder with a handful of small operations, for tests of the MCP surface itself.
import { atomically } from '../base/store/store.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineContract } from '#shared/contract.ts';
import { sha256 } from '../base/digest.ts';
import { type Listening, serveLoopback } from '../base/http/serve.ts';
import { type Log, silentLog } from '../base/log.ts';
import { createAccess } from '../capabilities/access/service.ts';
import { createApprovals } from '../capabilities/approvals/service.ts';
import { createEvents } from '../capabilities/events/service.ts';
import { createProjects } from '../capabilities/projects/service.ts';
import { Failed } from '../failed.ts';
import { createIdempotency } from '../invocation/idempotency.ts';
import { createInvoker, type Invoke } from '../invocation/invoke.ts';
import { createMutationQueue } from '../invocation/queue.ts';
import { createRunning } from '../invocation/running.ts';
import type { Exposure } from '../mcp/exposure.ts';
import { createMcpListener } from '../mcp/http.ts';
import { LineTransport } from '../mcp/lines.ts';
import { serveMcpStream, type ServedStream } from '../mcp/stream.ts';
import { type Handlers, implement, type Operation } from '../operation.ts';
import { rightsOver } from './rights.ts';
import { testState, type TestState } from './state.ts';
import { workspace, type Workspace } from './workspace.ts';

const reads = { scope: 'read', action: 'read', destructive: false, idempotent: true, context: 'workspace' } as const;
const Note = z.object({ name: z.string(), text: z.string(), hash: z.string() });
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const notesContract = defineContract({
  overview: {
    ...reads,
    context: 'none',
    title: 'Overview',
    summary: 'The pair that the others want.',
    input: z.strictObject({}),
    output: z.object({ workspaceId: z.string(), workspaceEpoch: z.string() }),
  },
  read_note: {
    ...reads,
    title: 'Read',
    summary: 'Reads one note.',
    input: z.strictObject({ name: z.string().max(100) }),
    output: Note,
  },
  list_notes: {
    ...reads,
    title: 'List',
    summary: 'Lists the notes.',
    input: z.strictObject({ ending: z.string().default('.txt'), many: z.number().int().max(100_000).default(1) }),
    output: z.object({ notes: z.array(z.string()) }),
  },
  echo: {
    ...reads,
    title: 'Echo',
    summary: 'Says it back.',
    input: z.strictObject({ value: z.string(), afterMs: z.number().default(0) }),
    output: z.object({ value: z.string() }),
  },
  wait: {
    ...reads,
    title: 'Wait',
    summary: 'Waits until it is cancelled.',
    input: z.strictObject({}),
    output: z.object({ waited: z.boolean() }),
  },
  picture: {
    ...reads,
    title: 'Picture',
    summary: 'Shows one pixel.',
    input: z.strictObject({}),
    output: z.object({ bytes: z.number().int() }),
  },
  chatter: {
    ...reads,
    title: 'Chatter',
    summary: 'Writes to standard output, as a careless library would.',
    input: z.strictObject({}),
    output: z.object({ said: z.boolean() }),
  },
  guarded: {
    ...reads,
    title: 'Guarded',
    summary: 'Waits for the owner.',
    input: z.strictObject({ what: z.string() }),
    output: z.object({ done: z.string() }),
  },
  owner_only: {
    ...reads,
    scope: 'owner',
    context: 'none',
    title: 'Owner',
    summary: 'For the owner.',
    input: z.strictObject({}),
    output: z.object({ ok: z.boolean() }),
  },
});

export interface Cancellations {
  begun: number;
  cancelled: number;
}

function noteOperations(seen: Cancellations): Operation[] {
  const asks = { guarded: async ({ what }: { what: string }) => ({ summary: `do ${what}`, reasons: ['it cannot be undone'], files: [] }) };
  const handlers: Handlers<typeof notesContract> = {
    overview: async (_input, { project }) => ({ data: { workspaceId: project.workspaceId, workspaceEpoch: project.epoch } }),
    async read_note({ name }, { project }) {
      const path = readdirSync(project.root).find((entry) => entry === name);
      if (path === undefined)
        throw new Failed('NOT_FOUND', 'There is no note of that name. Nothing was changed.', { recovery: 'Call list_notes.' });
      const text = readFileSync(join(project.root, path), 'utf8');
      return { data: { name, text, hash: sha256(text) } };
    },
    async list_notes({ ending, many }, { project }) {
      const found = readdirSync(project.root).filter((entry) => entry.endsWith(ending));
      return {
        data: {
          notes: Array.from({ length: many }, () => found)
            .flat()
            .sort(),
        },
      };
    },
    async echo({ value, afterMs }) {
      if (afterMs > 0) await sleep(afterMs);
      return { data: { value } };
    },
    async wait(_input, { signal }) {
      seen.begun += 1;
      await sleep(30_000, undefined, { signal }).catch(() => undefined);
      seen.cancelled += 1;
      return { data: { waited: !signal.aborted } };
    },
    picture: async () => ({ data: { bytes: 70 }, images: [{ data: PIXEL, mimeType: 'image/png' }] }),
    async chatter() {
      process.stdout.write('a stray line on standard output\n');
      return { data: { said: true } };
    },
    guarded: async ({ what }) => ({ data: { done: what } }),
    owner_only: async () => ({ data: { ok: true } }),
  };
  return implement(notesContract, handlers, asks);
}

export interface McpWorld extends AsyncDisposable {
  state: TestState;
  workspace: Workspace;
  access: ReturnType<typeof createAccess>;
  approvals: ReturnType<typeof createApprovals>;
  events: ReturnType<typeof createEvents>;
  operations: Operation[];
  invoke: Invoke;
  projectId: string;
  context: { workspaceId: string; workspaceEpoch: string };
  seen: Cancellations;
  /** Serves the MCP listener on a free port. */
  listen(): Promise<Listening>;
  /** Connects one stdio-like client: what it writes and reads are two pipes of this process. */
  connect(): { transport: LineTransport; toServer: PassThrough; fromServer: PassThrough; served: ServedStream };
}

function invokerOver(state: TestState, operations: Operation[], log: Log) {
  const events = createEvents(state);
  const projects = createProjects({ ...state, events });
  const { grants, settings: policy } = rightsOver({ ...state, events, projects: projects.list });
  const approvals = createApprovals({ ...state, events, grants, consoleUrl: () => 'http://127.0.0.1:21731' });
  const invoke = createInvoker({
    operations,
    projects,
    events,
    approvals,
    grants,
    policy,
    idempotency: createIdempotency(state.store, state.clock),
    queue: createMutationQueue(),
    running: createRunning(),
    blobs: { put: async (bytes) => sha256(bytes) },
    atomically: (durability, work) => atomically(state.store, durability, work),
    clock: state.clock,
    log,
    limits: { requestBodyBytes: 16 * 1024 * 1024 },
  });
  return { events, projects, approvals, settings: policy, grants, invoke, access: createAccess({ ...state, events }) };
}

/** One world: a project of notes, its pipeline, and both ways to reach it. */
export async function mcpWorld(
  files: Record<string, string> = { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' },
  log: Log = silentLog,
): Promise<McpWorld> {
  const state = testState();
  const folder = await workspace(files);
  const seen: Cancellations = { begun: 0, cancelled: 0 };
  const operations = noteOperations(seen);
  const { events, projects, approvals, invoke, access } = invokerOver(state, operations, log);
  const { project } = await projects.add(folder.root);
  const exposure: Exposure = { surface: 'full', hidden: [], hasSubagents: false };
  const parts = { invoke, operations, exposure: () => exposure, version: '0.0.0-test', log };
  const closers: (() => Promise<void>)[] = [];

  return {
    state,
    workspace: folder,
    access,
    approvals,
    events,
    operations,
    invoke,
    projectId: project.projectId,
    context: { workspaceId: project.workspaceId, workspaceEpoch: project.workspaceEpoch },
    seen,
    async listen() {
      const app = createMcpListener({ ...parts, access, events });
      const listening = await serveLoopback({ app, port: 0, log, portFlag: '--mcp-port' });
      closers.push(
        () => app.close(),
        () => listening.close(),
      );
      return listening;
    },
    connect() {
      const toServer = new PassThrough();
      const fromServer = new PassThrough();
      const caller = (said: string | null) => access.stdioCaller(project.projectId, said);
      const served = serveMcpStream({ ...parts, input: toServer, output: fromServer, caller, defaultProjectId: project.projectId });
      closers.push(() => served.close());
      return { transport: new LineTransport({ input: fromServer, output: toServer }), toServer, fromServer, served };
    },
    async [Symbol.asyncDispose]() {
      for (const close of closers) await close();
      state[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
