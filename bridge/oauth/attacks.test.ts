// What an attacker tries at the authorization routes, over real sockets (B32, S01, S20).
import { describe, expect, it } from 'vitest';
import { foreignHosts, foreignOrigins } from '../testing/foreign.ts';
import { rawHttp } from '../testing/raw-http.ts';
import { Browser, consentOf, REDIRECT, signInWorld, type SignInWorld } from '../testing/signin.ts';

const clientOf = async (world: SignInWorld, uris = [REDIRECT]) => (await world.register(uris)).body['client_id'] ?? '';
const dead = { status: 400, location: null };

describe('redirects', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]'])('B32 only the port floats at http://%s', async (host) => {
    await using world = await signInWorld();
    const clientId = await clientOf(world, [`http://${host}/callback`]);
    const visit = (uri: string) => new Browser().follow(world.begin(clientId, uri).url);
    expect(consentOf((await visit(`http://${host}:49231/callback`)).location)).not.toBe('');
    const others = ['127.0.0.1', 'localhost', '[::1]'].filter((other) => other !== host);
    const wrong = [
      ...others.map((other) => `http://${other}:49231/callback`),
      `http://${host}:49231/callback/`,
      `http://${host}:49231/other`,
      `http://${host}:49231/callback?x=1`,
      `http://${host}:49231/callback#x`,
      `https://${host}:49231/callback`,
      `http://user@${host}:49231/callback`,
      'http://127.0.0.1.evil.example/callback',
      'http://127.1:49231/callback',
      'https://evil.example/callback',
    ];
    for (const uri of wrong) expect(await visit(uri), uri).toMatchObject(dead);
  });

  it('B32 elsewhere nothing floats', async () => {
    await using world = await signInWorld();
    const clientId = await clientOf(world, ['https://app.example/cb', REDIRECT]);
    const visit = (uri: string) => new Browser().follow(world.begin(clientId, uri).url);
    expect(consentOf((await visit('https://app.example/cb')).location)).not.toBe('');
    expect(consentOf((await visit('http://127.0.0.1:5/callback')).location)).not.toBe('');
    for (const uri of ['https://app.example:444/cb', 'https://app.example/cb/', 'http://app.example/cb', 'https://APP.example/cb2'])
      expect(await visit(uri), uri).toMatchObject(dead);
  });

  it('B32 a program that registers pages and loopback together is sent back to whichever port it found free', async () => {
    // As VS Code does, also while its own port is busy (vscode#278512), and mcp-remote, which walks on to the next.
    await using world = await signInWorld();
    const editor = ['https://insiders.vscode.dev/redirect', 'https://vscode.dev/redirect', 'http://127.0.0.1/', 'http://127.0.0.1:33418/'];
    for (const [registered, used] of [
      [editor, 'http://127.0.0.1:59656/'],
      [editor, 'http://127.0.0.1:33418/'],
      [editor, 'https://vscode.dev/redirect'],
      [['http://localhost:3335/oauth/callback'], 'http://localhost:3343/oauth/callback'],
    ] as const) {
      const clientId = await clientOf(world, [...registered]);
      expect(consentOf((await new Browser().follow(world.begin(clientId, used).url)).location), used).not.toBe('');
    }
  });

  it('a registration is native on its own account, and one that leads over plain http or into a script is refused', async () => {
    await using world = await signInWorld();
    expect(await world.register([REDIRECT])).toMatchObject({ status: 201, body: { application_type: 'native' } });
    expect((await world.register(['cursor://app/oauth'])).status).toBe(201);
    expect((await world.register([REDIRECT], { sector_identifier_uri: 'https://app.example/' })).status).toBe(400);
    for (const uri of ['http://app.example/cb', 'javascript:alert(1)', 'data:text/html,x', 'http://127.0.0.1.evil.example/', 'x'])
      expect((await world.register([uri])).status, uri).toBe(400);
  });

  it('an unknown client or address is answered here and leads nowhere', async () => {
    await using world = await signInWorld();
    const clientId = await clientOf(world);
    const urls = [
      world.begin('nobody', 'https://evil.example/').url,
      world.begin(clientId, 'https://evil.example/').url,
      world.begin(clientId, REDIRECT, { redirect_uri: null }).url,
      world.begin(clientId, REDIRECT, { response_mode: 'form_post' }).url,
    ];
    for (const url of urls) {
      const answer = await new Browser().visit(url);
      expect(answer).toMatchObject(dead);
      expect(answer.text).not.toMatch(/<form|<script|<html/i);
    }
    for (const path of ['//evil.example', '/..//evil.example', 'x'.repeat(30) + '?proof=x'])
      expect((await new Browser().visit(`${world.origin}/oauth/consent/${path}`)).location).toBeNull();
  });
});

