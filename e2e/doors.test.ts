// The doors of the built product as an attacker finds them: a fresh install, another page in the owner's own browser, an address made to mislead, a clock that is wrong.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overHttp } from './mcp.ts';
import { drawbridge, entry, openBrowser, place, repositoryAt, start, type Place, type Running } from './product.ts';

let work: Place;
let bridge: Running;
let browser: Browser;
let next = 0;
const home = () => join(work.path, 'home');

beforeAll(async () => {
  work = place();
  bridge = await start(home(), '--project', repositoryAt(join(work.path, 'shop'), { 'README.md': '# shop\n' }));
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  await bridge?.stop();
  work?.[Symbol.dispose]();
});

/** A browser of the owner's, signed in; its clock is off by so much. */
async function owners(offMs = 0): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  if (offMs !== 0) await page.clock.install({ time: Date.now() + offMs });
  const { ownerLink } = JSON.parse(drawbridge('link', '--json', '--home', home())) as { ownerLink: string };
  await page.goto((next += 1) === 1 ? bridge.line.ownerLink : ownerLink);
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
  return { context, page };
}

describe('a fresh install', () => {
  it('S02 answers 401 everywhere but at the shell, at liveness, at metadata and where one signs in', async () => {
    using here = place();
    await using fresh = await start(join(here.path, 'fresh'));
    const { origin } = new URL(fresh.line.mcpUrl);
    const statusOf = async (url: string, method: string) => (await fetch(url, { method, redirect: 'manual' })).status;
    const closed = ['/mcp', '/mcp?x=1'].map((path) => origin + path);
    closed.push(
      ...['/api/session', '/api/call/bridge_status', '/api/call/approval_decide', '/ws'].map((path) => fresh.line.consoleUrl + path),
    );
    for (const url of closed)
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        if (url.endsWith('/api/session') && method === 'POST') continue;
        expect([url, method, await statusOf(url, method)]).toEqual([url, method, 401]);
      }
    expect(await statusOf(`${fresh.line.consoleUrl}/api/session`, 'POST')).toBeGreaterThanOrEqual(400);
    const none = ['/', '/sse', '/message', '/register', '/admin', '/metrics', '/debug', '/.well-known/x', '/mcp/'].map(
      (path) => origin + path,
    );
    for (const url of none) expect([url, await statusOf(url, 'GET')]).toEqual([url, 404]);
    const open = ['/healthz', '/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server', '/oauth/jwks'];
    for (const path of open) expect([path, await statusOf(origin + path, 'GET')]).toEqual([path, 200]);
    for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/register'])
      expect([path, await statusOf(origin + path, 'POST')]).toEqual([path, 400]);
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    for (const url of [`${origin}/mcp`, `${fresh.line.consoleUrl}/api/call/token_issue`]) {
      const answer = await fetch(url, { method: 'OPTIONS', headers: preflight });
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it.each(['--host', '--bind', '--listen', '--lan'])(
    'S02 cannot be told by %s to listen to a network, and does not start then',
    async (flag) => {
      using here = place();
      const args = [entry, 'start', '--json', '--no-open', '--home', join(here.path, 'home'), '--mcp-port', '0', '--console-port', '0'];
      const { exitCode, stdout } = await execa(process.execPath, [...args, flag, '0.0.0.0'], {
        reject: false,
        stdin: 'ignore',
        timeout: 20_000,
      });
      expect(exitCode).toBeGreaterThan(0);
      expect(stdout).toBe('');
    },
  );
});

describe('S03 another page in a browser that holds the session', () => {
  let evil: Server;
  let evilUrl: string;
  beforeAll(async () => {
    evil = createServer((_request, answer) => answer.setHeader('content-type', 'text/html').end('<!doctype html><title>x</title>'));
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    // The same host as the console's: the browser sends the owner's cookie to it and from it.
    evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/`;
  });
  afterAll(() => void evil?.close());

  it('opens no stream, reads nothing, issues nothing and frames nothing', async () => {
    const { context, page: own } = await owners();
    const page = await context.newPage();
    await page.goto(evilUrl);
    const { consoleUrl, mcpUrl } = bridge.line;
    const tried = await page.evaluate(
      async ([consoleAt, mcpAt]) => {
        const told = (work: Promise<unknown>) =>
          work.then(
            () => 'it went through',
            () => 'refused',
          );
        const stream = (url: string) =>
          new Promise((resolve, reject) => {
            const socket = new WebSocket(url);
            socket.onopen = resolve;
            socket.onerror = reject;
          });
        const body = JSON.stringify({ input: { name: 'stolen' }, context: {} });
        const simple = {
          method: 'POST',
          credentials: 'include',
          mode: 'no-cors',
          headers: { 'content-type': 'text/plain' },
          body,
        } as const;
        const outcome = {
          stream: await told(stream(`${consoleAt.replace('http', 'ws')}/ws`)),
          read: await told(fetch(`${consoleAt}/api/call/bridge_status`, { method: 'POST', credentials: 'include', body })),
          session: await told(fetch(`${consoleAt}/api/session`, { credentials: 'include' })),
          mcp: await told(fetch(mcpAt, { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body })),
        };
        // What it may send without reading an answer: the account tells below that none of it counted.
        await told(fetch(`${consoleAt}/api/call/token_issue`, simple));
        await told(fetch(`${mcpAt.replace('/mcp', '/oauth/register')}`, simple));
        return outcome;
      },
      [consoleUrl, mcpUrl] as const,
    );
    expect(tried).toEqual({ stream: 'refused', read: 'refused', session: 'refused', mcp: 'refused' });
    await page.setContent(`<iframe src="${consoleUrl}"></iframe>`);
    await expect.poll(() => page.frames().length).toBe(2);
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);

    expect(drawbridge('token', 'list', '--home', home())).not.toContain('stolen');
    // The guard is what refused it: the console itself, in the same browser, is served.
    expect(await own.evaluate(async () => (await fetch('/api/session')).status)).toBe(200);
    await context.close();
  });

  it.each([
    '/?bridge=wss://evil.example/ws',
    '/?gatewayUrl=wss://evil.example/ws&token=x',
    '/#bridge=wss://evil.example/ws',
    '/#/now?bridge=wss://evil.example/ws',
    '/#link=x&bridge=wss://evil.example/ws',
    '/?redirect=https://evil.example/#/connections',
  ])('is led by %s to no origin but its own, and a message from a page changes nothing', async (address) => {
    const { context, page } = await owners();
    const asked = new Set<string>();
    page.on('request', (request) => void asked.add(new URL(request.url()).host));
    page.on('websocket', (socket) => void asked.add(new URL(socket.url()).host));
    await page.goto(bridge.line.consoleUrl + address);
    await page.reload();
    await page.getByRole('main').waitFor();
    const messages = [{ bridge: 'wss://evil.example' }, { type: 'connect', url: 'wss://evil.example' }, 'bridge=wss://evil.example'];
    for (const said of messages) await page.evaluate(`window.postMessage(${JSON.stringify(said)}, '*')`);
    await expect.poll(() => page.getByText('Bridge up').filter({ visible: true }).count()).toBe(1);
    expect([...asked]).toEqual([new URL(bridge.line.consoleUrl).host]);
    const manifest = (await (await fetch(`${bridge.line.consoleUrl}/manifest.webmanifest`)).json()) as object;
    for (const way of ['share_target', 'protocol_handlers', 'file_handlers', 'url_handlers', 'scope_extensions'])
      expect(manifest).not.toHaveProperty(way);
    await context.close();
  });
});

const MINUTE_MS = 60_000;

describe('a browser whose clock is wrong', () => {
  it.each([
    ['five minutes behind', -5 * MINUTE_MS, /clock is (4|5) min.* behind/],
    ['five minutes ahead', 5 * MINUTE_MS, /clock is (4|5) min.* ahead/],
    ['a day ahead', 24 * 60 * MINUTE_MS, /clock is (1 day|24 hr|23 hr).* ahead/],
  ])('B38 B40 %s is told so, and answers a request that the bridge still holds open', async (_what, offMs, words) => {
    const { context, page } = await owners(offMs);
    await page.goto(`${bridge.line.consoleUrl}/#/settings`);
    await page.getByText(words).waitFor();
    const { bearer } = JSON.parse(drawbridge('token', '--name', 'Night Editor', '--json', '--home', home())) as { bearer: string };
    await using client = await overHttp(bridge.line.mcpUrl, bearer);
    const write = { path: `at-${offMs < 0 ? 'm' : 'p'}${Math.abs(offMs)}/Makefile`, expectedHash: 'absent', content: 'all:\n' };
    const asked = (await client.call('write_file', write)).error;
    expect(asked?.code).toBe('APPROVAL_REQUIRED');
    await page.goto(String(asked?.detail?.['address']));
    const allow = page.locator('aside').getByRole('button', { name: 'Allow once' });
    await allow.waitFor();
    await expect.poll(() => allow.isEnabled()).toBe(true);
    await allow.click();
    await page
      .locator('aside')
      .getByText(/^Allowed by/)
      .waitFor();
    expect((await client.call('write_file', write)).error).toBeNull();
    await context.close();
  });
});

describe('two browsers of the owner', () => {
  it('B40 answer one request at the same moment: one answer stands, and both tell whose it is', async () => {
    const { bearer } = JSON.parse(drawbridge('token', '--name', 'Day Editor', '--json', '--home', home())) as { bearer: string };
    await using client = await overHttp(bridge.line.mcpUrl, bearer);
    const write = { path: 'both/Makefile', expectedHash: 'absent', content: 'all:\n' };
    const asked = (await client.call('write_file', write)).error;
    const [desk, phone] = [await owners(), await owners()];
    const [left, right] = [desk, phone].map(({ page }) => page.locator('aside'));
    if (left === undefined || right === undefined) throw new Error('There are two browsers.');
    for (const { page } of [desk, phone]) await page.goto(String(asked?.detail?.['address']));
    const allow = left.getByRole('button', { name: 'Allow once' });
    await expect.poll(() => allow.isEnabled()).toBe(true);
    await right.getByRole('button', { name: 'Deny…' }).click();
    const deny = right.getByRole('button', { name: 'Deny', exact: true });
    await deny.waitFor();
    await Promise.all([allow.click(), deny.click()]);
    const { data } = await client.call('approval_status', { approvalId: asked?.detail?.['approvalId'] });
    const outcome = data?.['status'] === 'approved' ? /^Allowed by/ : /^Denied by/;
    for (const side of [left, right]) await side.getByText(outcome).waitFor();
    expect((await client.call('write_file', write)).error?.code ?? null).toBe(data?.['status'] === 'approved' ? null : 'FORBIDDEN');
    for (const { context } of [desk, phone]) await context.close();
  });
});
