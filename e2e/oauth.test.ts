// Signing in as a person does: a program opens the owner's browser, the owner allows less than was asked, and later ends it.
import { existsSync } from 'node:fs';
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
interface Kind {
  of(mcpUrl: string, path: string): Promise<Program>;
  /** null: it signs in for more when a call needs that. Otherwise, how it ends instead. */
  instead: RegExp | null;
}

const programs: [string, Kind][] = [
  // It trades its refresh token, which cannot give more, and goes no further (typescript-sdk#2255).
  ['SDK 1', { of: (mcpUrl) => ofSdk(sdk1, mcpUrl), instead: /403 after trying upscoping/ }],
  ['SDK 2, 2025 revision', { of: (mcpUrl) => ofSdk(sdk2(), mcpUrl), instead: null }],
  ['SDK 2, 2026-07-28', { of: (mcpUrl) => ofSdk(sdk2(modern), mcpUrl), instead: null }],
  ['inspector, 2025 revision', { of: (mcpUrl, path) => ofInspector('legacy', mcpUrl, path), instead: null }],
  ['inspector, 2026-07-28', { of: (mcpUrl, path) => ofInspector('modern', mcpUrl, path), instead: null }],
];

/** The console, opened by the owner's link. */
async function consoleOf(bridge: Running): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(bridge.line.ownerLink);
  await page.getByRole('heading', { name: 'Now' }).waitFor();
  return page;
}

interface Visit {
  address: string;
  name: string;
  consoleUrl: string;
}

/** Follows a program to the consent and allows the first of the rights that it asks for. */
async function consent(page: Page, { address, name, consoleUrl }: Visit, allowed: number): Promise<void> {
  await page.goto(address);
  await page.getByText('wants to sign in').waitFor();
  expect(page.url()).toContain(`${consoleUrl}/#/consent/`);
  await page.getByText(name).first().waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Allow', exact: true }).isEnabled()).toBe(true);
  expect(await violationsOn(page)).toEqual([]);
  const scopes = page.getByRole('group', { name: 'It may' }).getByRole('checkbox');
  // A quick answer gives the projects that there are and no running of programs.
  await expect.poll(() => page.getByRole('group', { name: 'Projects' }).getByRole('checkbox').last().isChecked()).toBe(false);
  expect(await page.getByRole('checkbox', { name: /run/i, checked: true }).count()).toBe(0);
  for (let n = (await scopes.count()) - 1; n >= allowed; n -= 1) await scopes.nth(n).uncheck();
  const back = page.waitForRequest(/\/callback\?/);
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  // The address that it comes from held the proof of the decision (S05).
  expect(await (await back).headerValue('referer')).toBeNull();
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
    '%s: is allowed by the owner in the console, does what was allowed, asks for more when it needs it, and is ended there',
    async (_name, { of, instead }) => {
      using here = place();
      const root = repositoryAt(join(here.path, 'shop'), { 'a.txt': 'alpha\n' });
      await using bridge = await start(join(here.path, 'home'), '--tools', 'compact', '--project', root);
      const { mcpUrl, consoleUrl, projects } = bridge.line;
      const page = await consoleOf(bridge);
      await using program = await of(mcpUrl, here.path);

      const { page: address, done } = await program.signIn();
      await consent(page, { address, name: program.name, consoleUrl }, 1);
      expect(await done()).toHaveLength(19);

      const { projectId } = projects[0] ?? {};
      const { workspaceId, workspaceEpoch } = await program.call('project_overview', { targetProjectId: projectId });
      const pair = { workspaceId, workspaceEpoch, targetProjectId: projectId };
      const read = await program.call('dodo_read', { ...pair, operation: 'read_files', args: { files: [{ path: 'a.txt' }] } });
      expect(read).toMatchObject({ ok: true, data: { files: [{ path: 'a.txt' }] } });
      const making = ['dodo_write', { ...pair, operation: 'make_directory', args: { path: 'b' } }] as const;
      if (instead !== null) await expect(program.callForMore(...making)).rejects.toThrow(instead);
      else {
        const more = await program.callForMore(...making);
        await consent(page, { address: more.page, name: program.name, consoleUrl }, 2);
        expect(await more.done()).toMatchObject({ ok: true });
      }
      expect(existsSync(join(root, 'b'))).toBe(instead === null);

      await revoke(page, consoleUrl, program.name);
      await expect(program.call('project_overview', { targetProjectId: projectId })).rejects.toThrow();
      await page.context().close();
    },
    180_000,
  );
});
