// Signing in through the front doors: real listeners, a browser with cookies, the owner's own operations (B32, S20).
import { describe, expect, it } from 'vitest';
import type { Log } from '../base/log.ts';
import { Browser, consentOf, REDIRECT, signInWorld } from '../testing/signin.ts';

describe('signing in', () => {
  it('B32 gives a token that reaches the endpoint with what the owner allowed, and says nothing on standard error', async () => {
    const lines: string[] = [];
    const keep = (...parts: unknown[]) => void lines.push(JSON.stringify(parts));
    const log: Log = { info: keep, warn: keep, error: keep, debug: keep };
    const { console: terminal } = globalThis;
    const before = { warn: terminal.warn, info: terminal.info };
    const spoken: unknown[] = [];
    Object.assign(terminal, { warn: (...words: unknown[]) => spoken.push(words), info: (...words: unknown[]) => spoken.push(words) });
    try {
      await using world = await signInWorld({ log });
      const { clientId, tokens, answer } = await world.signIn();
      expect(answer.searchParams.get('iss')).toBe(world.origin);
      expect(answer.searchParams.get('state')).toBe('the-state');
      expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'dodo:read dodo:write' });
      expect((await world.list(tokens['access_token'] ?? '')).status).toBe(200);
      const { clients } = await world.owner<{ clients: unknown[] }>('client_list');
      const known = { clientId, name: 'A client', redirectHost: '127.0.0.1:49231', scopes: ['read', 'write'], projectIds: null };
      expect(clients).toMatchObject([{ ...known, revokedAt: null }]);
    } finally {
      Object.assign(terminal, before);
    }
    expect(spoken).toEqual([]);
    expect(lines.join('\n')).toContain('Unsupported runtime');
  });

  it('the owner reads who asks for what, may allow less, and never more than was asked', async () => {
    await using world = await signInWorld();
    const browser = new Browser();
    const clientId = (await world.register([REDIRECT])).body['client_id'] ?? '';
    const { url, verifier } = world.begin(clientId, REDIRECT);
    const { location } = await browser.follow(url);
    expect(location).toBe(`${world.app.address.consoleUrl}/#/consent/${consentOf(location)}`);
    const consentId = consentOf(location);
    const { consent } = await world.owner<{ consent: unknown }>('consent_show', { consentId });
    expect(consent).toMatchObject({
      status: 'pending',
      name: 'A client',
      redirectHost: '127.0.0.1',
      scopes: ['read', 'write'],
      known: null,
    });
    const allow = { consentId, allow: true };
    await expect(world.owner('consent_decide', { ...allow, scopes: ['read', 'exec'] })).rejects.toThrow('INVALID_INPUT');
    const less = { ...allow, scopes: ['read'], projectIds: [world.projectId] };
    const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', less);
    await expect(world.owner('consent_decide', allow)).rejects.toThrow('CONFLICT');
    const code = new URL((await browser.follow(resumeUrl)).location ?? '').searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: REDIRECT, code_verifier: verifier };
    const { body } = await world.token(form);
    expect(body['scope']).toBe('dodo:read');
    const caller = world.app.access.callerOfBearer(body['access_token'] ?? '');
    expect({ ...caller, scopes: [...caller.scopes], projectIds: [...(caller.projectIds ?? [])] }).toEqual({
      kind: 'client',
      principal: `client:${clientId}`,
      name: 'A client',
      scopes: ['read'],
      projectIds: [world.projectId],
    });
  });

  it('a denial reaches the client with the issuer, and admits no one', async () => {
    await using world = await signInWorld();
    const browser = new Browser();
    const clientId = (await world.register([REDIRECT])).body['client_id'] ?? '';
    const consentId = consentOf((await browser.follow(world.begin(clientId, REDIRECT).url)).location);
    const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', { consentId, allow: false });
    const answer = new URL((await browser.follow(resumeUrl)).location ?? '').searchParams;
    expect([answer.get('error'), answer.get('iss'), answer.get('code')]).toEqual(['access_denied', world.origin, null]);
    expect(await world.owner('client_list')).toMatchObject({ clients: [] });
  });

  it('a client that names no scope or resource is shown as asking for everything, of this endpoint', async () => {
    await using world = await signInWorld();
    const clientId = (await world.register([REDIRECT])).body['client_id'] ?? '';
    const { url } = world.begin(clientId, REDIRECT, { scope: null, resource: null });
    const consentId = consentOf((await new Browser().follow(url)).location);
    const { consent } = await world.owner<{ consent: unknown }>('consent_show', { consentId });
    expect(consent).toMatchObject({ scopes: ['read', 'write', 'exec'] });
  });

  it('S05 no bearer, code or secret lies in the database as it is spoken', async () => {
    await using world = await signInWorld();
    const { tokens, form } = await world.signIn();
    const tables = ['oauth_artifacts', 'consents', 'clients', 'events'].map((table) =>
      world.app.store.prepare(`SELECT * FROM ${table}`).all(),
    );
    const everything = JSON.stringify(tables);
    for (const secret of [tokens['access_token'], tokens['refresh_token'], form['code']]) expect(everything).not.toContain(secret);
  });
});

