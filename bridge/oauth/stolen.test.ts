// What a bearer that may only read is worth to a thief: no call that changes or runs anything, no answer of the owner's, no other door (S06).
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Envelope } from '#shared/envelope.ts';
import { signInWorld, type SignInWorld } from '../testing/signin.ts';

/** The bearers that a reader can have: of a sign-in, and the owner's own. */
const readers: [string, (world: SignInWorld) => Promise<string>][] = [
  ['of a sign-in', async (world) => (await world.signIn({ scope: 'dodo:read' })).tokens['access_token'] ?? ''],
  ['that the owner issued', async ({ app }) => app.access.issue({ name: 'phone', scopes: ['read'], days: 1 }).bearer],
];

describe.each(readers)('S06 a stolen bearer %s', (_whose, bearerIn) => {
  it('gets 403 for every operation that changes or runs anything, whatever it is called through', async () => {
    await using world = await signInWorld();
    await world.owner('settings_change', { toolSurface: 'full' });
    const bearer = await bearerIn(world);
    const { workspaceId, epoch: workspaceEpoch } = await world.app.projects.open(world.projectId);
    const head = world.app.events.list({ limit: 1 })[0]?.position ?? 0;
    const beyond = world.app.operations.filter(({ contract }) => contract.scope === 'write' || contract.scope === 'exec');
    for (const { name, contract } of beyond) {
      const answer = await call(world, bearer, { name, arguments: { workspaceId, workspaceEpoch, targetProjectId: world.projectId } });
      expect([name, answer.status]).toEqual([name, 403]);
      expect(answer.headers.get('www-authenticate')).toContain(`error_description="${name} needs dodo:${contract.scope}."`);
    }
    const account = world.app.events.list({ after: head, limit: 500 }).map(({ body }) => [body['operation'], body['code']]);
    expect(account).toEqual(beyond.map(({ name }) => [name, 'FORBIDDEN']));
    expect(account.length).toBeGreaterThan(15);
  });

  it("finds none of the owner's operations under any name, and no way to the console", async () => {
    await using world = await signInWorld();
    await world.owner('settings_change', { toolSurface: 'full' });
    const bearer = await bearerIn(world);
    const owned = world.app.operations.filter(({ contract }) => contract.scope === 'owner').map(({ name }) => name);
    expect(owned).toEqual(
      expect.arrayContaining(['approval_decide', 'grant_create', 'grant_revoke', 'settings_change', 'client_projects']),
    );
    for (const name of owned) {
      const answer = await call(world, bearer, { name, arguments: {} });
      expect([name, messageIn(await answer.text()).error?.message]).toEqual([name, 'There is no tool of that name. Nothing was done.']);
    }
    const { consoleUrl } = world.app.address;
    for (const name of owned)
      expect(
        (await fetch(`${consoleUrl}/api/call/${name}`, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } })).status,
      ).toBe(401);
    expect(await upgraded(`${consoleUrl}/ws`, { authorization: `Bearer ${bearer}`, cookie: `drawbridge=${bearer}` })).toBe(401);
  });

  it('reads what it may read', async () => {
    await using world = await signInWorld();
    const bearer = await bearerIn(world);
    const answer = await call(world, bearer, { name: 'project_overview', arguments: { targetProjectId: world.projectId } });
    const envelope = JSON.parse(messageIn(await answer.text()).result?.content[0]?.text ?? '') as Envelope;
    expect(envelope.error).toBeNull();
  });
});

interface Message {
  result?: { content: { text: string }[] };
  error?: { message: string };
}

const messageIn = (text: string) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Message;

const call = ({ mcpUrl }: SignInWorld, bearer: string, params: object) =>
  fetch(mcpUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });

/** The status that an upgrade is answered with; 101 when a stream was opened. */
const upgraded = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers });
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_request, answer) => resolve(answer.statusCode ?? 0));
    socket.on('error', reject);
  });
