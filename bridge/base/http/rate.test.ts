// The failure budget: refills with time, is kept per peer and in all, and its memory is bounded.
import { describe, expect, it } from 'vitest';
import type { Clock } from '../clock.ts';
import { createFailureLimiter } from './rate.ts';

function handClock(): Clock & { pass(ms: number): void } {
  let at = 0;
  return { now: () => at, monotonic: () => at, pass: (ms) => void (at += ms) };
}

describe('failure limiter', () => {
  it('S02 counts failures of one peer and says how long to wait', () => {
    const clock = handClock();
    const limiter = createFailureLimiter({ clock, perPeer: { burst: 3, perMinute: 6 }, global: { burst: 100, perMinute: 60 } });
    expect([limiter.spend('a'), limiter.spend('a'), limiter.spend('a')]).toEqual([null, null, null]);
    expect(limiter.spend('a')).toBe(10);
    expect(limiter.spend('b')).toBeNull();
    clock.pass(10_000);
    expect(limiter.spend('a')).toBeNull();
    expect(limiter.spend('a')).toBe(10);
  });

  it('S02 bounds all peers together, so that a peer forgotten and met again gains nothing', () => {
    const clock = handClock();
    const limiter = createFailureLimiter({
      clock,
      perPeer: { burst: 1, perMinute: 1 },
      global: { burst: 50, perMinute: 60 },
      peersLimit: 4,
    });
    const counted = Array.from({ length: 1000 }, (_, n) => limiter.spend(`peer ${n % 10}`)).filter((wait) => wait === null);
    expect(counted).toHaveLength(50);
  });
});
