// The product's listener over a real core, dressed for the suite. Host, Origin and the bearer are checked by the product's own code.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { InMemoryServerEventBus, isLegacyRequest } from '@modelcontextprotocol/server';
import { silentLog } from '../../bridge/base/log.ts';
import { serveLoopback } from '../../bridge/base/http/serve.ts';
import { createCore } from '../../bridge/core.ts';
import { locationsOf, makeHome } from '../../bridge/locations.ts';
import { createGate } from '../../bridge/mcp/bearer.ts';
import { exposureOf } from '../../bridge/mcp/exposure.ts';
import { createServerFactory, type Peer } from '../../bridge/mcp/factory.ts';
import { createMcpListener, type McpListener } from '../../bridge/mcp/http.ts';
import { workspace } from '../../bridge/testing/workspace.ts';
import { dressWith } from './dressed.ts';
import { createSessions } from './sessions.ts';

export interface Fixture extends AsyncDisposable {
  /** The product's own listener, which keeps no session. */
  productUrl: string;
  /** The same, but what a 2025 client sends goes to sessions that the product does not have. */
  sessionUrl: string;
  bearer: string;
}

const VERSION = '0.0.0-test';

export async function openFixture(): Promise<Fixture> {
  const folder = await workspace({ 'a.txt': 'alpha\n' });
  const home = join(folder.outside, 'home');
  mkdirSync(home);
  const locations = locationsOf(home, join(home, 'no-console'));
  makeHome(locations);
  const core = await createCore({ locations, version: VERSION, log: silentLog, launch: { command: 'drawbridge', args: [] } });
  await core.projects.add(folder.root);
  const { bearer } = core.access.issue({ name: 'suite', scopes: ['read', 'write', 'exec'], days: 1 });
  const bus = new InMemoryServerEventBus();
  const parts = { ...core, version: VERSION, log: silentLog, exposure: () => exposureOf('http', null, core.settings.current()) };
  const mcp = createMcpListener({ ...parts, bus, dress: dressWith(bus) });
  const sessionful = withSessions({ ...parts, dress: dressWith(bus) }, mcp);
  const serve = (app: Pick<McpListener, 'fetch'>) => serveLoopback({ app, port: 0, log: silentLog, portFlag: 'none' });
  const [product, session] = [await serve(mcp), await serve(sessionful)];
  return {
    productUrl: `${product.url}/mcp`,
    sessionUrl: `${session.url}/mcp`,
    bearer,
    async [Symbol.asyncDispose]() {
      await sessionful.close();
      await mcp.close();
      await product.close();
      await session.close();
      core.store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function withSessions(parts: Parameters<typeof createServerFactory>[0] & Parameters<typeof createGate>[0], mcp: McpListener) {
  const gate = createGate(parts);
  const peers = new WeakMap<Request, Peer>();
  const sessions = createSessions(
    createServerFactory(parts)(({ requestInfo }) => {
      const peer = requestInfo === undefined ? undefined : peers.get(requestInfo);
      if (peer === undefined) throw new Error('A session has no proven peer.');
      return peer;
    }),
  );
  return {
    async fetch(request: Request, from: { peer: string }): Promise<Response> {
      if (!(await isLegacyRequest(request.clone()))) return mcp.fetch(request, from);
      const admitted = gate(request, from.peer);
      if (admitted instanceof Response) return admitted;
      peers.set(request, { caller: admitted.again, surface: 'mcp-http', session: admitted.caller.principal, defaultProjectId: null });
      return sessions.fetch(request, request.method === 'POST' ? await request.clone().json() : undefined);
    },
    close: () => sessions.close(),
  };
}