describe('B32 metadata', () => {
  it('is told by the 401, lies at the inserted and the plain address, and is read by anyone from anywhere', async () => {
    await using world = await signInWorld();
    const { origin, mcpUrl } = world;
    const refused = await fetch(mcpUrl, { method: 'POST' });
    expect(refused.status).toBe(401);
    const inserted = `${origin}/.well-known/oauth-protected-resource/mcp`;
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${inserted}", scope="dodo:read dodo:write dodo:exec"`);
    const headers = { origin: 'https://page.example' };
    for (const url of [inserted, `${origin}/.well-known/oauth-protected-resource`]) {
      const answer = await fetch(url, { headers });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(await answer.json()).toMatchObject({ resource: mcpUrl, authorization_servers: [origin] });
    }
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const answer = await fetch(`${origin}/.well-known/${name}`, { headers });
      expect(['*', headers.origin]).toContain(answer.headers.get('access-control-allow-origin'));
      expect(await answer.json()).toMatchObject({
        issuer: origin,
        authorization_endpoint: `${origin}/oauth/authorize`,
        registration_endpoint: `${origin}/oauth/register`,
        code_challenge_methods_supported: ['S256'],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      });
    }
    const asked = { ...headers, 'access-control-request-method': 'GET' };
    expect((await fetch(inserted, { method: 'OPTIONS', headers: asked })).status).toBe(204);
  });

  it('spells the resource as the host that was asked, and grants each spelling for the one endpoint', async () => {
    await using world = await signInWorld();
    const named = world.mcpUrl.replace('127.0.0.1', 'localhost');
    const answer = await fetch(named.replace('/mcp', '/.well-known/oauth-protected-resource/mcp'));
    expect(await answer.json()).toMatchObject({ resource: named, authorization_servers: [world.origin] });
    const clientId = (await world.register([REDIRECT])).body['client_id'] ?? '';
    const { location } = await new Browser().follow(world.begin(clientId, REDIRECT, { resource: named }).url);
    expect(consentOf(location)).not.toBe('');
  });
});

describe('a client id that is a document', () => {
  const clientId = 'https://client.example/client.json';
  const document = {
    client_id: clientId,
    client_name: 'Documented',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  };

  it('B32 is fetched once, its portless loopback addresses float, and its name is shown', async () => {
    const fetched: string[] = [];
    const fetchDocument = async (url: string | URL) => {
      fetched.push(String(url));
      return Response.json(document);
    };
    await using world = await signInWorld({ fetchDocument });
    const redirect = 'http://localhost:33418/callback';
    const { location } = await new Browser().follow(world.begin(clientId, redirect).url);
    const { consent } = await world.owner<{ consent: unknown }>('consent_show', { consentId: consentOf(location) });
    expect(consent).toMatchObject({ clientId, name: 'Documented', redirectHost: 'localhost:33418' });
    expect((await new Browser().follow(world.begin(clientId, 'http://localhost:33418/other').url)).status).toBe(400);
    expect(fetched).toEqual([clientId]);
  });

  it.each([
    ['names another id', async () => Response.json({ ...document, client_id: 'https://other.example/' })],
    ['is too large', async () => Response.json({ ...document, client_uri: `https://client.example/${'x'.repeat(6000)}` })],
    ['leads elsewhere', async () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/' } })],
  ])('is refused when it %s', async (_how, fetchDocument) => {
    await using world = await signInWorld({ fetchDocument });
    expect(await new Browser().follow(world.begin(clientId, REDIRECT).url)).toMatchObject({ status: 400, location: null });
  });

  it.each(['http://client.example/', 'https://127.0.0.1/', 'https://localhost/x', 'https://[::1]/x', 'https://2130706433/'])(
    'S22 %s is never dialled',
    async (id) => {
      await using world = await signInWorld();
      expect(await new Browser().follow(world.begin(id, REDIRECT).url)).toMatchObject({ status: 400, location: null });
    },
  );
});
