// The owner answers: every request in one place, with what became of it; once, or for a while, and no wider than was asked.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violationsOn } from './accessible.ts';
import { overHttp, type Caller } from './mcp.ts';
import { drawbridge, openBrowser, place, repositoryAt, start, type Place, type Running } from './product.ts';

let work: Place;
let bridge: Running;
let browser: Browser;
let page: Page;
let client: Caller;

beforeAll(async () => {
  work = place();
  const home = join(work.path, 'home');
  bridge = await start(home, '--project', repositoryAt(join(work.path, 'shop'), { 'README.md': '# shop\n' }));
  const { bearer } = JSON.parse(drawbridge('token', '--name', 'Night Editor', '--json', '--home', home)) as { bearer: string };
  client = await overHttp(bridge.line.mcpUrl, bearer);
  browser = await openBrowser();
  page = await (await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } })).newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(bridge.line.ownerLink);
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
});

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await browser?.close();
  await bridge?.stop();
  work?.[Symbol.dispose]();
});

const rail = () => page.getByRole('navigation').filter({ visible: true });
/** Writes a Makefile, which needs the owner; answers the code of the refusal, or null. */
const write = async (path: string, content: string, before?: string) =>
  (await client.call('write_file', { path, expectedHash: before === undefined ? 'absent' : sha256(before), content })).error?.code ?? null;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe.sequential('approvals', () => {
  it('are a screen of their own, which says that nothing waits', async () => {
    await rail().getByRole('link', { name: 'Approvals' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    await page.getByText('No request has been answered yet.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it('lists all that waits, counted in the navigation, while Now keeps a short list', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) expect(await write(`${name}/Makefile`, 'all:\n')).toBe('APPROVAL_REQUIRED');
    await expect.poll(() => page.locator('article.ask').count()).toBe(6);
    await rail().getByRole('link', { name: 'Approvals 6 requests wait for you' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await rail().getByRole('link', { name: 'Now' }).click();
    await page.getByRole('link', { name: 'All 6 requests that wait' }).click();
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
  });

  it('opens and answers one by the keyboard alone, and tells afterwards how it ended', async () => {
    await page.locator('#content').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const request = page.locator('aside');
    await request.getByRole('heading', { name: 'Create b/Makefile' }).waitFor();
    expect(page.url()).toMatch(/#\/approvals\/apr_/);
    for (let step = 0; step < 12; step += 1) {
      if ((await page.evaluate('document.activeElement.textContent')) === 'Deny…') break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.keyboard.type('use the one at the root');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await request.getByText(/^Denied by/).waitFor();
    await page.keyboard.press('Escape');
    const row = page.getByRole('listitem').filter({ hasText: 'Create b/Makefile' });
    await row.getByText('Denied').waitFor();
    await row.getByText('use the one at the root').waitFor();
    await rail().getByRole('link', { name: 'Approvals 5 requests wait for you' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it('allows for a while what was asked and nothing wider, says so before, and ends it in Connections', async () => {
    await page.getByRole('article').filter({ hasText: 'c/Makefile' }).getByRole('link').click();
    const request = page.locator('aside');
    await request.getByRole('button', { name: 'Allow for a while…' }).click();
    const choice = request.getByRole('group', { name: 'Allow for a while…' });
    for (const said of ['Night Editor', 'write_file', 'shop', 'c/Makefile', 'nothing wider', 'end it at any time in Connections'])
      expect(await choice.textContent()).toContain(said);
    await choice.getByRole('combobox').selectOption({ label: '8 hr' });
    expect(await violationsOn(page)).toEqual([]);
    await choice.getByRole('button', { name: 'Allow for 8 hr' }).click();
    await request.getByText(/^Allowed for a while by/).waitFor();
    expect(await write('c/Makefile', 'all: other words\n')).toBeNull();
    expect(await write('g/Makefile', 'all:\n')).toBe('APPROVAL_REQUIRED');

    await rail().getByRole('link', { name: 'Connections' }).click();
    const held = page.getByRole('list', { name: 'Standing permissions' }).getByRole('listitem');
    await held.getByText('used 1 time').waitFor();
    expect(await held.textContent()).toMatch(/Holds.*Night Editor.*write_file.*shop.*c\/Makefile/s);
    await held.getByRole('link').first().click();
    await page.locator('aside').getByText('the build tool runs what stands in this file').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await held.getByRole('button', { name: 'End: write_file by Night Editor' }).click();
    await page.getByText('Nothing is allowed for a while.').waitFor();
    expect(await write('c/Makefile', 'all: again\n', 'all: other words\n')).toBe('APPROVAL_REQUIRED');
    await page.getByRole('button', { name: 'Show 1 that is over' }).click();
    await held.getByText('Ended').waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });
});