describe('codes and tokens', () => {
  it.each([
    ['without PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with PKCE of no method, which means plain', { code_challenge_method: null }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['for an implicit token', { response_type: 'token' }, 'unsupported_response_type'],
  ])('S20 B32 a sign-in %s is refused', async (_how, changes, error) => {
    await using world = await signInWorld();
    const clientId = await clientOf(world);
    const { location } = await new Browser().follow(world.begin(clientId, REDIRECT, changes).url);
    const answer = new URL(location ?? 'http://none/');
    const given = new URLSearchParams(answer.search || answer.hash.slice(1));
    expect([given.get('error'), given.get('iss'), given.get('code')]).toEqual([error, world.origin, null]);
  });

  it('S20 a code used twice ends everything that came of it', async () => {
    await using world = await signInWorld();
    const { tokens, form } = await world.signIn();
    expect((await world.list(tokens['access_token'] ?? '')).status).toBe(200);
    expect(await world.token(form)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await world.list(tokens['access_token'] ?? '')).status).toBe(401);
  });

  it('a code is of no use without its verifier, its client and its address', async () => {
    await using world = await signInWorld();
    const browser = new Browser();
    const clientId = await clientOf(world);
    const { url, verifier } = world.begin(clientId, REDIRECT);
    const consentId = consentOf((await browser.follow(url)).location);
    const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', { consentId, allow: true });
    const code = new URL((await browser.follow(resumeUrl)).location ?? '').searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: REDIRECT, code_verifier: verifier };
    const without = Object.fromEntries(Object.entries(form).filter(([name]) => name !== 'code_verifier'));
    const wrong = [without, { ...form, code_verifier: 'x'.repeat(43) }, { ...form, client_id: await clientOf(world) }];
    for (const attempt of [...wrong, { ...form, redirect_uri: 'http://127.0.0.1:1/callback' }])
      expect((await world.token(attempt)).status).toBe(400);
    const { status, body } = await world.token(form);
    expect(status).toBe(200);
    const again = { grant_type: 'refresh_token', client_id: clientId, refresh_token: body['refresh_token'] ?? '' };
    expect((await world.token({ ...again, resource: 'https://other.example/mcp' })).body['error']).toBe('invalid_target');
  });

  it('a refresh token is good once, and its second use ends the whole grant', async () => {
    await using world = await signInWorld();
    const { clientId, tokens } = await world.signIn();
    const refresh = (refresh_token = '') => world.token({ grant_type: 'refresh_token', client_id: clientId, refresh_token });
    const second = await refresh(tokens['refresh_token']);
    expect(second.status).toBe(200);
    expect(second.body['refresh_token']).not.toBe(tokens['refresh_token']);
    expect((await world.list(second.body['access_token'] ?? '')).status).toBe(200);
    expect(await refresh(tokens['refresh_token'])).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await world.list(second.body['access_token'] ?? '')).status).toBe(401);
    expect((await refresh(second.body['refresh_token'])).status).toBe(400);
  });

  it('S20 a token for another audience is refused: the endpoint moved, and the old address is another', async () => {
    await using world = await signInWorld();
    const { tokens } = await world.signIn();
    const bearer = tokens['access_token'] ?? '';
    expect(world.app.access.callerOfBearer(bearer).kind).toBe('client');
    await world.app.unlisten();
    await world.app.listen({ mcpPort: 0, consolePort: 0, tools: null });
    expect(() => world.app.access.callerOfBearer(bearer)).toThrow(/valid bearer/);
  });
});

