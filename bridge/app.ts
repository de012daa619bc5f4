// The composition root: the core, its two listeners, which can be closed and opened again, and one way to end them all, last first.
import { fetchPublic } from './base/http/outbound.ts';
import { serveLoopback } from './base/http/serve.ts';
import { createConsoleListener } from './console/listener.ts';
import { createCore, type Core, type CoreOptions } from './core.ts';
import { exposureOf, type Exposure, type Surface, type Transport } from './mcp/exposure.ts';
import { createMcpListener } from './mcp/http.ts';
import { createOauth } from './oauth/server.ts';

/** 0 takes any free port; `tools` is what clients are shown for this run, null what the owner set. */
export interface Listening {
  mcpPort: number;
  consolePort: number;
  tools: Surface | null;
}

export interface App extends Core {
  /** What a client of that transport is shown, as of now. */
  exposure(transport: Transport, tools: Surface | null): Exposure;
  /** Opens the two listeners. 0 takes any free port; a taken one is Fatal(4). */
  listen(where: Listening): Promise<void>;
  /** Closes the listeners; the bridge itself goes on, and can listen again. */
  unlisten(): Promise<void>;
  close(): Promise<void>;
}

type Ending = () => Promise<unknown> | unknown;

/** The caller holds the lock of the state folder and has made it. */
export async function createApp(options: CoreOptions): Promise<App> {
  const core = await createCore(options);
  const listening: Ending[] = [];
  let ending = Promise.resolve();
  // One after the other: the store may only close when no listener is left, whoever began to close them.
  const unlisten = () => {
    core.address.mcpUrl = core.address.consoleUrl = null;
    return (ending = ending.then(() => endAll(listening)));
  };
  return {
    ...core,
    exposure: (transport, tools) => exposureOf(transport, tools, core.settings.current()),
    listen: (where) => openListeners({ core, options, listening }, where),
    unlisten,
    close: () => endAll([() => void core.store.close(), () => core.jobs.close(), unlisten]),
  };
}

interface Opening {
  core: Core;
  options: CoreOptions;
  listening: Ending[];
}

async function openListeners({ core, options, listening }: Opening, where: Listening): Promise<void> {
  const { version, log, locations } = options;
  const common = { ...core, version, log };
  const mcp = createMcpListener({ ...common, exposure: () => exposureOf('http', where.tools, core.settings.current()) });
  const console = createConsoleListener({ ...common, webDir: locations.web });
  // Streams are ended before their server, which would otherwise wait for them.
  const oauth = createOauth({ ...core, log, fetchDocument: options.fetchDocument ?? fetchPublic });
  const mcpServer = await serveLoopback({ app: { ...mcp, ...oauth }, port: where.mcpPort, log, portFlag: '--mcp-port' });
  listening.push(
    () => mcpServer.close(),
    () => mcp.close(),
    core.clients.onEnded(mcp.endOf),
  );
  const consoleServer = await serveLoopback({ app: console, port: where.consolePort, log, portFlag: '--console-port' });
  listening.push(
    () => consoleServer.close(),
    () => console.close(),
  );
  core.address.mcpUrl = `${mcpServer.url}/mcp`;
  core.address.consoleUrl = consoleServer.url;
}

/** Ends everything even if one part fails to, and then tells of every failure. */
async function endAll(endings: Ending[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of endings.splice(0).reverse()) {
    try {
      await end();
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'The bridge did not close cleanly.');
}
