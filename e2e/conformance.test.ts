// The public MCP conformance suite: all of it over the product's own server dressed for it, what needs no dress also over the built program.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, consentOf, signInWorld } from '../bridge/testing/signin.ts';
import { openFixture, type Fixture } from './conformance/fixture.ts';
import { blind, ensureSuite, Report, Suite, type Door } from './conformance/suite.ts';
import { freePort } from './peers.ts';
import { drawbridge, entry, place, repositoryAt, start, type Place, type Running } from './product.ts';

let here: Place;
let suite: Suite;
beforeAll(async () => {
  here = place();
  suite = new Suite(await ensureSuite(), here.path);
}, 600_000);
afterAll(() => here?.[Symbol.dispose]());

describe('conformance of the whole protocol', () => {
  let fixture: Fixture;
  beforeAll(async () => void (fixture = await openFixture()));
  afterAll(() => fixture?.[Symbol.asyncDispose]());

  const all = (url: string, version: string) => suite.judge({ url, bearer: fixture.bearer }, '--suite', 'all', '--spec-version', version);

  it('2026-07-28: every scenario of the suite, by the product’s own listener', { timeout: 120_000 }, async () => {
    const report = await all(fixture.productUrl, '2026-07-28');
    expect(report.troubles()).toEqual([]);
    expect([...report.checks.keys()].sort()).toEqual(await suite.scenarios('2026-07-28'));
    expect([report.idle(), report.checks.size, report.count('SUCCESS')]).toEqual([[], 40, 152]);
  });

  it('2025-11-25: every scenario of the suite, where sessions are kept beside the product', { timeout: 120_000 }, async () => {
    const report = await all(fixture.sessionUrl, '2025-11-25');
    expect(report.troubles()).toEqual([]);
    expect([...report.checks.keys()].sort()).toEqual(await suite.scenarios('2025-11-25'));
    expect([report.idle(), report.checks.size, report.count('SUCCESS')]).toEqual([[], 33, 84]);
  });

  it('2025-11-25: by the product’s own listener all but what only a session can do', { timeout: 120_000 }, async () => {
    const report = await all(fixture.productUrl, '2025-11-25');
    expect(report.with('FAILURE')).toEqual([
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
      'tools-call-elicitation',
      'tools-call-sampling',
    ]);
    expect([report.with('WARNING'), report.with('SKIPPED')]).toEqual([['server-sse-polling'], ['server-session-lifecycle']]);
    expect([report.checks.size, report.count('SUCCESS')]).toEqual([33, 67]);
  });

  it('is shown on the product’s own tools, behind its own bearer and its own look at the Host', async () => {
    const list = async (url: string, headers: Record<string, string>) => {
      const type = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
      const answer = await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body });
      return { status: answer.status, text: await answer.text() };
    };
    const authorization = `Bearer ${fixture.bearer}`;
    const { text } = await list(fixture.productUrl, { authorization });
    expect(text).toContain('"project_overview"');
    expect(text).toContain('"test_simple_text"');
    for (const url of [fixture.productUrl, fixture.sessionUrl]) {
      expect((await list(url, {})).status).toBe(401);
      expect((await list(url, { authorization, origin: 'http://evil.example' })).status).toBe(403);
    }
  });

  it('puts nothing of its dress into the built program', () => {
    const built = readdirSync(dirname(entry)).map((name) => readFileSync(join(dirname(entry), name), 'utf8'));
    expect(built.some((text) => text.includes('project_overview'))).toBe(true);
    expect(built.some((text) => text.includes('test_simple_text'))).toBe(false);
  });
});

describe('conformance of the authorization server', () => {
  it('every scenario of the suite, with the owner allowing it', { timeout: 60_000 }, async () => {
    await using world = await signInWorld();
    const port = await freePort();
    const { body } = await world.register([`http://127.0.0.1:${port}/callback`]);
    const output = suite.newFolder();
    const client = ['--client-id', body['client_id'] ?? '', '--resource', world.mcpUrl, '--port', String(port)];
    const running = suite.launch('authorization', '--url', world.origin, ...client, '--output-dir', output);
    const browser = new Browser();
    const consentId = consentOf((await browser.follow(await addressSaidBy(running.all))).location);
    const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', { consentId, allow: true });
    await fetch((await browser.follow(resumeUrl)).location ?? '');
    await running;
    const report = Report.in(output);
    expect(report.troubles()).toEqual([]);
    expect([[...report.checks.keys()].sort(), report.count('SUCCESS')]).toEqual([
      ['authorization-code-grant', 'authorization-server-metadata-endpoint'],
      3,
    ]);
  });
});

/** The address that the suite asks a person to open. */
async function addressSaidBy(output: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += String(chunk);
    const address = /^(http:\S+\/oauth\/authorize\?\S+)\n/m.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`The suite asked nobody to sign in: ${text}`);
}

/** The scenarios that need nothing the product does not have. */
const bare: Record<string, string[]> = {
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'dns-rebinding-protection',
  ],
};

describe('conformance of the built program', () => {
  let bridge: Running;
  let door: Door;

  beforeAll(async () => {
    const home = join(here.path, 'home');
    bridge = await start(home, '--project', repositoryAt(join(here.path, 'shop'), { 'a.txt': 'alpha\n' }));
    const { bearer } = JSON.parse(drawbridge('token', '--name', 'suite', '--json', '--home', home)) as { bearer: string };
    door = { url: bridge.line.mcpUrl, bearer };
  });
  afterAll(() => bridge?.stop());

  it.each(Object.keys(bare))('S01 %s: what needs no dress', { timeout: 120_000 }, async (version) => {
    // One run of everything costs less than a start of the suite for each of them.
    const report = await suite.judge(door, '--suite', 'all', '--spec-version', version);
    const chosen = report.of(bare[version] ?? []);
    expect([chosen.with('FAILURE'), chosen.with('WARNING'), chosen.idle()]).toEqual([[], [], []]);
    expect([...chosen.checks.keys()].sort()).toEqual(bare[version]?.toSorted());
  });

  it('S01 the rebinding scenario does fail where Host and Origin are not looked at', async () => {
    const flags = ['--scenario', 'dns-rebinding-protection', '--spec-version', '2025-11-25'];
    const report = await suite.judge({ ...door, rewrite: blind }, ...flags);
    expect([report.count('SUCCESS'), report.count('FAILURE')]).toEqual([1, 1]);
  });
});
