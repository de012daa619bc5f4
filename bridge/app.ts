// The composition root: builds every part by hand, in order, and ends them in the opposite one. Nothing else constructs parts.
import { statSync } from 'node:fs';
import { createBlobs } from './base/blobs/blobs.ts';
import { systemClock } from './base/clock.ts';
import { serveLoopback } from './base/http/serve.ts';
import type { Log } from './base/log.ts';
import { openStore } from './base/store/store.ts';
import { accessOperations } from './capabilities/access/operations.ts';
import { createAccess, type Access } from './capabilities/access/service.ts';
import { setupFor } from './capabilities/access/clients.ts';
import { approvalOperations } from './capabilities/approvals/operations.ts';
import { createApprovals } from './capabilities/approvals/service.ts';
import { bridgeOperations } from './capabilities/bridge/operations.ts';
import { changeOperations } from './capabilities/changes/operations.ts';
import { createChanges } from './capabilities/changes/service.ts';
import { editOperations } from './capabilities/edits/operations.ts';
import { eventOperations } from './capabilities/events/operations.ts';
import { createEvents, type Events } from './capabilities/events/service.ts';
import { fileOperations } from './capabilities/files/operations.ts';
import { createFiles } from './capabilities/files/service.ts';
import { projectOperations } from './capabilities/projects/operations.ts';
import { createProjects, type Projects } from './capabilities/projects/service.ts';
import { createConsoleListener } from './console/listener.ts';
import { createLinks, ownerLinkOf } from './console/links.ts';
import { createIdempotency } from './invocation/idempotency.ts';
import { createInvoker, type Invoke } from './invocation/invoke.ts';
import { createMutationQueue } from './invocation/queue.ts';
import { createRunning, type Running } from './invocation/running.ts';
import type { Locations } from './locations.ts';
import { createMcpListener } from './mcp/http.ts';
import { migrations } from './migrations.ts';
import type { Operation } from './operation.ts';

export interface AppOptions {
  locations: Locations;
  version: string;
  log: Log;
}

/** The bridge without a listener: everything a surface needs. */
export interface Core {
  invoke: Invoke;
  operations: readonly Operation[];
  access: Access;
  events: Events;
  projects: Projects;
  running: Running;
  /** Told once the listeners accept. */
  address: { mcpUrl: string | null; consoleUrl: string | null };
  createLink(): { ownerLink: string; expiresAt: number };
}

const REQUEST_BODY_BYTES = 16 * 1024 * 1024;
const BLOBS_CAP_BYTES = 2 * 1024 * 1024 * 1024;

export interface App extends Core {
  /** Opens the two listeners. 0 takes any free port; a taken one is Fatal(4). */
  listen(ports: { mcpPort: number; consolePort: number }): Promise<void>;
  close(): Promise<void>;
}

/** Opens the state, mends what a crash left, and builds every part. The caller holds the lock of the state folder. */
export async function createApp({ locations, version, log }: AppOptions): Promise<App> {
  const clock = systemClock();
  const store = openStore(locations.database, migrations);
  const events = createEvents({ store, clock });
  const blobs = createBlobs({ dir: locations.blobs, store, capBytes: BLOBS_CAP_BYTES, clock });
  const address: Core['address'] = { mcpUrl: null, consoleUrl: null };
  const access = createAccess({ store, clock, events });
  const projects = createProjects({ store, clock, events, home: locations.home });
  const approvals = createApprovals({ store, clock, events, consoleUrl: () => address.consoleUrl });
  const files = createFiles({ log, clock });
  const changes = createChanges({ store, blobs, files, clock, log, projects });
  const idempotency = createIdempotency(store, clock);
  const links = createLinks({ store, clock });
  const running = createRunning();

  for (const found of await changes.recover()) {
    store.transaction(() => {
      events.append({ session: 'bridge', kind: 'change.recovered', projectId: found.projectId, body: { ...found.told } });
      if (found.reservation === null) return;
      if (found.receipt !== null) idempotency.settle(found.reservation, { data: found.receipt, warnings: [] });
      else if (found.isUndone) idempotency.release(found.reservation);
    })();
  }

  const createLink = (): { ownerLink: string; expiresAt: number } => {
    if (address.consoleUrl === null) throw new Error('A link leads nowhere while the console does not listen.');
    const { code, expiresAt } = links.create();
    return { ownerLink: ownerLinkOf(address.consoleUrl, code), expiresAt };
  };
  const operations: Operation[] = [
    ...projectOperations(projects, files, () => ({ version, tools: listed, limits: files.limits })),
    ...fileOperations(files),
    ...editOperations(changes, files),
    ...changeOperations(changes),
    ...approvalOperations(approvals, clock),
    ...accessOperations(access, clock),
    ...eventOperations(events),
    ...bridgeOperations({
      version,
      epoch: events.epoch,
      home: locations.home,
      clock,
      address: () => address,
      usage: () => ({ ...blobs.usage(), databaseBytes: statSync(locations.database).size }),
      createLink,
      setup: async (client, projectId) =>
        setupFor(client, { mcpUrl: address.mcpUrl, root: projectId === undefined ? null : (await projects.open(projectId)).root }),
    }),
  ];
  const listed = operations.filter((operation) => operation.contract.scope !== 'owner').length;
  const invoke = createInvoker({
    operations,
    projects,
    events,
    approvals,
    idempotency,
    queue: createMutationQueue(),
    running,
    blobs,
    atomically: (work) => store.transaction(work)(),
    clock,
    log,
    limits: { requestBodyBytes: REQUEST_BODY_BYTES },
  });
  events.append({ session: 'bridge', kind: 'bridge.started', projectId: null, body: { version } });

  const core: Core = { invoke, operations, access, events, projects, running, address, createLink };
  const endings: (() => Promise<void> | void)[] = [() => void store.close()];
  return {
    ...core,
    async listen({ mcpPort, consolePort }) {
      const mcp = createMcpListener({ invoke, operations, access, version, log });
      const console = createConsoleListener({ invoke, access, events, running, links, clock, version, log, store, webDir: locations.web });
      endings.push(
        () => mcp.close(),
        () => console.close(),
      );
      const mcpServer = await serveLoopback({ app: mcp, port: mcpPort, log, portFlag: '--mcp-port' });
      endings.push(() => mcpServer.close());
      const consoleServer = await serveLoopback({ app: console, port: consolePort, log, portFlag: '--console-port' });
      endings.push(() => consoleServer.close());
      address.mcpUrl = `${mcpServer.url}/mcp`;
      address.consoleUrl = consoleServer.url;
    },
    async close() {
      const failures: unknown[] = [];
      for (const end of endings.splice(0).reverse()) {
        try {
          await end();
        } catch (thrown) {
          failures.push(thrown);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'The bridge did not close cleanly.');
    },
  };
}
