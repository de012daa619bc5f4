// Lets other work run between stretches of synchronous looks at the disk, so that a large tree never holds the event loop.

export interface Pause {
  isDue(): boolean;
  take(): Promise<void>;
}

const STRETCH_MS = 8;

export function createPause(): Pause {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > STRETCH_MS,
    async take() {
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    },
  };
}
