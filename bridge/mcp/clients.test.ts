// The official clients of both SDKs, over streams and HTTP, in both eras: what they check themselves they find in order.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '#shared/envelope.ts';
import { mcpWorld, type McpWorld } from '../testing/mcp.ts';

interface Result {
  content: { type: string; text?: string; mimeType?: string }[];
  structuredContent?: Envelope;
  isError?: boolean;
}

/** What the tests use of either client. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string; outputSchema?: unknown }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Result>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

const about = { name: 'test', version: '1' };
const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const opensUrls = { capabilities: { elicitation: { url: {} } } };

async function httpOf(world: McpWorld) {
  const { url } = await world.listen();
  const { bearer } = world.access.issue({ name: 'client', scopes: ['read'], days: 1 });
  return [new URL(`${url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${bearer}` } } }] as const;
}

const ways: Record<string, (world: McpWorld) => Promise<AnyClient>> = {
  'SDK 1 over a stream': async (world) => {
    const client = new ClientV1(about);
    await client.connect(world.connect().transport as never);
    return client as unknown as AnyClient;
  },
  'SDK 2 over a stream, 2025 revision': async (world) => {
    const client = new ClientV2(about);
    await client.connect(world.connect().transport);
    return client as unknown as AnyClient;
  },
  'SDK 2 over a stream, 2026-07-28': async (world) => {
    const client = new ClientV2(about, modern);
    await client.connect(world.connect().transport);
    return client as unknown as AnyClient;
  },
  'SDK 1 over HTTP': async (world) => {
    const client = new ClientV1(about);
    await client.connect(new HttpV1(...(await httpOf(world))) as never);
    return client as unknown as AnyClient;
  },
  'SDK 2 over HTTP, 2025 revision': async (world) => {
    const client = new ClientV2(about);
    await client.connect(new HttpV2(...(await httpOf(world))));
    return client as unknown as AnyClient;
  },
  'SDK 2 over HTTP, 2026-07-28': async (world) => {
    const client = new ClientV2(about, modern);
    await client.connect(new HttpV2(...(await httpOf(world))));
    return client as unknown as AnyClient;
  },
};

describe.each(Object.entries(ways))('%s', (_name, connect) => {
  it('B25 success has text and the same structure, an empty result too, and a refusal has text only', async () => {
    await using world = await mcpWorld();
    const client = await connect(world);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('owner_only');
    expect(tools.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true);
    const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: { ...world.context, ...args } });

    const read = await call('read_note', { name: 'a.txt' });
    expect(read.structuredContent).toMatchObject({ ok: true, ...world.context, data: { text: 'alpha\n' }, error: null });
    expect(JSON.parse(read.content[0]?.text ?? '')).toEqual(read.structuredContent);

    const empty = await call('list_notes', { ending: '.none' });
    expect(empty.structuredContent?.data).toEqual({ notes: [] });
    expect(JSON.parse(empty.content[0]?.text ?? '')).toEqual(empty.structuredContent);

    const picture = await call('picture');
    expect(picture.content.map(({ type }) => type)).toEqual(['text', 'image']);

    const refusals = [
      call('read_note', { name: 'none' }),
      call('read_note', {}),
      call('read_note', { name: 'a.txt', workspaceEpoch: 'old' }),
    ];
    for (const [n, code] of ['NOT_FOUND', 'INVALID_INPUT', 'STALE_WORKSPACE'].entries()) {
      const refused = (await refusals[n]) as Result;
      expect(refused.isError).toBe(true);
      expect(refused.structuredContent).toBeUndefined();
      expect(refused.content.map(({ type }) => type)).toEqual(['text']);
      expect(JSON.parse(refused.content[0]?.text ?? '')).toMatchObject({ ok: false, error: { code } });
    }
    await client.close();
  });

  it("an unknown tool and the owner's are the protocol's own error, and the same one", async () => {
    await using world = await mcpWorld();
    const client = await connect(world);
    const messages = [];
    for (const name of ['owner_only', 'nothing_like_it'])
      messages.push(
        await client.callTool({ name, arguments: {} }).catch((error: Error & { code: number }) => `${error.code} ${error.message}`),
      );
    expect(messages[0]).toMatch(/-32602 .*no tool of that name/);
    expect(messages[1]).toBe(messages[0]);
    expect(client.getInstructions()).toMatch(/^Start with project_overview/);
    await client.close();
  });

  it('S23 many calls at once each get their own answer', async () => {
    await using world = await mcpWorld();
    const client = await connect(world);
    const values = Array.from({ length: 50 }, (_, n) => `value ${n}`);
    const results = await Promise.all(
      values.map((value, n) => client.callTool({ name: 'echo', arguments: { ...world.context, value, afterMs: n % 4 } })),
    );
    expect(results.map(({ structuredContent }) => structuredContent?.data)).toEqual(values.map((value) => ({ value })));
    await client.close();
  });
});

describe('a call that waits for the owner', () => {
  const guarded = (world: McpWorld) => ({ name: 'guarded', arguments: { ...world.context, what: 'push' } });

  function decide(world: McpWorld): void {
    const [approval] = world.approvals.list({ status: 'pending', limit: 1 });
    if (approval === undefined) throw new Error('Nothing waits.');
    const { approvalId, argumentsHash } = approval;
    world.approvals.decide({ approvalId, argumentsHash, decision: 'approve', by: 'desk' });
  }

  it('is told the address in words when the client opens none', async () => {
    await using world = await mcpWorld();
    for (const connect of Object.values(ways)) {
      const client = await connect(world);
      const refused = await client.callTool(guarded(world));
      expect(refused.isError).toBe(true);
      expect(refused.content[0]?.text).toMatch(/APPROVAL_REQUIRED.*http:\/\/127\.0\.0\.1:21731\/#\/approvals\/apr_/);
      await client.close();
    }
  });

  it.each([
    ['a stream, 2026-07-28', async (world: McpWorld) => world.connect().transport],
    ['HTTP, 2026-07-28', async (world: McpWorld) => new HttpV2(...(await httpOf(world)))],
  ])('sends a client of SDK 2 to the page over %s, and goes through when the owner agreed meanwhile', async (_name, transportOf) => {
    await using world = await mcpWorld();
    const client = new ClientV2(about, { ...modern, ...opensUrls });
    const opened: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      opened.push(params);
      decide(world);
      return { action: 'accept' };
    });
    await client.connect(await transportOf(world));
    const done = (await client.callTool(guarded(world))) as unknown as Result;
    expect(opened).toEqual([expect.objectContaining({ mode: 'url', url: expect.stringMatching(/#\/approvals\/apr_/) as string })]);
    expect(done.structuredContent?.data).toEqual({ done: 'push' });
    await client.close();
  });

  it('sends a client of SDK 1 to the page once, and refuses while the owner has not answered', async () => {
    await using world = await mcpWorld();
    const client = new ClientV1(about, opensUrls);
    let opened = 0;
    client.setRequestHandler(ElicitRequestSchema, async () => {
      opened += 1;
      return { action: 'accept' as const };
    });
    await client.connect(world.connect().transport as never);
    const refused = (await client.callTool(guarded(world))) as unknown as Result;
    expect([opened, refused.isError, refused.structuredContent]).toEqual([1, true, undefined]);
    decide(world);
    const done = (await client.callTool(guarded(world))) as unknown as Result;
    expect([opened, done.structuredContent?.data]).toEqual([1, { done: 'push' }]);
    await client.close();
  });
});
