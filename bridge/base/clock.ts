// Time: stored UTC for expiry, monotonic for durations. An expired thing never becomes fresh again (B38).

export interface Clock {
  /** UTC milliseconds that never run backwards within this process, also when the wall clock is stepped back. */
  now(): number;
  /** Milliseconds of a clock that no one can set. */
  monotonic(): number;
}

/** The machine's clock with its wall time held against running backwards. */
export function systemClock(wall: () => number = Date.now): Clock {
  let latest = 0;
  return {
    now() {
      latest = Math.max(latest, wall());
      return latest;
    },
    monotonic: () => performance.now(),
  };
}
