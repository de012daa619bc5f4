// Signing in as a person does: a program opens the owner's browser, the owner allows less than was asked, and later ends it.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violationsOn } from './accessible.ts';
import { installInspector } from './inspector.ts';
import { openBrowser, place, repositoryAt, start, type Running } from './product.ts';
import { ofInspector, ofSdk, type Program, sdk1, sdk2 } from './programs.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
// Its first use downloads it, which is no part of what is timed below.
beforeAll(installInspector, 600_000);
afterAll(() => browser?.close());

const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const programs: [string, (mcpUrl: string, path: string) => Promise<Program>][] = [
  ['SDK 1', (mcpUrl) => ofSdk(sdk1, mcpUrl)],
  ['SDK 2, 2025 revision', (mcpUrl) => ofSdk(sdk2(), mcpUrl)],
  ['SDK 2, 2026-07-28', (mcpUrl) => ofSdk(sdk2(modern), mcpUrl)],
  ['inspector, 2025 revision', (mcpUrl, path) => ofInspector('legacy', mcpUrl, path)],
  ['inspector, 2026-07-28', (mcpUrl, path) => ofInspector('modern', mcpUrl, path)],
];

/** The console, opened by the owner's link. */
async function consoleOf(bridge: Running): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(bridge.line.ownerLink);
  await page.getByRole('heading', { name: 'Now' }).waitFor();
  return page;
}

/** Follows a program to the consent and allows reading alone. */
async function consent(page: Page, { address, name, consoleUrl }: { address: string; name: string; consoleUrl: string }): Promise<void> {
  await page.goto(address);
  await page.getByText('wants to sign in').waitFor();
  expect(page.url()).toContain(`${consoleUrl}/#/consent/`);
  await page.getByText(name).first().waitFor();
  expect(await violationsOn(page)).toEqual([]);
  const scopes = page.getByRole('group', { name: 'It may' });
  for (const other of [2, 1]) await scopes.getByRole('checkbox').nth(other).uncheck();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL(/\/callback\?/);
}

async function revoke(page: Page, consoleUrl: string, name: string): Promise<void> {
  await page.goto(`${consoleUrl}/#/connections`);
  await page.getByRole('link', { name }).click();
  expect(await violationsOn(page)).toEqual([]);
  const button = { name: /Revoke/ };
  await page.getByRole('button', button).first().click();
  await page.getByRole('group').getByRole('button', button).first().click();
  await page.getByText('Revoked', { exact: true }).first().waitFor();
}

describe('a program that signs in', () => {
  it.each(programs)(
    '%s: is allowed by the owner in the console, does what was allowed through a gateway, and is ended there',
    async (_name, programAt) => {
      using here = place();
      const root = repositoryAt(join(here.path, 'shop'), { 'a.txt': 'alpha\n' });
      await using bridge = await start(join(here.path, 'home'), '--tools', 'compact', '--project', root);
      const { mcpUrl, consoleUrl, projects } = bridge.line;
      const page = await consoleOf(bridge);
      await using program = await programAt(mcpUrl, here.path);

      const { page: address, done } = await program.signIn();
      await consent(page, { address, name: program.name, consoleUrl });
      expect(await done()).toHaveLength(19);

      const { projectId } = projects[0] ?? {};
      const { workspaceId, workspaceEpoch } = await program.call('project_overview', { targetProjectId: projectId });
      const pair = { workspaceId, workspaceEpoch, targetProjectId: projectId };
      const read = await program.call('dodo_read', { ...pair, operation: 'read_files', args: { files: [{ path: 'a.txt' }] } });
      expect(read).toMatchObject({ ok: true, data: { files: [{ path: 'a.txt' }] } });
      const written = await program.call('dodo_write', { ...pair, operation: 'make_directory', args: { path: 'b' } });
      expect(written.error).toMatchObject({ code: 'FORBIDDEN', detail: { requiredScope: 'dodo:write' } });

      await revoke(page, consoleUrl, program.name);
      await expect(program.call('project_overview', { targetProjectId: projectId })).rejects.toThrow();
      await page.context().close();
    },
    90_000,
  );
});
