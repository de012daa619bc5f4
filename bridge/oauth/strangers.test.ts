// What a program that nobody knows can send to be shown, fetched or confused: its name, its state, its document (S18, S20, S22, S04).
import { once } from 'node:events';
import { get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Browser, consentOf, REDIRECT, signInWorld, type SignInWorld } from '../testing/signin.ts';

const shownOf = async (world: SignInWorld, name: string) => {
  const { body } = await world.register([REDIRECT], { client_name: name });
  const { location } = await new Browser().follow(world.begin(body['client_id'] ?? '', REDIRECT).url);
  return (await world.owner<{ consent: { name: string } }>('consent_show', { consentId: consentOf(location) })).consent.name;
};

describe('the name that a program gives itself', () => {
  it('S18 is shown without what cannot be seen, and never at more than 200 characters', async () => {
    await using world = await signInWorld();
    const hidden = ['\u200b', '\u202e', '\u2066', '\ufeff', '\u00ad', '\u001b[31m', '\u0007', '\r\n', '\u{e0041}', '\ue000'];
    expect(await shownOf(world, `Claude${hidden.join('')}Desktop`)).toBe('Claude[31mDesktop');
    expect(await shownOf(world, 'x'.repeat(5000))).toHaveLength(200);
  });

  it('S18 gives it nothing of another program of that name: each is asked for and listed by its own id', async () => {
    await using world = await signInWorld();
    const known = await world.signIn();
    await world.owner('client_projects', { clientId: known.clientId, projectIds: [world.projectId] });
    const { body } = await world.register([REDIRECT], { client_name: 'A client' });
    const { location } = await new Browser().follow(world.begin(body['client_id'] ?? '', REDIRECT).url);
    const { consent } = await world.owner<{ consent: object }>('consent_show', { consentId: consentOf(location) });
    expect(consent).toMatchObject({ name: 'A client', clientId: body['client_id'], known: null });
  });
});

describe('the state of a sign-in', () => {
  it.each([
    ['is given back as it came', { state: 'a b&c=d%"<>\u00e9' }, 'a b&c=d%"<>\u00e9'],
    ['is not made up where none came', { state: null }, null],
  ])('S20 %s', async (_how, changes, expected) => {
    await using world = await signInWorld();
    const browser = new Browser();
    const clientId = (await world.register([REDIRECT])).body['client_id'] ?? '';
    const consentId = consentOf((await browser.follow(world.begin(clientId, REDIRECT, changes).url)).location);
    const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', { consentId, allow: true });
    const answer = new URL((await browser.follow(resumeUrl)).location ?? '');
    expect([answer.searchParams.get('state'), answer.searchParams.getAll('state').length]).toEqual([expected, expected === null ? 0 : 1]);
  });

  it.each(['state', 'redirect_uri', 'client_id', 'code_challenge', 'scope', 'response_type'])(
    'S20 a request that says its %s twice is refused and reaches no consent',
    async (name) => {
      await using world = await signInWorld();
      const clientId = (await world.register([REDIRECT])).body['client_id'] ?? '';
      const { url } = world.begin(clientId, REDIRECT);
      const answer = await new Browser().follow(`${url}&${name}=${encodeURIComponent('https://evil.example/')}`);
      const location = answer.location ?? '';
      expect(consentOf(answer.location)).toBe('');
      expect(location === '' ? answer.status : new URL(location).searchParams.get('error')).toSatisfy(
        (told: unknown) => told === 400 || told === 'invalid_request',
      );
      expect(location).not.toContain('evil.example');
    },
  );
});

describe('the address of a document', () => {
  it('S22 that leads into this machine is never dialled, by any spelling', async () => {
    await using world = await signInWorld();
    let dialled = 0;
    const canary = createServer((socket) => void ((dialled += 1), socket.destroy())).listen(0, '127.0.0.1');
    await once(canary, 'listening');
    const { port } = canary.address() as AddressInfo;
    try {
      const asked = get({ host: '127.0.0.1', port, path: '/x' });
      await once(asked, 'error');
      expect(dialled).toBe(1);
      const inside = ['127.0.0.1', 'localhost', '[::1]', '2130706433', '0177.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]', '127.1', '0.0.0.0'];
      for (const host of inside) {
        const { status, location } = await new Browser().follow(world.begin(`https://${host}:${port}/client.json`, REDIRECT).url);
        expect([host, status, location]).toEqual([host, 400, null]);
      }
      const own = await new Browser().follow(world.begin(`${world.origin.replace('http:', 'https:')}/x`, REDIRECT).url);
      expect(own).toMatchObject({ status: 400, location: null });
      expect(dialled).toBe(1);
    } finally {
      canary.close();
    }
  });
});

describe('S04 no route of this listener', () => {
  it.each([
    '/oauth/register?command=touch%20x',
    '/oauth/authorize?transportType=stdio&command=sh&args=-c',
    '/oauth/proxy?url=http://127.0.0.1:1',
    '/mcp?transportType=stdio&command=sh&args=-c',
    '/sse?transportType=stdio&command=sh',
    '/stdio?command=sh',
    '/message?sessionId=x',
    '/api/call/connect_stdio',
  ])('takes a command: %s', async (path) => {
    await using world = await signInWorld();
    const { tokens } = await world.signIn();
    const body = JSON.stringify({ command: 'sh', args: ['-c', 'touch x'], env: { A: 'b' }, transportType: 'stdio' });
    for (const authorization of ['', `Bearer ${tokens['access_token'] ?? ''}`]) {
      const headers = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const got = await fetch(world.origin + path, { headers, redirect: 'manual' });
      const posted = await fetch(world.origin + path, { method: 'POST', headers, body, redirect: 'manual' });
      for (const { status } of [got, posted]) expect([400, 401, 404, 405]).toContain(status);
    }
  });
});
