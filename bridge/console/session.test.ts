// The owner's way in: one link, one session, one token for changes; everything else is refused before it is looked at.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { failureCodes } from '#shared/failure.ts';
import { Failed } from '../failed.ts';
import { eventually } from '../testing/eventually.ts';
import { signIn, spendLink, testConsole, type TestConsole } from '../testing/console.ts';
import { failureAnswer } from './failure.ts';
import { LINK_LIFETIME_MS } from './links.ts';
import { SESSION_LIFETIME_MS } from './sessions.ts';

let bridge: TestConsole;
beforeEach(async () => void (bridge = await testConsole()));
afterEach(() => bridge[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) => fetch(bridge.url + path, { headers });
const post = (path: string, headers: Record<string, string>, body: unknown = {}) =>
  fetch(bridge.url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

describe('one-time link', () => {
  it('becomes a session once, and is refused the second time', async () => {
    const { code } = bridge.links.create();
    const first = await spendLink(bridge.url, code);
    expect(first.status).toBe(200);
    expect(first.headers.get('set-cookie')).toMatch(
      new RegExp(`^drawbridge_${bridge.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000$`),
    );
    expect((await spendLink(bridge.url, code)).status).toBe(401);
  });

  it('S05 is not taken from another account of this machine, which spends nothing', async () => {
    const { code } = bridge.links.create();
    const headers = { 'content-type': 'application/json', 'x-drawbridge': '1' };
    const request = () => new Request(`${bridge.url}/api/session`, { method: 'POST', headers, body: JSON.stringify({ link: code }) });
    const from = (account: number | null) => ({ peer: '127.0.0.1', account: () => account });
    expect((await bridge.answer(request(), from((process.getuid?.() ?? 0) + 1))).status).toBe(401);
    expect(bridge.events.list({ limit: 1 })[0]?.body).toMatchObject({ what: 'link of another account' });
    expect((await bridge.answer(request(), from(null))).status).toBe(200);
  });

  it('is won by exactly one of many that come at once', async () => {
    const { code } = bridge.links.create();
    const answers = await Promise.all(Array.from({ length: 8 }, () => spendLink(bridge.url, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('B38 dies after ten minutes, and a clock set back does not revive it', async () => {
    const { code } = bridge.links.create();
    bridge.state.clock.advance(LINK_LIFETIME_MS);
    expect((await spendLink(bridge.url, code)).status).toBe(401);
    bridge.state.clock.advance(-LINK_LIFETIME_MS);
    expect((await spendLink(bridge.url, code)).status).toBe(401);
  });

  it('S05 holds 256 random bits, of which only a digest is on disk', () => {
    const codes = Array.from({ length: 64 }, () => bridge.links.create().code);
    expect(new Set(codes).size).toBe(64);
    const dump = JSON.stringify(bridge.state.store.prepare('SELECT * FROM console_links').all());
    for (const code of codes) {
      expect(Buffer.from(code, 'base64url')).toHaveLength(32);
      expect(dump).not.toContain(code);
    }
  });

  it.each([
    ['no custom header', { 'x-drawbridge': '' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['text', { 'content-type': 'text/plain' }, 400],
    ['another page of this machine', { 'sec-fetch-site': 'same-site' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another origin', { origin: 'http://localhost:3000' }, 403],
  ])('is not spent by a request with %s', async (_what, headers, status) => {
    const { code } = bridge.links.create();
    expect((await spendLink(bridge.url, code, headers as Record<string, string>)).status).toBe(status);
    expect((await spendLink(bridge.url, code)).status).toBe(200);
  });
});

describe('session', () => {
  it('tells its token, survives a restart of the bridge, and ends when asked', async () => {
    const { cookie, csrf, call } = await bridge.signIn();
    expect(await (await get('/api/session', { cookie })).json()).toEqual({ csrf });
    await bridge.restart();
    // The first try may still go out on a connection that the old listener has closed.
    await eventually(() =>
      get('/api/session', { cookie }).then(
        (answer) => answer.json(),
        () => null,
      ),
    ).toEqual({ csrf });
    expect((await call('token_list')).envelope.ok).toBe(true);
    const end = (headers: Record<string, string>) => fetch(`${bridge.url}/api/session`, { method: 'DELETE', headers });
    expect((await end({ cookie })).status).toBe(403);
    expect((await end({ cookie, 'x-drawbridge-csrf': csrf })).status).toBe(200);
    expect((await get('/api/session', { cookie })).status).toBe(401);
    expect((await call('token_list')).status).toBe(401);
  });

  it('B38 ends after thirty days however it was used, and stays ended', async () => {
    const { cookie } = await bridge.signIn();
    bridge.state.clock.advance(SESSION_LIFETIME_MS - 60_000);
    expect((await get('/api/session', { cookie })).status).toBe(200);
    bridge.state.clock.advance(60_000);
    expect((await get('/api/session', { cookie })).status).toBe(401);
    bridge.state.clock.advance(-SESSION_LIFETIME_MS);
    expect((await get('/api/session', { cookie })).status).toBe(401);
  });

  it('S05 has secrets of 256 bits that differ between installs, and keeps only a digest of them', async () => {
    await using other = await testConsole();
    const [mine, theirs] = [await bridge.signIn(), await other.signIn()];
    expect(mine.cookie.split('=')[1]).not.toBe(theirs.cookie.split('=')[1]);
    expect(mine.cookie.split('=')[0]).not.toBe(theirs.cookie.split('=')[0]);
    const dump = JSON.stringify(bridge.state.store.prepare('SELECT * FROM console_sessions').all());
    expect(dump).not.toContain(mine.cookie.split('=')[1]);
    expect(dump).not.toContain(mine.csrf);
    const moved = theirs.cookie.replace(String(other.port), String(bridge.port));
    expect((await get('/api/session', { cookie: moved })).status).toBe(401);
  });

  it('takes a changing call only with its own token', async () => {
    const [mine, other] = [await bridge.signIn(), await bridge.signIn()];
    const issue = { input: { name: 'x' }, context: {} };
    expect((await post('/api/call/token_issue', { cookie: mine.cookie }, issue)).status).toBe(403);
    expect((await post('/api/call/token_issue', { cookie: mine.cookie, 'x-drawbridge-csrf': other.csrf }, issue)).status).toBe(403);
    expect((await post('/api/call/token_issue', { 'x-drawbridge-csrf': mine.csrf }, issue)).status).toBe(401);
    expect((await mine.call('token_list')).envelope.data).toMatchObject({ tokens: [] });
    expect((await mine.call('token_issue', { name: 'x' })).status).toBe(200);
  });

  it('is named after its browser from a closed list, never in its own words', async () => {
    await spendLink(bridge.url, bridge.links.create().code, { 'user-agent': '<img onerror=1> Chrome/1 Linux' });
    const labels = bridge.state.store.prepare<[], { label: string }>('SELECT label FROM console_sessions').all();
    expect(labels).toEqual([{ label: 'Chrome on Linux' }]);
  });
});

describe('everything else', () => {
  it.each(['/api', '/api/', '/api/session', '/api/call/token_list', '/api/nothing', '/api/session/x', '/ws', '/ws/x'])(
    'S02 %s answers 401 without a session, by every method',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (path === '/api/session' && method === 'POST') continue;
        const answer = await fetch(bridge.url + path, { method });
        expect([method, answer.status]).toEqual([method, 401]);
        expect(answer.headers.get('set-cookie')).toBeNull();
      }
    },
  );

  it('S02 a preflight from another origin gets no permission', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await fetch(`${bridge.url}/api/call/token_issue`, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(403);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('S02 failed attempts are told apart by peer, in the log and the account, and limited; a right one still passes', async () => {
    const lines: string[] = [];
    await using console = await testConsole(pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }));
    const statuses: number[] = [];
    for (let n = 0; n < 40; n += 1) statuses.push((await spendLink(console.url, `wrong-${n}`)).status);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(20);
    expect(statuses.at(-1)).toBe(429);
    const refusals = console.events.list({ after: 0, limit: 100, kind: 'access.refused' });
    expect(refusals.length).toBe(statuses.filter((status) => status === 401).length);
    expect(refusals[0]?.body).toEqual({ surface: 'console', peer: '127.0.0.1', what: 'link' });
    expect(lines.filter((line) => line.includes('"peer":"127.0.0.1"'))).toHaveLength(refusals.length);
    expect(lines.join('')).not.toContain('wrong-');
    const waiting = await spendLink(console.url, 'wrong');
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await spendLink(console.url, console.links.create().code)).status).toBe(200);
  });

  it.each([
    ['command=touch', '/api/call/token_list?command=touch%20x'],
    ['transportType=stdio', '/api/session?transportType=stdio&command=sh&args=-c'],
    ['a proxy route', '/api/proxy?url=http://127.0.0.1:1'],
    ['an unknown operation', '/api/call/connect_stdio'],
    ['a path for a name', '/api/call/..%2f..%2fx'],
  ])('S04 no route takes a command: %s', async (_what, path) => {
    const { cookie, csrf } = await bridge.signIn();
    const headers = { cookie, 'x-drawbridge-csrf': csrf };
    const body = { input: { command: 'touch x', env: {}, transportType: 'stdio' }, context: {} };
    for (const answer of [await get(path, headers), await post(path, headers, body)]) expect([400, 404]).toContain(answer.status);
  });

  it('S24 refuses bodies that are made to hurt, and answers the next one', async () => {
    const { cookie, csrf, call } = await bridge.signIn();
    const headers = { cookie, 'x-drawbridge-csrf': csrf, 'content-type': 'application/json' };
    const bodies = [
      `{"input":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`,
      '{"input":{},"input":{"name":"x"}}',
      '{"input":{"__proto__":{"name":"x"}}}',
      '{"input":{"days":1e999}}',
      `[${'{},'.repeat(10_000)}{}]`,
      'null',
      '',
    ];
    for (const body of bodies) {
      const answer = await fetch(`${bridge.url}/api/call/token_issue`, { method: 'POST', headers, body });
      expect([body.slice(0, 20), answer.status]).toEqual([body.slice(0, 20), 400]);
    }
    const big = await fetch(`${bridge.url}/api/call/token_issue`, { method: 'POST', headers, body: ' '.repeat(18 * 1024 * 1024) }).then(
      ({ status }) => status,
      (error: Error) => String(error.cause),
    );
    expect(String(big)).toMatch(/429|EPIPE|ECONNRESET|closed/);
    expect((await call('token_list')).envelope.data).toMatchObject({ tokens: [] });
  });

  it('answers each of the codes with a status of refusal', async () => {
    for (const code of failureCodes) {
      const answer = failureAnswer(new Failed(code, 'why').failure);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await answer.json()).toMatchObject({ ok: false, data: null, error: { code } });
    }
  });

  it('S05 a link spent by another browser leaves no way back into the first session', async () => {
    const first = await bridge.signIn();
    const second = await spendLink(bridge.url, bridge.links.create().code, { cookie: first.cookie });
    expect(second.status).toBe(200);
    expect((await get('/api/session', { cookie: first.cookie })).status).toBe(401);
    await signIn(bridge.url, bridge.links.create().code);
  });
});
