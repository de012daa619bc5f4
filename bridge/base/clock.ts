// Time: stored UTC for expiry, monotonic for durations. An expired thing never becomes fresh again (B38).

export interface Clock {
  /** UTC milliseconds that never run backwards within this process, also when the wall clock is stepped back. */
  now(): number;
  /** Milliseconds of a clock that no one can set. */
  monotonic(): number;
}

/** Between two looks the two clocks drift by less; more is a wall clock that someone set back. */
const STEP_MS = 2000;

/**
 * The machine's clock with its wall time held against running backwards. A wall clock that was set back is not waited for:
 * the steady one goes on from there, so that what runs out in an hour runs out in an hour. After a sleep the wall clock tells.
 */
export function systemClock(wall: () => number = Date.now, steady: () => number = () => performance.now()): Clock {
  let latest = 0;
  let lookedAt = steady();
  return {
    now() {
      const at = steady();
      const expected = latest + (at - lookedAt);
      const told = wall();
      lookedAt = at;
      latest = told < expected - STEP_MS ? expected : Math.max(latest, told);
      return Math.trunc(latest);
    },
    monotonic: () => performance.now(),
  };
}