describe('consent', () => {
  it('S20 is finished only by the browser that began it, and only with the proof of who decided', async () => {
    await using world = await signInWorld();
    const clientId = await clientOf(world);
    const [began, other] = [new Browser(), new Browser()];
    const consentId = consentOf((await began.follow(world.begin(clientId, REDIRECT).url)).location);
    await other.follow(world.begin(clientId, REDIRECT).url);
    const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', { consentId, allow: true });
    expect(await other.follow(resumeUrl)).toMatchObject(dead);
    expect(await new Browser().follow(resumeUrl)).toMatchObject(dead);
    // Nor by cookies of another sign-in that are sent where no browser would send them.
    const cookie = [...other.cookies].map(([key, { value }]) => `${key.split('|')[0]}=${value}`).join('; ');
    expect((await fetch(resumeUrl, { headers: { cookie }, redirect: 'manual' })).status).toBe(400);
    // Whoever began it for a victim to approve holds the cookie, but not what the console was told.
    const bare = resumeUrl.split('?')[0] ?? '';
    expect((await began.follow(bare)).location).toContain('/#/consent/');
    expect(await began.follow(`${bare}?proof=${'x'.repeat(43)}`)).toMatchObject(dead);
    const early = bare.replace('/oauth/consent/', '/oauth/authorize/');
    expect((await began.visit(early)).location ?? '').not.toContain('code=');
    expect(await world.owner('client_list')).toMatchObject({ clients: [] });
  });

  it('S20 is asked again of a browser that consented before, for the same client and for a second', async () => {
    await using world = await signInWorld();
    const browser = new Browser();
    const first = await world.signIn({ browser });
    for (const clientId of [first.clientId, await clientOf(world)]) {
      const { location } = await browser.follow(world.begin(clientId, REDIRECT).url);
      expect(location).toContain('/#/consent/');
      const silent = await browser.follow(world.begin(clientId, REDIRECT, { prompt: 'none' }).url);
      expect(new URL(silent.location ?? '').searchParams.get('error')).toMatch(/_required$/);
    }
  });

  it('S20 is asked again for a client on the web, whose grant the browser still remembers', async () => {
    await using world = await signInWorld();
    const browser = new Browser();
    const redirect = 'https://app.example/cb';
    const clientId = await clientOf(world, [redirect]);
    const consentId = consentOf((await browser.follow(world.begin(clientId, redirect).url)).location);
    const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', { consentId, allow: true });
    expect((await browser.follow(resumeUrl)).location).toContain('code=');
    expect((await browser.follow(world.begin(clientId, redirect).url)).location).toContain('/#/consent/');
  });

  it('is decided by the owner alone, and nothing of it lies on the MCP port', async () => {
    await using world = await signInWorld();
    const { tokens } = await world.signIn();
    const caller = () => world.app.access.callerOfBearer(tokens['access_token'] ?? '');
    for (const operation of ['client_list', 'consent_show', 'consent_decide', 'client_revoke', 'client_projects']) {
      const input = { client_list: {}, client_revoke: { clientId: 'x' }, client_projects: { clientId: 'x', projectIds: null } }[
        operation
      ] ?? {
        consentId: 'x',
        ...(operation === 'consent_decide' && { allow: true }),
      };
      const { envelope } = await world.app.invoke({ operation, input, context: {}, caller, surface: 'test', session: 's' });
      expect(envelope.error?.code, operation).toBe('FORBIDDEN');
    }
  });
});

describe('doors', () => {
  it('S01 a foreign Host reaches no route, and a foreign page only what is open', async () => {
    await using world = await signInWorld();
    const port = Number(new URL(world.origin).port);
    const ask = (line: string, headers: string[]) => rawHttp(port, [line, ...headers, 'Connection: close']);
    const paths = [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/mcp',
      '/oauth/authorize',
      '/oauth/jwks',
    ];
    for (const path of [...paths, '/oauth/consent/x', '/healthz', '/mcp'])
      for (const host of foreignHosts(port))
        expect((await ask(`GET ${path} HTTP/1.1`, [`Host: ${host}`])).status, `${path} ${host}`).toBe(403);
    for (const path of ['/oauth/authorize', '/oauth/jwks', '/oauth/consent/x', '/healthz', '/mcp'])
      for (const origin of foreignOrigins(port)) {
        const { status } = await ask(`GET ${path} HTTP/1.1`, [`Host: 127.0.0.1:${port}`, `Origin: ${origin}`]);
        expect(status, `${path} ${origin}`).toBe(403);
      }
    const foreign = [`Host: 127.0.0.1:${port}`, 'Origin: https://evil.example'];
    for (const path of ['/oauth/register', '/oauth/token', '/oauth/revoke', '/mcp', '/.well-known/oauth-authorization-server'])
      expect((await ask(`POST ${path} HTTP/1.1`, [...foreign, 'Content-Length: 0'])).status, path).toBe(403);
    for (const path of ['/oauth/authorize', '/oauth/jwks', '/healthz', '/.well-known/x'])
      expect((await ask(`GET ${path} HTTP/1.1`, foreign)).status, path).toBe(403);
    expect((await ask('GET /.well-known/oauth-authorization-server HTTP/1.1', foreign)).status).toBe(200);
  });

  it('forwarded headers and other spellings of our host change no address that is told', async () => {
    await using world = await signInWorld();
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' };
    const answer = await fetch(`${world.origin}/.well-known/oauth-authorization-server`, { headers });
    expect(await answer.text()).not.toContain('evil');
  });
});

describe('revocation', () => {
  it('holds from the next request: by the owner, and by the client itself', async () => {
    await using world = await signInWorld();
    const one = await world.signIn();
    await world.owner('client_revoke', { clientId: one.clientId });
    expect((await world.list(one.tokens['access_token'] ?? '')).status).toBe(401);
    const form = { grant_type: 'refresh_token', client_id: one.clientId, refresh_token: one.tokens['refresh_token'] ?? '' };
    expect((await world.token(form)).status).toBeGreaterThanOrEqual(400);
    expect(await new Browser().follow(world.begin(one.clientId, REDIRECT).url)).toMatchObject(dead);

    const two = await world.signIn();
    const body = new URLSearchParams({ client_id: two.clientId, token: two.tokens['refresh_token'] ?? '' });
    expect((await fetch(`${world.origin}/oauth/revoke`, { method: 'POST', body })).status).toBe(200);
    expect((await world.list(two.tokens['access_token'] ?? '')).status).toBe(401);
  });
});
