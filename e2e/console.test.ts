// What the console looks like in use, on a laptop and on a phone: nothing that has to be seen is cut, covered or below the edge.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violationsOn } from './accessible.ts';
import { overHttp, type Caller } from './mcp.ts';
import { drawbridge, openBrowser, place, repositoryAt, start, type Place, type Running } from './product.ts';

const sizes = [
  ['a laptop', { width: 1280, height: 800 }],
  ['a phone', { width: 412, height: 915 }],
] as const;

let work: Place;
let bridge: Running;
let browser: Browser;
let page: Page;
let client: Caller;
const asked: string[] = [];
const root = () => join(work.path, 'shop');
const hash = (path: string) =>
  createHash('sha256')
    .update(readFileSync(join(root(), path)))
    .digest('hex');

beforeAll(async () => {
  work = place();
  const home = join(work.path, 'home');
  const files = { 'src/cart.ts': 'export const first = 1;\n', Makefile: 'test:\n\tnpm test\n' };
  bridge = await start(home, '--project', repositoryAt(root(), files));
  const { bearer } = JSON.parse(drawbridge('token', '--name', 'Claude Code', '--json', '--home', home)) as { bearer: string };
  client = await overHttp(bridge.line.mcpUrl, bearer);
  await client.call('edit_file', {
    path: 'src/cart.ts',
    expectedHash: hash('src/cart.ts'),
    edits: [{ find: 'first = 1', replace: 'first = 10' }],
  });
  const contents = ['all:\n\t@true\n', `${'ok:\n\t@true\n'.repeat(120)}last:\n\t@false\n`];
  for (const [index, content] of contents.entries()) {
    const { error } = await client.call('write_file', { path: `sub${index}/Makefile`, expectedHash: 'absent', content });
    asked.push(String(error?.detail?.['approvalId']));
  }
  browser = await openBrowser();
  page = await (await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' })).newPage();
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

const open = async (address: string) => {
  await page.goto(`${bridge.line.consoleUrl}/#/${address}`);
};
/** Whole inside the window, and what a finger at its middle and near its corners would hit. */
async function isWholeAndFree(control: Locator): Promise<boolean> {
  return control.evaluate((element) => {
    const view = globalThis as unknown as { innerWidth: number; innerHeight: number };
    const { left, top, right, bottom } = element.getBoundingClientRect();
    if (left < 0 || top < 0 || right > view.innerWidth || bottom > view.innerHeight) return false;
    const points = [
      [(left + right) / 2, (top + bottom) / 2],
      [left + 4, top + 4],
      [right - 4, bottom - 4],
    ];
    return points.every(([x = 0, y = 0]) => element.contains(element.ownerDocument.elementFromPoint(x, y)));
  });
}
const addresses = () => ['now', 'approvals', 'projects', 'activity', 'connections', 'settings', `approvals/${asked[0]}`];
/** Opens an address and waits until it is there. */
const visit = async (address: string) => {
  await open(address);
  await page
    .locator(address.includes('/') ? '.foot .acts' : 'h1')
    .first()
    .waitFor();
};
/** Undoes or redoes the first edit from its row. */
async function turnEdit(way: 'Undo' | 'Redo'): Promise<void> {
  await open('activity');
  await page
    .locator('.row.log', { hasText: 'edit_file' })
    .getByRole('button', { name: `${way} src/cart.ts` })
    .click();
  const other = way === 'Undo' ? 'Redo' : 'Undo';
  await page
    .locator('.row.log', { hasText: 'edit_file' })
    .getByRole('button', { name: `${other} src/cart.ts` })
    .waitFor();
}
const isUncut = (element: Locator) => element.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
const answers = (within: Locator) => [
  within.getByRole('button', { name: 'Allow once' }),
  within.getByRole('button', { name: 'Deny…', exact: true }),
];

describe.each(sizes)('on %s', (_name, viewport) => {
  beforeAll(() => page.setViewportSize(viewport));

  it('S19 the answer to a request is whole in view beside words of any length, and allowing waits for their end', async () => {
    await open(`approvals/${asked[1]}`);
    await page.reload();
    const request = page.locator('aside');
    const [allow, deny] = answers(request) as [Locator, Locator];
    await allow.waitFor();
    for (const button of [allow, deny]) expect(await isWholeAndFree(button)).toBe(true);
    expect(await allow.isDisabled()).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    await request.locator('.inside').evaluate((inside) => inside.scrollTo({ top: inside.scrollHeight }));
    await expect.poll(() => allow.isEnabled()).toBe(true);
    for (const button of [allow, deny]) expect(await isWholeAndFree(button)).toBe(true);
    await request.getByRole('button', { name: 'Allow for a while…' }).click();
    expect(await isWholeAndFree(request.getByRole('button', { name: 'Allow for 1 hr' }))).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    await request.getByRole('button', { name: 'Cancel' }).click();
  });

  it('the answer on Now is whole in view', async () => {
    await open('now');
    const card = page.locator('article.ask').first();
    for (const button of answers(card)) {
      await button.waitFor();
      expect(await isWholeAndFree(button)).toBe(true);
    }
  });

  it('the state of the bridge has words on every screen and beside whatever is open', async () => {
    for (const address of addresses()) {
      await open(address);
      await expect.poll(() => page.getByText('Bridge up').filter({ visible: true }).count(), { message: address }).toBe(1);
    }
  });

  it('no screen has a violation, in light and in dark', { timeout: 60_000 }, async () => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const address of addresses()) {
        await visit(address);
        expect(await violationsOn(page), `${address} ${colorScheme}`).toEqual([]);
      }
    }
  });

  it.each(['en', 'ja', 'th'])('no screen runs out of the window in %s', async (language) => {
    await page.evaluate(`localStorage.setItem('drawbridge.language', '${language}')`);
    await page.reload();
    for (const address of addresses()) {
      await visit(address);
      for (const frame of await page.locator('html, .screen, .inside, nav, nav a').filter({ visible: true }).all())
        expect(await isUncut(frame), `${address}: ${await frame.textContent()}`).toBe(true);
    }
    await page.evaluate(`localStorage.removeItem('drawbridge.language')`);
    await page.reload();
  });

  it('words about what was done are said once, cover nothing, take two lines at most, wait under the hand and leave', async () => {
    await open('projects');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const notices = page.locator('.notices');
    const copy = async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Find or do anything' }).waitFor();
      await page.keyboard.type('Copy the MCP');
      await page.getByRole('option', { name: 'Copy the MCP address' }).waitFor();
      await page.keyboard.press('Enter');
    };
    await copy();
    await notices.getByText('Copied').waitFor();
    await notices.hover();
    await copy();
    await expect.poll(() => notices.locator('.notice').count()).toBe(1);
    await turnEdit('Undo');
    await turnEdit('Redo');
    await notices.getByText('Done again').waitFor();
    // Under the hand they stay, however long the next one takes.
    await notices.hover();
    await copy();
    await expect.poll(() => notices.locator('.notice').count(), { timeout: 5_000 }).toBe(2);
    const notice = await notices.boundingBox();
    expect(notice?.height).toBeLessThan(viewport.width > 720 ? 72 : 96);
    const covered = page.locator('main, nav:visible').filter({ visible: true });
    for (const box of await Promise.all((await covered.all()).map((element) => element.boundingBox()))) {
      const isBeside = box !== null && notice !== null && (box.y + box.height <= notice.y || box.y >= notice.y + notice.height);
      const isAside = box !== null && notice !== null && (box.x + box.width <= notice.x || box.x >= notice.x + notice.width);
      expect(isBeside || isAside).toBe(true);
    }
    await notices.hover();
    await new Promise((resolve) => setTimeout(resolve, 9000));
    expect(await notices.locator('.notice').count()).toBe(2);
    await page.getByRole('heading', { name: 'Activity', level: 1 }).hover();
    await expect.poll(() => notices.locator('.notice').count(), { timeout: 10_000 }).toBe(0);
  });

  it('one change offers one button, and a notice offers nothing that was done otherwise', async () => {
    const notices = page.locator('.notices');
    await turnEdit('Undo');
    await notices.getByRole('button', { name: 'Redo' }).waitFor();
    await notices.hover();
    await turnEdit('Redo');
    await notices.getByText('Done again').waitFor();
    expect(await notices.getByRole('button', { name: 'Redo' }).count()).toBe(0);
    expect(
      await page
        .locator('.row.log')
        .getByRole('button', { name: /^(Undo|Redo) / })
        .count(),
    ).toBe(1);
  });

  it('a request says its keys only while they work, and is reached by the arrows', async () => {
    await open('approvals');
    await open('now');
    const card = page.locator('article.ask[tabindex]').first();
    const hints = card.locator('.keys');
    await card.waitFor();
    expect(await hints.isVisible()).toBe(false);
    await page.locator('#content').focus();
    await page.keyboard.press('d');
    expect(await card.getByLabel('Note to the agent').count()).toBe(0);
    await page.keyboard.press('ArrowDown');
    expect(await card.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    if (viewport.width > 720) expect(await hints.isVisible()).toBe(true);
    await page.keyboard.press('ArrowDown');
    expect(await hints.isVisible()).toBe(false);
    await page.keyboard.press('ArrowUp');
    await new Promise((resolve) => setTimeout(resolve, 800));
    await page.keyboard.press('d');
    await card.getByLabel('Note to the agent').waitFor();
    await card.getByRole('button', { name: 'Cancel' }).click();
  });

  it('one row of the palette is chosen, by the hand or by the keys', async () => {
    await open('now');
    await page.keyboard.press('Control+k');
    const rows = page.getByRole('option');
    const chosen = page.getByRole('option', { selected: true });
    for (const move of [() => rows.nth(3).hover(), () => page.keyboard.press('ArrowDown'), () => rows.nth(1).hover()]) {
      await move();
      expect(await chosen.count()).toBe(1);
      const colours = await rows.evaluateAll((all) =>
        all.map((row) => row.ownerDocument.defaultView?.getComputedStyle(row).backgroundColor),
      );
      expect(new Set(colours).size).toBe(2);
      expect(colours.filter((colour) => colour !== colours[6])).toHaveLength(1);
    }
    expect(await chosen.textContent()).toBe(await rows.nth(1).textContent());
    await page.keyboard.press('Escape');
  });

  it('what is to be run or pressed is not cut', async () => {
    await open('connections');
    for (const text of await page.locator('pre').all()) expect(await isUncut(text)).toBe(true);
    for (const text of await page.locator('.finder, .finder span, nav a').filter({ visible: true }).all())
      expect(await isUncut(text), (await text.textContent()) ?? '').toBe(true);
  });

  it('one question is one row of the activity, and no line of the account is in none', async () => {
    await open('activity');
    const row = page.locator('.row.log');
    await row.first().waitFor();
    await expect.poll(() => row.filter({ hasText: 'Asked' }).count()).toBe(asked.length);
    const told = await page
      .locator('.row .number')
      .evaluateAll((all) => all.flatMap((number) => [number.textContent, ...(number.getAttribute('data-also') ?? '').split(' ')]));
    const numbers = told
      .filter((text) => text !== '')
      .map(Number)
      .sort((left, right) => left - right);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  it('a row says what was done in words, and who did it also while an inspector is open', async () => {
    await open('settings');
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByText(/#link=/).waitFor();
    await open('activity');
    await page.locator('.row', { hasText: 'Made a one-time link' }).first().waitFor();
    const edit = page.locator('.row.log', { hasText: 'edit_file' }).first();
    const who = edit.getByText('Claude Code');
    expect(await who.isVisible()).toBe(true);
    await edit.getByRole('link').first().click();
    await page.locator('aside').waitFor();
    if (viewport.width > 1180) expect((await who.isVisible()) && (await isUncut(who))).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
  });
});
