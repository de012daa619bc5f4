// Who serves the console of a state folder: this process, or the one that owns the folder and has no console, for as long as it lives.
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../base/log.ts';
import { Fatal } from '../failed.ts';
import { borrowConsole, connectToBridge } from '../socket/client.ts';
import type { ConsoleWish } from '../socket/hello.ts';
import type { ConsoleFacts } from '../socket/lend.ts';
import { openBridge } from './bridge.ts';
import type { Place } from './home.ts';

export interface Serving {
  facts: ConsoleFacts;
  isBorrowed: boolean;
  /** Resolves when the process that serves it has gone; never while that is this one. */
  gone: Promise<void>;
  close(): Promise<void>;
}

/** A process that ends lets go of its socket before it lets go of the folder. */
const HANDOVER_MS = 15_000;
const LOOK_MS = 50;

/** Fatal(3) when another bridge has a console already, Fatal(4) when a port is taken. */
export async function serveConsole(place: Place, log: Log, wish: ConsoleWish): Promise<Serving> {
  const deadline = performance.now() + HANDOVER_MS;
  for (;;) {
    try {
      return await serveHere(place, log, wish);
    } catch (error) {
      if (!(error instanceof Fatal) || error.exitCode !== 3) throw error;
      const borrowed = await borrow(place, wish, error);
      if (borrowed !== null) return borrowed;
      if (performance.now() > deadline) throw error;
      await wait(LOOK_MS);
    }
  }
}

/** The same ports, so that open pages and connected clients find the next one that serves. */
export function sameAgain({ facts }: Serving, { roots, tools }: ConsoleWish): ConsoleWish {
  const portOf = (url: string | null) => Number(new URL(url ?? '').port);
  return { mcpPort: portOf(facts.mcpUrl), consolePort: portOf(facts.consoleUrl), tools, roots };
}

async function serveHere(place: Place, log: Log, { roots, ...ports }: ConsoleWish): Promise<Serving> {
  const bridge = await openBridge({ place, log, ports });
  try {
    await bridge.addProjects(roots);
    return { facts: await bridge.facts(), isBorrowed: false, gone: new Promise(() => undefined), close: bridge.close };
  } catch (error) {
    await bridge.close();
    throw error;
  }
}

/** null when the owner of the folder is ending. What it says of a console of its own is less than what the lock tells. */
async function borrow({ locations }: Place, wish: ConsoleWish, owned: Fatal): Promise<Serving | null> {
  const socket = await connectToBridge(locations.home);
  if (socket === null) return null;
  try {
    const borrowed = await borrowConsole(socket, wish);
    return borrowed === null ? null : { ...borrowed, isBorrowed: true };
  } catch (error) {
    socket.destroy();
    throw error instanceof Fatal && error.exitCode === 3 ? owned : error;
  }
}
