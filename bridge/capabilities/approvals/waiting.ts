// Who waits for an answer of the owner: each is let go once, by the answer, the time, or its own giving up.

export interface Waiting {
  add(approvalId: string, until: { waitMs: number; signal: AbortSignal }): Promise<void>;
  /** The answer is there. */
  end(approvalId: string): void;
}

export function createWaiting(): Waiting {
  const waiting = new Map<string, Set<() => void>>();
  return {
    add: (approvalId, { waitMs, signal }) =>
      new Promise((resolve) => {
        const all = waiting.get(approvalId) ?? new Set();
        const letGo = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', letGo);
          all.delete(letGo);
          if (all.size === 0) waiting.delete(approvalId);
          resolve();
        };
        const timer = setTimeout(letGo, waitMs);
        waiting.set(approvalId, all.add(letGo));
        signal.addEventListener('abort', letGo, { once: true });
        if (signal.aborted) letGo();
      }),
    end: (approvalId) => [...(waiting.get(approvalId) ?? [])].forEach((letGo) => letGo()),
  };
}
