// Which projects a program reaches: the owner chooses without a new sign-in, and a consent that lists none is told for what it gives.
import { describe, expect, it } from 'vitest';
import type { Envelope } from '#shared/envelope.ts';
import { Browser, consentOf, REDIRECT, signInWorld } from '../testing/signin.ts';

async function worldOf() {
  const world = await signInWorld();
  const { clientId, tokens } = await world.signIn();
  const { projectId } = world;
  return {
    ...{ world, clientId, projectId },
    list: (projectIds: string[] | null) => world.owner<{ client: object }>('client_projects', { clientId, projectIds }),
    /** The code of a read in the project, over HTTP and with the bearer of the sign-in; null when it ran. */
    async read(): Promise<string | null> {
      const { workspaceId, epoch: workspaceEpoch } = await world.app.projects.open(projectId);
      const args = { workspaceId, workspaceEpoch, targetProjectId: projectId, operation: 'list_files', args: {} };
      const answer = await fetch(world.mcpUrl, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens['access_token'] ?? ''}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'dodo_read', arguments: args } }),
      });
      const text = await answer.text();
      const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result: { content: { text: string }[] } };
      return (JSON.parse(result.content[0]?.text ?? '') as Envelope).error?.code ?? null;
    },
    async manage(): Promise<void> {
      const { preview } = await world.owner<{ preview: { confirmation: string } }>('settings_change', { accessMode: 'managed' });
      await world.owner('settings_change', { accessMode: 'managed', confirmation: preview.confirmation });
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

describe('the projects of a program that signed in', () => {
  it('are set by the owner without a new consent, from the next request on, and on the account', async () => {
    await using bridge = await worldOf();
    const { world, clientId, projectId, list, read } = bridge;
    expect(await read()).toBeNull();
    const elsewhere = ['prj_00000000000000000000000000'];
    expect(await list(elsewhere)).toMatchObject({ client: { clientId, projectIds: elsewhere, scopes: ['read', 'write'] } });
    expect(await read()).toBe('WORKSPACE_ACCESS_REQUIRED');
    await list([projectId]);
    expect(await read()).toBeNull();
    const told = world.app.events.list({ limit: 100 }).filter(({ kind }) => kind === 'client.changed');
    expect(told.map(({ body }) => body)).toEqual(
      [[projectId], elsewhere].map((projectIds) => ({ clientId, name: 'A client', projectIds })),
    );
  });

  it('are told for what they are in each mode: a consent that lists none reaches every project, or none until some are listed', async () => {
    await using bridge = await worldOf();
    const { world, projectId, list, read } = bridge;
    const browser = new Browser();
    const next = (await world.register([REDIRECT])).body['client_id'] ?? '';
    const consentId = consentOf((await browser.follow(world.begin(next, REDIRECT).url)).location);
    const told = async () => {
      const asked = [['client_list'], ['token_list'], ['consent_show', { consentId }]] as const;
      const answers = await Promise.all(asked.map(([operation, input]) => world.owner<{ unlistedReach: string }>(operation, input)));
      return answers.map(({ unlistedReach }) => unlistedReach);
    };
    expect([await told(), await read()]).toEqual([['every', 'every', 'every'], null]);
    await bridge.manage();
    expect([await told(), await read()]).toEqual([['none', 'none', 'none'], 'WORKSPACE_ACCESS_REQUIRED']);
    await list([projectId]);
    expect(await read()).toBeNull();
    await list(null);
    expect(await read()).toBe('WORKSPACE_ACCESS_REQUIRED');
  });

  it('are refused for a program that is not known or was revoked', async () => {
    await using bridge = await worldOf();
    const { world, clientId, projectId, list } = bridge;
    await expect(world.owner('client_projects', { clientId: 'nobody', projectIds: [projectId] })).rejects.toThrow('NOT_FOUND');
    await world.owner('client_revoke', { clientId });
    await expect(list([projectId])).rejects.toThrow('CONFLICT');
  });
});
