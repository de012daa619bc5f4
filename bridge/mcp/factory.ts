// The one MCP server of both protocol eras: it lists the tools, and passes a call to the pipeline with who makes it.
import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  type Implementation,
  type InputRequiredResult,
  type ListToolsResult,
  type McpServer,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ANSWER_WAIT_MS } from '#shared/contracts/approvals.ts';
import type { Log } from '../base/log.ts';
import type { Invoke } from '../invocation/progress.ts';
import type { Caller, Operation } from '../operation.ts';
import type { Exposure } from './exposure.ts';
import { awaitedBy, questionOf } from './question.ts';
import { toResult } from './result.ts';
import { type Catalogue, createCatalogue } from './tools.ts';

/** The other end of one connection or exchange, as the transport proved it. */
export interface Peer {
  /** Asked again after every wait, so that a right taken away meanwhile counts; `said` is what the client calls itself. */
  caller: (said: string | null) => Caller;
  surface: string;
  session: string;
  defaultProjectId: string | null;
}

export interface FactoryParts {
  invoke: Invoke;
  operations: readonly Operation[];
  /** What this peer is shown; asked once a connection or, over HTTP, once an exchange. */
  exposure: () => Exposure;
  version: string;
  log: Log;
  /** Gives the server more than the product has; only tests of the protocol itself do. It may replace `own`, and answers what is served. */
  dress?: (server: Server, own: OwnTools) => Server | McpServer;
}

/** What the product answers to the two requests about tools. */
export interface OwnTools {
  list(): ListToolsResult;
  call(request: CallToolRequest, context: ServerContext): Promise<CallToolResult | InputRequiredResult>;
}

const INSTRUCTIONS = [
  'Start with project_overview: it gives the workspaceId and workspaceEpoch that every other call must send.',
  'Where tools named dodo_* are listed, each carries several operations: dodo_discover finds one, and its gateway takes its name as "operation" and its arguments as "args".',
  'A changing call names the exact bytes it expects: the hash that read_files gave for the file, or "absent" for a new one.',
  'A refused call has changed nothing; its error has a code, one sentence, and often the next step.',
  'Every change can be undone with rollback_changes. What cannot be undone waits for the owner: on APPROVAL_REQUIRED, ask approval_status (its waitMs lets it wait) until it is approved, then send the same call again with the same idempotencyKey.',
].join('\n');

/** How long a client of 2026-07-28 may keep the list; it only changes with the bridge itself. */
const LIST_TTL_MS = 60_000;

/** Builds a factory that serves the given peer, once per connection or, over HTTP, once per exchange. */
export function createServerFactory(parts: FactoryParts): (peerOf: (context: Parameters<McpServerFactory>[0]) => Peer) => McpServerFactory {
  return (peerOf) => (context) => buildServer(parts, catalogueOf(parts.operations, parts.exposure()), peerOf(context));
}

/** What the log is told at the start: never an argument, never a name of the project. */
export function surfaceFacts({ operations, exposure }: Pick<FactoryParts, 'operations' | 'exposure'>) {
  const { tools } = catalogueOf(operations, exposure());
  return { surface: exposure().surface, tools: tools.length, schemaBytes: Buffer.byteLength(JSON.stringify(tools)) };
}

/** One catalogue an exposure, shared by all connections: to build one costs more than to serve a call. */
const catalogues = new WeakMap<readonly Operation[], Map<string, Catalogue>>();

export function catalogueOf(operations: readonly Operation[], exposure: Exposure): Catalogue {
  const known = catalogues.get(operations) ?? new Map<string, Catalogue>();
  catalogues.set(operations, known);
  const key = JSON.stringify(exposure);
  const catalogue = known.get(key) ?? createCatalogue(operations, exposure);
  known.set(key, catalogue);
  return catalogue;
}

function buildServer(parts: FactoryParts, catalogue: Catalogue, peer: Peer): Server | McpServer {
  const { version, log, dress } = parts;
  const server = new Server(
    { name: 'drawbridge', title: 'Drawbridge', version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
    },
  );
  server.onerror = (error) => log.debug({ err: error, surface: peer.surface }, 'mcp');
  const own: OwnTools = { list: () => ({ tools: [...catalogue.tools] }), call: answering({ ...parts, catalogue, peer, server }) };
  server.setRequestHandler('tools/list', own.list);
  server.setRequestHandler('tools/call', own.call);
  return dress?.(server, own) ?? server;
}

type Answering = Pick<FactoryParts, 'invoke'> & { catalogue: Catalogue; peer: Peer; server: Server };

function answering({ invoke, catalogue, peer, server }: Answering): OwnTools['call'] {
  return async ({ params }, context) => {
    const parted = catalogue.split(params.name, params.arguments ?? {});
    if (parted === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of that name. Nothing was done.');
    const said = nameOf(context, server.getClientVersion());
    const common = { ...peer, listed: catalogue.listed, caller: () => peer.caller(said), signal: context.mcpReq.signal };
    const call = () => invoke({ ...parted, ...common });
    let answer = await call();
    const approvalId = awaitedBy(answer.envelope, context);
    if (approvalId !== null) {
      const input = { approvalId, waitMs: ANSWER_WAIT_MS };
      await invoke({ ...common, operation: 'approval_status', input, context: parted.context });
      answer = await call();
    }
    return questionOf(answer.envelope, context, server.getClientCapabilities()) ?? toResult(answer);
  };
}

/** A client of 2026-07-28 says with every request who it is, one of 2025 once. */
function nameOf({ mcpReq }: ServerContext, introduced: Implementation | undefined): string | null {
  const envelope = mcpReq.envelope as Record<string, Implementation | undefined> | undefined;
  return (envelope?.[CLIENT_INFO_META_KEY] ?? introduced)?.name ?? null;
}
