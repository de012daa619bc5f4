// A whole bridge in this process: lock, app, and the private socket. What was begun is ended in reverse, also when a later step fails.
import { createApp, type App } from '../app.ts';
import type { Log } from '../base/log.ts';
import { makeHome } from '../locations.ts';
import { serveMcpStream } from '../mcp/stream.ts';
import { chooseSocketPath, removeSocket } from '../socket/address.ts';
import { createAttach, type Attach, type AttachParts } from '../socket/attach.ts';
import type { ConsoleWish } from '../socket/hello.ts';
import { createLend, type ConsoleFacts } from '../socket/lend.ts';
import { takeLock } from '../socket/lock.ts';
import { serveSocket } from '../socket/server.ts';
import type { Place } from './home.ts';

export interface OwnBridge {
  app: App;
  attach: Attach;
  addProjects(roots: readonly string[]): Promise<void>;
  /** What a console's user is told, a fresh link included. */
  facts(): Promise<ConsoleFacts>;
  close(): Promise<void>;
}

export interface BridgeOptions {
  place: Place;
  log: Log;
  /** null opens no TCP port at all. */
  ports: Omit<ConsoleWish, 'roots'> | null;
}

/** Fatal(3) when another bridge owns the state folder, Fatal(4) when a port is taken. */
export async function openBridge(options: BridgeOptions): Promise<OwnBridge> {
  const endings: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await open(options, endings)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open({ place, log, ports }: BridgeOptions, endings: (() => Promise<void> | void)[]): Promise<Omit<OwnBridge, 'close'>> {
  const { locations, installation, launch } = place;
  const { home } = locations;
  makeHome(locations);
  const lock = await takeLock(home);
  endings.push(() => lock.release());
  if (typeof lock.stale?.socketPath === 'string') removeSocket(home, lock.stale.socketPath);
  const { version } = installation;
  const app = await createApp({ locations, version, log, launch });
  endings.push(() => app.close());
  if (ports !== null) await app.listen(ports);
  const { invoke, operations, access, projects, address } = app;
  const serve = ({ tools, ...stream }: Parameters<AttachParts['serve']>[0]) => {
    // A pipe's client reads the list once, so what it is shown stays for as long as the pipe.
    const exposure = app.exposure('stdio', tools);
    return serveMcpStream({ ...stream, invoke, operations, exposure: () => exposure, version, log });
  };
  const attach = createAttach({ projects, access, serve });
  const socketPath = chooseSocketPath(home);
  const publish = () => lock.publish({ ...address, socketPath });
  const addProjects = (roots: readonly string[]) => addAll(app, roots);
  const facts = () => factsOf(app);
  const lend = createLend({ address, listen: app.listen, unlisten: app.unlisten, addProjects, facts, publish });
  const socket = await serveSocket({ path: socketPath, invoke, access, attach, lend, log });
  endings.push(async () => {
    await socket.close();
    removeSocket(home, socketPath);
  });
  publish();
  return { app, attach, addProjects, facts };
}

async function addAll({ projects }: App, roots: readonly string[]): Promise<void> {
  for (const root of roots) await projects.add(root);
}

async function factsOf({ address, createLink, projects }: App): Promise<ConsoleFacts> {
  const { ownerLink } = createLink();
  const known = await projects.list();
  return { ...address, ownerLink, projects: known.map(({ projectId, root }) => ({ projectId, root })) };
}
