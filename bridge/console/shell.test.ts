// The built console over HTTP: its policy on every file, nothing outside its folder, and a missing file that is never a page.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignHosts, foreignOrigins } from '../testing/foreign.ts';
import { testConsole, type TestConsole } from '../testing/console.ts';
import { rawHttp } from '../testing/raw-http.ts';
import { CONTENT_POLICY } from './shell.ts';

const script = `export const words = ${JSON.stringify('drawbridge '.repeat(200))};`;

let bridge: TestConsole;
beforeEach(async () => {
  bridge = await testConsole();
  mkdirSync(join(bridge.webDir, 'assets'));
  writeFileSync(join(bridge.webDir, 'index.html'), '<!doctype html><title>Drawbridge</title>');
  writeFileSync(join(bridge.webDir, 'assets', 'main-1a2b3c.js'), script);
  writeFileSync(join(bridge.webDir, 'manifest.webmanifest'), '{}');
  writeFileSync(join(bridge.webDir, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(bridge.webDir, '.hidden'), 'CANARY');
  writeFileSync(join(bridge.state.home, 'secret.js'), 'CANARY');
  symlinkSync(join(bridge.state.home, 'secret.js'), join(bridge.webDir, 'link.js'));
});
afterEach(() => bridge[Symbol.asyncDispose]());

const raw = (target: string, ...lines: string[]) =>
  rawHttp(bridge.port, [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${bridge.port}`, 'Connection: close', ...lines]);

describe('shell', () => {
  it('S26 every file carries the policy and may not be sniffed, framed or used from elsewhere', async () => {
    for (const path of ['/', '/assets/main-1a2b3c.js', '/manifest.webmanifest', '/icon.svg', '/missing.js']) {
      const { headers } = await raw(path);
      expect(headers).toMatchObject({
        'content-security-policy': CONTENT_POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
      });
      expect(headers).not.toHaveProperty('strict-transport-security');
    }
    expect(CONTENT_POLICY).not.toMatch(/unsafe|\*|https?:/);
    expect(CONTENT_POLICY).toContain("frame-ancestors 'none'");
  });

  it('S26 answers of the API are JSON that cannot be sniffed or framed either', async () => {
    const { headers } = await raw('/api/session');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });

  it('B34 a missing asset is 404 no-store and never a page, whatever the client accepts', async () => {
    for (const path of ['/assets/none.js', '/assets/none', '/assets/', '/none', '/none/', '/index.html/', '/assets/main-OLD.js']) {
      const { status, headers, body } = await raw(path, 'Accept: text/html');
      expect([path, status]).toEqual([path, 404]);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['content-type']).toMatch(/^text\/plain/);
      expect(body).not.toContain('<');
    }
  });

  it('B34 hashed files may be kept for ever, the page and the rest are asked for each time', async () => {
    expect((await raw('/assets/main-1a2b3c.js')).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const path of ['/', '/manifest.webmanifest']) {
      const { headers } = await raw(path);
      expect(headers['cache-control']).toBe('no-cache');
      expect((await raw(path, `If-None-Match: ${headers['etag']}`)).status).toBe(304);
    }
    writeFileSync(join(bridge.webDir, 'index.html'), '<!doctype html><title>next build</title>');
    expect((await raw('/')).body).toContain('next build');
  });

  it.each([
    '/../secret.js',
    '/..%2fsecret.js',
    '/%2e%2e/secret.js',
    '/assets/../../secret.js',
    '/assets/..%5c..%5csecret.js',
    '/assets//../../secret.js',
    '//etc/passwd',
    '/.hidden',
    '/assets/.hidden',
    '/link.js',
    '/secret.js%00.js',
    '/assets',
    '/assets/main-1a2b3c.js%20',
  ])('nothing outside the folder can be spelled: %s', async (path) => {
    const { status, body } = await raw(path);
    expect(status).toBe(404);
    expect(body).not.toContain('CANARY');
    expect(body).not.toContain('root:');
  });

  it('is compressed for those who ask, and the same for those who do not', async () => {
    const answer = await fetch(`${bridge.url}/assets/main-1a2b3c.js`, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(script.length / 4);
    expect(await answer.text()).toBe(script);
    expect((await raw('/assets/main-1a2b3c.js')).body).toBe(script);
  });

  it('takes GET and HEAD alone', async () => {
    expect((await fetch(bridge.url, { method: 'HEAD' })).status).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await fetch(bridge.url, { method })).status).toBe(405);
  });

  it('S01 every route and the stream refuse every foreign Host and Origin before routing', async () => {
    const { cookie } = await bridge.signIn();
    const own = `127.0.0.1:${bridge.port}`;
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    for (const target of ['/', '/assets/main-1a2b3c.js', '/missing', '/api/session', '/api/call/token_list', '/ws', 'UPGRADE /ws']) {
      const [path, extra] = target.startsWith('UPGRADE ') ? [target.slice(8), upgrade] : [target, ['Connection: close']];
      const ask = (...lines: string[]) => rawHttp(bridge.port, [`GET ${path} HTTP/1.1`, ...lines, `Cookie: ${cookie}`, ...extra]);
      for (const host of foreignHosts(bridge.port))
        expect([target, host, (await ask(`Host: ${host}`)).status]).toEqual([target, host, 403]);
      for (const origin of foreignOrigins(bridge.port))
        expect([target, origin, (await ask(`Host: ${own}`, `Origin: ${origin}`)).status]).toEqual([target, origin, 403]);
      expect((await ask()).status).toBe(403);
      expect((await ask(`Host: ${own}`, 'Host: evil.com')).status).toBe(403);
    }
  });

  it('B36 is there under each of its own names and under no address of the network', async () => {
    const at = async (host: string) =>
      (await rawHttp(bridge.port, ['GET / HTTP/1.1', `Host: ${host}:${bridge.port}`, 'Connection: close'])).status;
    expect([await at('127.0.0.1'), await at('localhost'), await at('[::1]')]).toEqual([200, 200, 200]);
    expect([await at('192.168.1.20'), await at('my-machine.local'), await at('127.0.0.2')]).toEqual([403, 403, 403]);
    expect((await raw('/manifest.webmanifest')).headers['content-type']).toBe('application/manifest+json');
  });

  it('says so plainly when the console was never built', async () => {
    await using empty = await testConsole();
    const answer = await fetch(empty.url);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('npm run build');
  });
});
