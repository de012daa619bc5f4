// The owner's operations from a terminal: through the bridge that runs, or on the state itself when none does.
import type { z } from 'zod';
import type { Contracts, OperationName } from '#shared/contracts.ts';
import type { Envelope } from '#shared/envelope.ts';
import { Failed } from '../failed.ts';
import { callBridge, connectToBridge } from '../socket/client.ts';
import { findPlace, type Place } from './home.ts';

export type OwnerCall = <Name extends OperationName>(
  operation: Name,
  input: z.input<Contracts[Name]['input']>,
) => Promise<z.output<Contracts[Name]['output']>>;

type Send = (operation: string, input: Record<string, unknown>) => Promise<Envelope>;

/** Runs a command's calls and lets go of everything it opened. A refused call throws with the pipeline's own words. */
export async function asOwner<Result>(homeFlag: string | undefined, run: (call: OwnerCall) => Promise<Result>): Promise<Result> {
  const place = findPlace(homeFlag);
  const through = await throughBridge(place);
  if (through !== null) return run(callOf(through));
  const own = await onOwnState(place);
  try {
    return await run(callOf(own.send));
  } finally {
    await own.close();
  }
}

const callOf =
  (send: Send): OwnerCall =>
  async (operation, input) => {
    const { data, error } = await send(operation, input);
    if (error !== null) throw new Failed(error.code, error.message, error.recovery === undefined ? {} : { recovery: error.recovery });
    // The pipeline checked the answer against this very contract before it sent it.
    return data as z.output<Contracts[typeof operation]['output']>;
  };

async function throughBridge({ locations }: Place): Promise<Send | null> {
  const first = await connectToBridge(locations.home);
  if (first === null) return null;
  first.destroy();
  return async (operation, input) => {
    const socket = await connectToBridge(locations.home);
    if (socket === null) throw new Error('The bridge has ended.');
    return callBridge(socket, operation, input);
  };
}

async function onOwnState(place: Place): Promise<{ send: Send; close(): Promise<void> }> {
  const [{ openBridge }, { createLog }] = await Promise.all([import('./bridge.ts'), import('../base/log.ts')]);
  const { app, close } = await openBridge({ place, log: createLog(process.env['DRAWBRIDGE_LOG'] ?? 'warn'), ports: null });
  const caller = () => app.access.ownerCaller('terminal');
  const send: Send = async (operation, input) =>
    (await app.invoke({ operation, input, context: {}, caller, surface: 'cli', session: 'cli' })).envelope;
  return { send, close };
}
