// The bridge's time as this browser can tell it: its own clock plus the measured difference. Only the bridge decides what has run out.

const TICK_MS = 1000;
const MINUTE_MS = 60_000;

export class Clock {
  /** Now, by the bridge. */
  nowMs = $state(Date.now());
  /** The same, but new only every minute: enough for the times of day in a log. */
  todayMs = $state(Date.now());
  /** How far the bridge's clock is ahead of this browser's; null until measured. */
  offsetMs = $state<number | null>(null);
  /** Half the round trip of the measurement: the difference is known no better than this. */
  withinMs = $state(0);

  start(): () => void {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') this.tick();
    }, TICK_MS);
    const seen = () => this.tick();
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }

  tick(): void {
    this.nowMs = Date.now() + (this.offsetMs ?? 0);
    if (Math.abs(this.nowMs - this.todayMs) >= MINUTE_MS) this.todayMs = this.nowMs;
  }

  /** Takes one measurement; the one with the shortest round trip says most. */
  measure(sent: number, received: number, bridgeNow: number): void {
    const within = Math.max(1, (received - sent) / 2);
    if (this.offsetMs !== null && within > this.withinMs * 2) return;
    this.offsetMs = Math.round(bridgeNow - (sent + received) / 2);
    this.withinMs = Math.ceil(within);
    this.tick();
  }
}
