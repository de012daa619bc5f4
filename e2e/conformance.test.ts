// The public MCP conformance suite against the product's own endpoint: every scenario that needs no made-up tool, in both eras.
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensurePeer, programOf } from './peers.ts';
import { drawbridge, place, repositoryAt, start, type Place, type Running } from './product.ts';

const module = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
/** Node 20 has no fs.globSync, which the suite imports to rate repositories and for nothing else. */
const fileSystem = module(`export * from 'node:fs'; export { default } from 'node:fs';
  export const globSync = () => { throw new Error('fs.globSync needs Node 22'); };`);
const hooks = module(`export const resolve = (name, context, next) =>
  /^(node:)?fs$/.test(name) && context.parentURL?.includes('/conformance/dist/')
    ? { url: ${JSON.stringify(fileSystem)}, shortCircuit: true } : next(name, context);`);
const shim = module(`import { register } from 'node:module'; register(${JSON.stringify(hooks)});`);

const scenarios: Record<string, string[]> = {
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

type Rewrite = (headers: IncomingHttpHeaders, from: number, to: number) => IncomingHttpHeaders;

/** The suite knows no bearer and no port but its own: this passes its requests on with both, and everything else as it was. */
const faithful: Rewrite = ({ host, origin, ...rest }, from, to) => ({
  ...rest,
  ...(host === undefined ? {} : { host: host.replace(`:${from}`, `:${to}`) }),
  ...(origin === undefined ? {} : { origin: origin.replace(`:${from}`, `:${to}`) }),
});

/** A request as it would look to a bridge that does not look at Host and Origin. */
const blind: Rewrite = ({ origin: _origin, ...rest }, _from, to) => ({ ...rest, host: `127.0.0.1:${to}` });

async function relay(to: URL, bearer: string, rewrite: Rewrite): Promise<{ url: string; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    const { port: from } = server.address() as AddressInfo;
    const headers = { ...rewrite(incoming.headers, from, Number(to.port)), authorization: `Bearer ${bearer}` };
    const onward = request(to, { method: incoming.method ?? 'GET', headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}

describe('conformance', () => {
  let here: Place;
  let bridge: Running;
  let program: string;
  let bearer: string;

  beforeAll(async () => {
    program = programOf(await ensurePeer('@modelcontextprotocol/conformance', '0.2.0-alpha.12'), 'conformance');
    here = place();
    const home = join(here.path, 'home');
    bridge = await start(home, '--project', repositoryAt(join(here.path, 'shop'), { 'a.txt': 'alpha\n' }));
    ({ bearer } = JSON.parse(drawbridge('token', '--name', 'suite', '--json', '--home', home)) as { bearer: string });
  }, 600_000);

  afterAll(async () => {
    await bridge?.stop();
    here?.[Symbol.dispose]();
  });

  async function run(scenario: string, version: string, rewrite: Rewrite = faithful): Promise<string> {
    const { url, server } = await relay(new URL(bridge.line.mcpUrl), bearer, rewrite);
    try {
      const flags = ['server', '--url', url, '--scenario', scenario, '--spec-version', version];
      const { all } = await execa(process.execPath, ['--import', shim, program, ...flags], { cwd: here.path, reject: false, all: true });
      return all;
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  const rows = Object.entries(scenarios).flatMap(([version, names]) => names.map((name) => [name, version] as const));
  it.each(rows)('S01 %s at %s', async (scenario, version) => {
    expect(await run(scenario, version)).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  });

  it('S01 the rebinding scenario does fail where Host and Origin are not looked at', async () => {
    expect(await run('dns-rebinding-protection', '2025-11-25', blind)).toMatch(/Passed: 1\/2, 1 failed/);
  });
});
