// The ways this process is asked to end. The first one ends it in order; one that comes well after it, at once.

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal's Ctrl-C reaches us twice under npm, from the terminal and from npm: that is one wish, not two. */
const SAME_WISH_MS = 2_000;

/** Listens from the moment of the call, so that a signal that comes during the start is not lost. */
export function untilTold(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAtMs: number | null = null;
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAtMs !== null && performance.now() - firstAtMs > SAME_WISH_MS) process.exit(1);
      firstAtMs ??= performance.now();
      resolve(signal);
    };
    for (const signal of signals) process.on(signal, onSignal);
  });
}
