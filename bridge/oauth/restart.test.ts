// What a client was given outlives the bridge that gave it, and no session id does harm: the client is who its bearer says (B30, S05).
import { describe, expect, it } from 'vitest';
import { Browser, consentOf, REDIRECT, signInWorld, type SignInWorld } from '../testing/signin.ts';

const SESSION = 'mcp-session-id';
const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

async function worldOf() {
  const world = await signInWorld();
  const { clientId, tokens } = await world.signIn();
  const bearer = tokens['access_token'] ?? '';
  return {
    ...{ world, clientId, tokens },
    ask: (method: string, params: object, headers: Record<string, string> = {}) =>
      fetch(world.mcpUrl, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

describe('a bridge that was started again', () => {
  it('B30 knows its clients by what they were given, whatever session id they still send', async () => {
    await using bridge = await worldOf();
    const { world, ask } = bridge;
    const opened = await ask('initialize', hello);
    const stale = { [SESSION]: opened.headers.get(SESSION) ?? '' };
    expect(stale[SESSION]).not.toBe('');
    await world.restart();
    // A session of this bridge holds nothing, so that there is nothing that a 404 would have to make a client begin anew.
    for (const headers of [stale, {}]) expect((await ask('tools/list', {}, headers)).status).toBe(200);
    const again = await ask('initialize', hello, stale);
    expect(again.status).toBe(200);
    expect(again.headers.get(SESSION)).toMatch(/^[0-9a-f-]{36}$/);
    expect(again.headers.get(SESSION)).not.toBe(stale[SESSION]);
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const unbound = await ask('tools/list', { _meta: modern }, headers);
    expect([unbound.status, unbound.headers.get(SESSION)]).toEqual([200, null]);
  });

  it('B30 takes the refresh token of before, and finishes a sign-in that was under way', async () => {
    await using bridge = await worldOf();
    const { world, clientId, tokens } = bridge;
    const browser = new Browser();
    const waiting = consentOf((await browser.follow(world.begin(clientId, REDIRECT).url)).location);
    await world.restart();
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens['refresh_token'] ?? '' };
    const { status, body } = await world.token(form);
    expect(status).toBe(200);
    expect((await world.list(body['access_token'] ?? '')).status).toBe(200);
    // The consent was kept, and so was the browser that began it.
    const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', { consentId: waiting, allow: true });
    expect((await browser.follow(resumeUrl)).location).toContain('code=');
  });

  it('S05 keeps the keys of its installation, and two installations share none', async () => {
    await using first = await signInWorld();
    await using second = await signInWorld();
    const keysOf = async ({ origin, app }: SignInWorld) => {
      const { keys } = (await (await fetch(`${origin}/oauth/jwks`)).json()) as { keys: { n: string; d?: string }[] };
      expect(keys.map(({ d }) => d)).toEqual([undefined]);
      const cookies = app.clients.secret('cookies', () => 'never made here');
      expect(Buffer.from(cookies, 'base64url')).toHaveLength(32);
      return [keys[0]?.n, cookies];
    };
    const before = await keysOf(first);
    const other = await keysOf(second);
    expect(before.filter((key) => other.includes(key))).toEqual([]);
    await first.restart();
    expect(await keysOf(first)).toEqual(before);
  });
});
