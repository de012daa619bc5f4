// A budget for failed proofs of identity, per peer and in all. A right credential never spends, so no one can lock it out.
import type { Clock } from '../clock.ts';

export interface Budget {
  burst: number;
  perMinute: number;
}

export interface FailureLimiter {
  /** Counts one failed attempt. null while the budget lasts, else the whole seconds until the next is counted. */
  spend(peer: string): number | null;
}

interface Bucket {
  tokens: number;
  at: number;
}

export interface FailureLimits {
  clock: Clock;
  perPeer?: Budget;
  global?: Budget;
  /** Peers remembered at once; the one longest unseen is forgotten first. */
  peersLimit?: number;
}

const MINUTE_MS = 60_000;

/** Remembers at most `peersLimit` peers; what a forgotten peer could gain is bounded by the global budget. */
export function createFailureLimiter(limits: FailureLimits): FailureLimiter {
  const { clock, perPeer = { burst: 20, perMinute: 12 }, global = { burst: 100, perMinute: 60 }, peersLimit = 1024 } = limits;
  const all: Bucket = { tokens: global.burst, at: clock.monotonic() };
  const peers = new Map<string, Bucket>();

  const bucketOf = (peer: string): Bucket => {
    const bucket = peers.get(peer) ?? { tokens: perPeer.burst, at: clock.monotonic() };
    peers.delete(peer);
    peers.set(peer, bucket);
    if (peers.size > peersLimit) peers.delete(peers.keys().next().value as string);
    return bucket;
  };

  return {
    spend(peer) {
      const now = clock.monotonic();
      const waits = [take(bucketOf(peer), perPeer, now), take(all, global, now)].filter((wait) => wait !== null);
      return waits.length === 0 ? null : Math.max(...waits);
    },
  };
}

function take(bucket: Bucket, budget: Budget, now: number): number | null {
  bucket.tokens = Math.min(budget.burst, bucket.tokens + ((now - bucket.at) * budget.perMinute) / MINUTE_MS);
  bucket.at = now;
  if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * MINUTE_MS) / budget.perMinute / 1000);
  bucket.tokens -= 1;
  return null;
}
