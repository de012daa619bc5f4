// The composition root: the core, its two listeners, and one way to end them all, last first.
import { serveLoopback } from './base/http/serve.ts';
import { createConsoleListener } from './console/listener.ts';
import { createCore, type Core, type CoreOptions } from './core.ts';
import { createMcpListener } from './mcp/http.ts';

export interface App extends Core {
  /** Opens the two listeners. 0 takes any free port; a taken one is Fatal(4). */
  listen(ports: { mcpPort: number; consolePort: number }): Promise<void>;
  close(): Promise<void>;
}

type Ending = () => Promise<void> | void;

/** The caller holds the lock of the state folder and has made it. */
export async function createApp(options: CoreOptions): Promise<App> {
  const core = await createCore(options);
  const endings: Ending[] = [() => void core.store.close()];
  return {
    ...core,
    async listen({ mcpPort, consolePort }) {
      const common = { ...core, version: options.version, log: options.log };
      const mcp = createMcpListener(common);
      const console = createConsoleListener({ ...common, webDir: options.locations.web });
      // Streams are ended before their server, which would otherwise wait for them.
      const mcpServer = await serveLoopback({ app: mcp, port: mcpPort, log: options.log, portFlag: '--mcp-port' });
      endings.push(
        () => mcpServer.close(),
        () => mcp.close(),
      );
      const consoleServer = await serveLoopback({ app: console, port: consolePort, log: options.log, portFlag: '--console-port' });
      endings.push(
        () => consoleServer.close(),
        () => console.close(),
      );
      core.address.mcpUrl = `${mcpServer.url}/mcp`;
      core.address.consoleUrl = consoleServer.url;
    },
    close: () => endAll(endings),
  };
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
