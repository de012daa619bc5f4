// The typed client: one function an operation, all of them one Proxy over the contracts. It speaks to this page's own origin only.
import type { Client } from '#shared/contract.ts';
import type { Contracts } from '#shared/contracts.ts';
import type { Envelope } from '#shared/envelope.ts';
import { LinkLost, Refused } from './problem.ts';

export interface Credentials {
  readonly csrf: string | null;
  /** Asks the bridge about this browser again; true when there is a session and its token is another one. */
  renew(): Promise<boolean>;
  /** The bridge no longer knows this browser. */
  ended(): void;
}

/** Calls of no project, or of the one that is named. */
export type Connect = (projectId?: string) => Client<Contracts>;

export function createConnect(credentials: Credentials): Connect {
  return (projectId) => {
    const context = projectId === undefined ? {} : { targetProjectId: projectId };
    const call = (operation: string) => (input: unknown) => perform(credentials, operation, { input, context });
    return new Proxy({} as Client<Contracts>, { get: (_, name) => (typeof name === 'string' ? call(name) : undefined) });
  };
}

type Body = { input: unknown; context: object };

async function perform(credentials: Credentials, operation: string, body: Body): Promise<unknown> {
  let envelope = await post(credentials.csrf, operation, body);
  // A token of another session was refused before anything ran, so the same call may be sent again with the right one.
  if (envelope.error?.code === 'FORBIDDEN' && (await credentials.renew())) envelope = await post(credentials.csrf, operation, body);
  if (envelope.error === null) return envelope.data;
  if (envelope.error.code === 'AUTH_REQUIRED') credentials.ended();
  throw new Refused(envelope.error);
}

async function post(csrf: string | null, operation: string, body: Body): Promise<Envelope> {
  try {
    const response = await fetch(`${location.origin}/api/call/${operation}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Drawbridge-Csrf': csrf ?? '' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Envelope;
  } catch (cause) {
    throw new LinkLost(cause);
  }
}
