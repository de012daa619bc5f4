// The ways this process is asked to end. The first one ends it in order; a second one, while it does, ends it at once.

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens from the moment of the call, so that a signal that comes during the start is not lost. */
export function untilTold(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals) => {
      for (const each of signals) process.off(each, onSignal);
      resolve(signal);
    };
    for (const signal of signals) process.on(signal, onSignal);
  });
}
