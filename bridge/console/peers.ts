// Failed proofs of identity: in the account and the log while the budget lasts, then only told to wait.
import { Failed } from '../failed.ts';
import type { Log } from '../base/log.ts';
import type { FailureLimiter } from '../base/http/rate.ts';
import type { EventFeed } from './parts.ts';

/** Answers the refusal to send for one failed attempt of this peer. */
export function refuseAttempt(
  { limiter, events, log }: { limiter: FailureLimiter; events: EventFeed; log: Log },
  peer: string,
  what: string,
): Failed {
  const waitSeconds = limiter.spend(peer);
  if (waitSeconds !== null)
    return new Failed('RESOURCE_LIMIT', `Too many failed attempts; the next is looked at in ${waitSeconds} s. Nothing was done.`, {
      retryable: true,
      detail: { retryAfterSeconds: waitSeconds },
    });
  log.warn({ peer, what }, 'console access refused');
  events.append({ session: 'console', kind: 'access.refused', projectId: null, body: { surface: 'console', peer, what } });
  return new Failed('AUTH_REQUIRED', `The ${what} is not valid, or no longer. Nothing was done.`, {
    recovery: 'Ask for a fresh link with "drawbridge link" and open it.',
  });
}
