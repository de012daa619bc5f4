// Signing in as a person does: a program opens the owner's browser, the owner allows less than was asked, and later ends it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Envelope } from '#shared/envelope.ts';
import { violationsOn } from './accessible.ts';
import { openBrowser, place, repositoryAt, start, type Place, type Running } from './product.ts';

let work: Place;
let bridge: Running;
let browser: Browser;
let page: Page;
let callback: Server;
let back: Promise<URL>;

beforeAll(async () => {
  work = place();
  bridge = await start(
    join(work.path, 'home'),
    '--tools',
    'compact',
    '--project',
    repositoryAt(join(work.path, 'shop'), { 'a.txt': 'alpha\n' }),
  );
  browser = await openBrowser();
  page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(bridge.line.ownerLink);
  await page.getByRole('heading', { name: 'Now' }).waitFor();
  callback = createServer();
  back = new Promise((resolve) =>
    callback.on('request', ({ url }, answer) => {
      answer.end('You can close this page.');
      if (url?.startsWith('/callback') === true) resolve(new URL(url, 'http://127.0.0.1'));
    }),
  );
  await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  callback?.closeAllConnections();
  callback?.close();
  await browser?.close();
  await bridge?.stop();
  work?.[Symbol.dispose]();
});

/** What a program keeps between its runs. */
function keeper(redirectUrl: string) {
  const kept: Record<string, unknown> = {};
  const opened: URL[] = [];
  return {
    opened,
    provider: {
      redirectUrl,
      clientMetadata: { client_name: 'Night Editor', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
      clientInformation: () => kept['client'],
      saveClientInformation: (client: unknown) => void (kept['client'] = client),
      tokens: () => kept['tokens'],
      saveTokens: (tokens: unknown) => void (kept['tokens'] = tokens),
      redirectToAuthorization: (url: URL) => void opened.push(url),
      saveCodeVerifier: (verifier: string) => void (kept['verifier'] = verifier),
      codeVerifier: () => kept['verifier'],
    },
  };
}

describe('a program that signs in', () => {
  it(
    'is allowed by the owner in the console, does what was allowed through a gateway, and is ended there',
    { timeout: 60_000 },
    async () => {
      const { opened, provider } = keeper(`http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`);
      const transport = () => new StreamableHTTPClientTransport(new URL(bridge.line.mcpUrl), { authProvider: provider as never });
      const first = transport();
      await expect(new Client({ name: 'night', version: '1' }).connect(first as never)).rejects.toThrow();

      await page.goto(opened[0]?.href ?? '');
      await page.getByText('wants to sign in').waitFor();
      expect(page.url()).toContain(`${bridge.line.consoleUrl}/#/consent/`);
      await page.getByText('Night Editor').first().waitFor();
      expect(await violationsOn(page)).toEqual([]);
      const scopes = page.getByRole('group', { name: 'It may' });
      await scopes.getByRole('checkbox').nth(2).uncheck();
      await scopes.getByRole('checkbox').nth(1).uncheck();
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await first.finishAuth((await back).searchParams.get('code') ?? '');

      const client = new Client({ name: 'night', version: '1' });
      await client.connect(transport() as never);
      expect((await client.listTools()).tools).toHaveLength(19);
      const call = async (name: string, args: object) => {
        const { content } = (await client.callTool({ name, arguments: { ...args } })) as { content: { text: string }[] };
        return JSON.parse(content[0]?.text ?? '') as Envelope;
      };
      const { projectId } = bridge.line.projects[0] ?? {};
      const { workspaceId, workspaceEpoch } = await call('project_overview', { targetProjectId: projectId });
      const pair = { workspaceId, workspaceEpoch, targetProjectId: projectId };
      const read = await call('dodo_read', { ...pair, operation: 'read_files', args: { files: [{ path: 'a.txt' }] } });
      expect(read).toMatchObject({ ok: true, data: { files: [{ path: 'a.txt' }] } });
      const written = await call('dodo_write', { ...pair, operation: 'make_directory', args: { path: 'b' } });
      expect(written.error).toMatchObject({ code: 'FORBIDDEN', detail: { requiredScope: 'dodo:write' } });

      await page.goto(`${bridge.line.consoleUrl}/#/connections`);
      await page.getByRole('link', { name: 'Night Editor' }).click();
      expect(await violationsOn(page)).toEqual([]);
      await page
        .getByRole('button', { name: /Revoke/ })
        .first()
        .click();
      await page
        .getByRole('group')
        .getByRole('button', { name: /Revoke/ })
        .first()
        .click();
      await page.getByText('Revoked', { exact: true }).first().waitFor();
      await expect(client.listTools()).rejects.toThrow();
      await client.close();
    },
  );
});
