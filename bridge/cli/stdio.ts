// drawbridge stdio: a pipe to the bridge that runs, or, when none does, the bridge itself without any TCP port.
import { resolve } from 'node:path';
import { Failed, Fatal } from '../failed.ts';
import { connectToBridge, pipeStdio } from '../socket/client.ts';
import type { StdioWish } from '../socket/hello.ts';
import type { Socket } from 'node:net';
import { findPlace, type Place } from './home.ts';
import { output, remark } from './output.ts';
import { untilTold } from './signals.ts';

export interface StdioOptions {
  home?: string;
  root: string;
  tools?: StdioWish['tools'];
}

export async function stdio(options: StdioOptions): Promise<void> {
  const told = untilTold();
  const place = findPlace(options.home);
  const wish: StdioWish = { root: resolve(options.root), tools: options.tools ?? null };
  const socket = await connectToBridge(place.locations.home);
  if (socket !== null) return Promise.race([pipe(socket, wish), told.then(() => void socket.destroy())]);
  await serveAlone(place, wish, told);
}

async function pipe(socket: Socket, wish: StdioWish): Promise<void> {
  const ended = await pipeStdio(socket, wish, { input: process.stdin, output });
  if ('refusal' in ended) throw new Failed(ended.refusal.code, ended.refusal.message);
  if (ended.endedBy === 'bridge') throw new Fatal(1, 'The bridge has ended; start this client again to go on.');
}

// Imported only here, so that the pipe above starts without the database and the schemas.
async function serveAlone(place: Place, wish: StdioWish, told: Promise<unknown>): Promise<void> {
  const [{ openBridge }, { createLog }] = await Promise.all([import('./bridge.ts'), import('../base/log.ts')]);
  const bridge = await openBridge({ place, log: createLog(), ports: null });
  try {
    const served = await bridge.attach(wish, { input: process.stdin, output });
    remark('No bridge was running, so this process is the bridge; "drawbridge start" would give you the console.');
    await Promise.race([served.closed, told]);
    await served.close();
  } finally {
    await bridge.close();
  }
}
