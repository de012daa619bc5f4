// Calls that have begun and not ended, for the owner's eyes. In memory only: a restart has none.
import type { RunningCall } from '#shared/events.ts';

export interface Running {
  begin(call: RunningCall): { update(facts: Partial<RunningCall>): void; end(): void };
  list(): RunningCall[];
  /** Hears a fresh snapshot, at most one per event-loop turn. */
  subscribe(listener: (calls: RunningCall[]) => void): () => void;
}

export function createRunning(): Running {
  const calls = new Map<string, RunningCall>();
  const listeners = new Set<(calls: RunningCall[]) => void>();
  let isScheduled = false;

  function changed(): void {
    if (isScheduled || listeners.size === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const snapshot = [...calls.values()];
      for (const listener of listeners) listener(snapshot);
    });
  }

  return {
    begin(call) {
      calls.set(call.callId, call);
      changed();
      return {
        update(facts) {
          calls.set(call.callId, { ...(calls.get(call.callId) ?? call), ...facts });
          changed();
        },
        end() {
          calls.delete(call.callId);
          changed();
        },
      };
    },
    list: () => [...calls.values()],
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
