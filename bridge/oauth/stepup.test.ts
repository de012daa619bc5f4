// A call beyond the scopes of its bearer is refused in HTTP, so that its client can sign in for more; what the owner narrowed is not.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '#shared/envelope.ts';
import { keeper } from '../testing/keeper.ts';
import { Browser, consentOf, signInWorld, type SignInWorld } from '../testing/signin.ts';

const REDIRECT = 'http://127.0.0.1:40123/callback';
const headersOf = (bearer: string) => ({
  authorization: `Bearer ${bearer}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

async function worldOf() {
  const world = await signInWorld();
  const { root, workspaceId, epoch } = await world.app.projects.open(world.projectId);
  const context = { workspaceId, workspaceEpoch: epoch, targetProjectId: world.projectId };
  const making = (path: string) => ({ name: 'dodo_write', arguments: { ...context, operation: 'make_directory', args: { path } } });
  return {
    world,
    context,
    making,
    isThere: (path: string) => existsSync(join(root, path)),
    refusals: () => world.app.events.list({ limit: 100 }).flatMap(({ body }) => (body['code'] === 'FORBIDDEN' ? [body] : [])),
    async post(bearer: string, body: unknown) {
      const answer = await fetch(world.mcpUrl, { method: 'POST', headers: headersOf(bearer), body: JSON.stringify(body) });
      return { status: answer.status, challenge: answer.headers.get('www-authenticate') ?? '', text: await answer.text() };
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
    },
  };
}

const calling = (params: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
const envelopeIn = (text: string) => {
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result: { content: { text: string }[] } };
  return JSON.parse(result.content[0]?.text ?? '') as Envelope;
};

describe('a call beyond the scopes of its bearer', () => {
  it.each(['a client that signed in', "the owner's own token"])(
    'S06 is answered with 403 and the scopes that it would take, is on the account, and does nothing: %s',
    async (whose) => {
      await using bridge = await worldOf();
      const { world, making, post } = bridge;
      const bearer = whose.startsWith('a client')
        ? ((await world.signIn({ scope: 'dodo:read' })).tokens['access_token'] ?? '')
        : world.app.access.issue({ name: 'script', scopes: ['read'], days: 1 }).bearer;
      const { status, challenge, text } = await post(bearer, calling(making('made'), 'its id'));
      expect(status).toBe(403);
      expect(challenge).toBe(
        'Bearer realm="drawbridge", error="insufficient_scope", error_description="make_directory needs dodo:write.", ' +
          `resource_metadata="${world.origin}/.well-known/oauth-protected-resource/mcp", scope="dodo:read dodo:write"`,
      );
      expect(JSON.parse(text)).toMatchObject({
        jsonrpc: '2.0',
        id: 'its id',
        error: { code: -32001, data: { code: 'FORBIDDEN', detail: { requiredScope: 'dodo:write' } } },
      });
      expect(bridge.isThere('made')).toBe(false);
      expect(bridge.refusals()).toMatchObject([{ operation: 'make_directory', via: 'dodo_write', surface: 'mcp-http' }]);
      expect((await world.list(bearer)).status).toBe(200);
    },
  );

  it('takes all other calls of its message with it, and names all that these would take', async () => {
    await using bridge = await worldOf();
    const { making, context, post } = bridge;
    const { bearer } = bridge.world.app.access.issue({ name: 'script', scopes: ['exec'], days: 1 });
    const reading = { name: 'dodo_read', arguments: { ...context, operation: 'read_files', args: { files: [{ path: 'a.txt' }] } } };
    const { status, challenge } = await post(bearer, [calling(making('a'), 1), calling(reading, 2)]);
    expect([status, /scope="([^"]*)"$/.exec(challenge)?.[1]]).toEqual([403, 'dodo:read dodo:write dodo:exec']);
    expect(bridge.refusals()).toHaveLength(2);
  });

  it('is a matter of scopes alone: a ceiling, a list of projects and a wrong argument stay answers of the call', async () => {
    await using bridge = await worldOf();
    const { world, making, post } = bridge;
    const { projectId } = world;
    const { tokens } = await world.signIn();
    const bearer = tokens['access_token'] ?? '';
    const codeOf = async (params: object) => {
      const { status, challenge, text } = await post(bearer, calling(params));
      expect([status, challenge]).toEqual([200, '']);
      return envelopeIn(text).error?.code;
    };
    const { name, arguments: args } = making('b');
    expect(await codeOf({ name, arguments: { ...args, args: { path: 7 } } })).toBe('INVALID_INPUT');
    expect(await codeOf({ name, arguments: { ...args, operation: 'no_such' } })).toBe('INVALID_INPUT');
    await world.owner('settings_change', { projects: [{ projectId, ceiling: 'read' }] });
    expect(await codeOf(making('b'))).toBe('FORBIDDEN');
    const narrow = await world.signIn({ allow: { projectIds: ['prj_00000000000000000000000000'] } });
    const elsewhere = await post(narrow.tokens['access_token'] ?? '', calling(making('b')));
    expect([elsewhere.status, envelopeIn(elsewhere.text).error?.code]).toEqual([200, 'WORKSPACE_ACCESS_REQUIRED']);
    expect(bridge.isThere('b')).toBe(false);
  });
});

/** An SDK 2 client that was allowed to read alone, and what its user does at the pages it opens. */
async function reader(world: SignInWorld, options: object) {
  const { kept, pages, provider } = keeper('An SDK client', REDIRECT);
  const browser = new Browser();
  const make = () => new StreamableHTTPClientTransport(new URL(world.mcpUrl), { authProvider: provider as never });
  const clientOf = () => new Client({ name: 'test', version: '1' }, options);
  let transport = make();
  async function decide(allow: Record<string, unknown>): Promise<string[]> {
    const consentId = consentOf((await browser.follow(pages.pop()?.href ?? '')).location);
    const { consent } = await world.owner<{ consent: { scopes: string[] } }>('consent_show', { consentId });
    const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', { consentId, ...allow });
    await transport.finishAuth(new URL((await browser.follow(resumeUrl)).location ?? '').searchParams);
    return consent.scopes;
  }
  await expect(clientOf().connect(transport)).rejects.toThrow();
  await decide({ allow: true, scopes: ['read'] });
  transport = make();
  const client = clientOf();
  await client.connect(transport);
  return { client, decide, pages, scopes: () => (kept['tokens'] as { scope: string }).scope };
}

describe.each([
  ['2025 revision', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
])('the SDK 2 client, %s', (_era, options) => {
  it('signs in for more by itself when a call needs it, and then the call runs', async () => {
    await using bridge = await worldOf();
    const { client, decide, pages, scopes } = await reader(bridge.world, options);
    await expect(client.callTool(bridge.making('made'))).rejects.toThrow();
    expect(bridge.isThere('made')).toBe(false);
    expect(pages).toHaveLength(1);
    expect(await decide({ allow: true })).toEqual(expect.arrayContaining(['read', 'write']));
    expect(scopes()).toContain('dodo:write');
    await client.callTool(bridge.making('made'));
    expect(bridge.isThere('made')).toBe(true);
    await client.close();
  });

  it('keeps what it had when the owner denies it more', async () => {
    await using bridge = await worldOf();
    const { client, decide, scopes } = await reader(bridge.world, options);
    await expect(client.callTool(bridge.making('made'))).rejects.toThrow();
    await expect(decide({ allow: false })).rejects.toThrow('denied');
    expect(scopes()).toBe('dodo:read');
    const { content } = await client.callTool({ name: 'project_overview', arguments: { targetProjectId: bridge.world.projectId } });
    expect(JSON.stringify(content)).toContain(bridge.context.workspaceId);
    expect(bridge.isThere('made')).toBe(false);
    await client.close();
  });
});
