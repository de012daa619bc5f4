// Who is at the door of the MCP listener: a bearer in the Authorization header and nowhere else. Loopback proves nothing.
import { systemClock } from '../base/clock.ts';
import { jsonAnswer } from '../base/http/headers.ts';
import { createFailureLimiter } from '../base/http/rate.ts';
import type { Log } from '../base/log.ts';
import { Failed } from '../failed.ts';
import type { EventPort } from '../invocation/ports.ts';
import type { Caller } from '../operation.ts';
import { askToSignIn } from './challenge.ts';
import { looks, rpcError } from './failure.ts';

export interface Access {
  /** The caller behind a bearer as of now. Throws AUTH_REQUIRED. */
  callerOfBearer(bearer: string): Caller;
  onRevoked(listener: (tokenId: string) => void): () => void;
}

export interface Admitted {
  caller: Caller;
  /** Resolves the same bearer afresh. */
  again: () => Caller;
}

const BEARER = /^Bearer +([\w.~+/=-]+) *$/i;

export interface GateParts {
  access: Access;
  events: Pick<EventPort, 'append'>;
  log: Log;
}

/** Lets a request in, or answers it. A wrong bearer costs its peer of a budget; a right one never does. */
export function createGate({ access, events, log }: GateParts): (request: Request, peer: string) => Admitted | Response {
  const limiter = createFailureLimiter({ clock: systemClock() });

  return (request, peer) => {
    const bearer = BEARER.exec(request.headers.get('authorization') ?? '')?.[1];
    try {
      if (bearer === undefined) throw new Failed('AUTH_REQUIRED', 'This needs a bearer token in the Authorization header.');
      const again = () => access.callerOfBearer(bearer);
      return { caller: again(), again };
    } catch (thrown) {
      if (!(thrown instanceof Failed)) throw thrown;
      const waitSeconds = limiter.spend(peer);
      if (waitSeconds !== null) return tooMany(waitSeconds);
      const hasBearer = bearer !== undefined;
      log.warn({ peer, hasBearer }, 'bearer refused');
      // A client that asks without one is only finding out what it needs; a wrong one is news for the owner.
      if (hasBearer)
        events.append({ session: 'mcp', kind: 'access.refused', projectId: null, body: { surface: 'mcp', peer, what: 'bearer' } });
      return askToSignIn(thrown, { hasBearer, url: request.url });
    }
  };
}

const tooMany = (waitSeconds: number): Response =>
  jsonAnswer(429, rpcError(looks.AUTH_REQUIRED.rpcCode, 'Too many refused attempts; wait a little.'), {
    'retry-after': String(waitSeconds),
  });
