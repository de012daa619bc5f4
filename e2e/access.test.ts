// The owner decides who may do what: the mode is seen before it is switched, limits hold at once, and each client's right is told in words.
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright';
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
  const issue = (name: string) => (JSON.parse(drawbridge('token', '--name', name, '--json', '--home', home)) as { bearer: string }).bearer;
  client = await overHttp(bridge.line.mcpUrl, issue('Night Editor'));
  issue('Never called');
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

const visit = (name: string) => page.getByRole('navigation').filter({ visible: true }).getByRole('link', { name, exact: true }).click();
const folder = async (path: string) => (await client.call('make_directory', { path })).error?.code ?? null;
const token = (name: string): Locator => page.getByRole('list', { name: 'Tokens' }).getByRole('listitem').filter({ hasText: name });
const settings = async () => {
  await visit('Settings');
  await page.getByRole('heading', { name: 'Who may do what' }).waitFor();
};

describe.sequential('access', () => {
  it('tells of each client what it may do, and whether a call of it was seen', async () => {
    await visit('Connections');
    await token('Night Editor').getByText('shop: read and change files').waitFor();
    await token('Night Editor').getByText('First call seen').waitFor();
    await token('Never called').getByText('No call seen yet').waitFor();
    await page.getByText('shop: read and change files; asks first to run commands').waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it('a lower limit of a project holds from the next call, and nothing before it is applied', async () => {
    await settings();
    expect(await violationsOn(page)).toEqual([]);
    const limit = page.getByRole('group', { name: 'shop' });
    await limit.getByLabel('At most').selectOption({ label: 'Read' });
    expect(await folder('before')).toBeNull();
    expect(await violationsOn(page)).toEqual([]);
    await limit.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Changed: shop.').waitFor();
    expect(await folder('after')).toBe('FORBIDDEN');
    await visit('Connections');
    await token('Night Editor').getByText('shop: read', { exact: false }).waitFor();
    expect(await token('Night Editor').textContent()).not.toContain('change files');
    await settings();
    await limit.getByLabel('At most').selectOption({ label: 'Also run programs' });
    await limit.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => folder('again')).toBeNull();
  });

  it('the mode is switched only after its effect was on the screen, by the keyboard alone', async () => {
    await settings();
    await page.getByRole('radio', { name: /^Personal/ }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const preview = page.getByRole('group', { name: 'Switching to Managed changes these rights' });
    await preview.waitFor();
    expect(await preview.textContent()).toMatch(/Night Editor · shop.*now: read and change files.*then: nothing/s);
    expect(await violationsOn(page)).toEqual([]);
    expect(await folder('still-personal')).toBeNull();
    for (let step = 0; step < 4; step += 1) {
      if ((await page.evaluate('document.activeElement.textContent')) === 'Switch to Managed') break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByText('The mode is Managed from the next call on.').waitFor();
    expect(await folder('managed')).not.toBeNull();
  });

  it('in managed mode a token is given its projects, and each project says what runs unasked', async () => {
    await visit('Connections');
    await token('Night Editor').getByText('in managed mode it needs a list of projects').waitFor();
    await token('Night Editor').getByRole('link').click();
    const inspector = page.locator('aside');
    await inspector.getByRole('checkbox', { name: 'shop' }).check();
    await inspector.getByRole('button', { name: 'Apply' }).click();
    await inspector.getByText('shop: read; asks first to change files').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(await folder('asked')).toBe('APPROVAL_REQUIRED');
    await page.keyboard.press('Escape');
    await settings();
    const limit = page.getByRole('group', { name: 'shop' });
    await limit.getByLabel('Unasked').selectOption({ label: 'Undoable changes too' });
    await limit.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => folder('unasked')).toBeNull();
  });

  it('chooses what clients are offered, and hides an operation and offers it again', async () => {
    await settings();
    await page.getByRole('radio', { name: /^Hybrid/ }).check();
    await page.getByRole('checkbox', { name: 'Offer sub-agents to clients' }).check();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Changed: What clients are offered.').waitFor();
    await page.getByRole('combobox', { name: 'Operation' }).fill('no_such_operation');
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByText('does not exist or cannot be hidden').waitFor();
    await page.getByRole('combobox', { name: 'Operation' }).fill('delete_path');
    await page.getByRole('button', { name: 'Hide' }).click();
    const hidden = page.getByRole('list', { name: 'Hidden operations' });
    await hidden.getByText('delete_path').waitFor();
    await page.reload();
    await hidden.getByText('delete_path').waitFor();
    expect(await page.getByRole('radio', { name: /^Hybrid/ }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Offer sub-agents to clients' }).isChecked()).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    await hidden.getByRole('button', { name: 'Offer again: delete_path' }).click();
    await hidden.getByText('Nothing is hidden.').waitFor();
  });
});
