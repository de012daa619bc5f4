// Official MCP clients for the end-to-end tests, and the few words every call repeats.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Envelope } from '#shared/envelope.ts';

export interface Caller extends AsyncDisposable {
  /** Calls a tool in the project's context; refusals come back as envelopes too. */
  call(name: string, args?: Record<string, unknown>): Promise<Envelope>;
  client: Client;
}

/** The SDK 1.x client over HTTP with a bearer, its context taken from project_overview. */
export async function overHttp(mcpUrl: string, bearer: string, targetProjectId?: string): Promise<Caller> {
  const client = new Client({ name: 'e2e', version: '1.0.0' });
  const requestInit = { headers: { Authorization: `Bearer ${bearer}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit }));
  const target = targetProjectId === undefined ? {} : { targetProjectId };
  const raw = async (name: string, args: Record<string, unknown>) => {
    const { content } = (await client.callTool({ name, arguments: args })) as { content: { type: string; text: string }[] };
    return JSON.parse(content[0]?.text ?? '') as Envelope;
  };
  const overview = await raw('project_overview', target);
  const context = { workspaceId: overview.workspaceId, workspaceEpoch: overview.workspaceEpoch, ...target };
  return {
    client,
    call: (name, args = {}) => raw(name, { ...context, ...args }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
