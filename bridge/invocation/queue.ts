// One mutation at a time per project, first come first served, with a bounded line and a deadline for waiters.
import { Failed } from '../failed.ts';

export interface QueueLimits {
  waitersMax: number;
  waitMs: number;
}

export interface MutationQueue {
  /** Waits for the project's turn. The returned function gives the turn to the next one; call it exactly once. */
  enter(projectId: string, signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  admit(): void;
}

export function createMutationQueue(limits: QueueLimits = { waitersMax: 32, waitMs: 30_000 }): MutationQueue {
  const lines = new Map<string, Waiter[]>();

  function leave(projectId: string): void {
    const line = lines.get(projectId);
    const next = line?.shift();
    if (next !== undefined) next.admit();
    else lines.delete(projectId);
  }

  function wait(projectId: string, line: Waiter[], signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const giveUp = (failed: Failed) => {
        settle();
        line.splice(line.indexOf(waiter), 1);
        reject(failed);
      };
      const timer = setTimeout(
        () => giveUp(new Failed('TIMEOUT', 'Another change in this project is taking too long; this one was not begun.')),
        limits.waitMs,
      );
      const onAbort = () => giveUp(new Failed('CONFLICT', 'The call was cancelled while it waited; nothing was done.'));
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        admit() {
          settle();
          resolve(() => leave(projectId));
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      line.push(waiter);
    });
  }

  return {
    async enter(projectId, signal) {
      if (signal.aborted) throw new Failed('CONFLICT', 'The call was cancelled before it began; nothing was done.');
      const line = lines.get(projectId);
      if (line === undefined) {
        lines.set(projectId, []);
        return () => leave(projectId);
      }
      if (line.length >= limits.waitersMax)
        throw new Failed('RESOURCE_LIMIT', `Already ${limits.waitersMax} changes wait in this project; this one was not begun.`, {
          retryable: true,
        });
      return wait(projectId, line, signal);
    },
  };
}
