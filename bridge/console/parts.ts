// What the console needs from the rest of the bridge, in its own words: it imports no capability.
import type { BridgeEvent, EventKind, RunningCall } from '#shared/events.ts';
import type { Clock } from '../base/clock.ts';
import type { FailureLimiter } from '../base/http/rate.ts';
import type { Log } from '../base/log.ts';
import type { Invoke } from '../invocation/progress.ts';
import type { Caller } from '../operation.ts';
import type { Links } from './links.ts';
import type { Sessions } from './sessions.ts';

export interface EventFeed {
  readonly epoch: string;
  head(): number;
  append(event: { session: string; kind: EventKind; projectId: string | null; body: Record<string, unknown> }): void;
  list(query: { after: number; limit: number }): BridgeEvent[];
  hasGap(after: number, readerEpoch?: string): boolean;
  subscribe(listener: (event: BridgeEvent) => void): () => void;
}

export interface RunningCalls {
  list(): RunningCall[];
  subscribe(listener: (calls: RunningCall[]) => void): () => void;
}

export interface ConsoleParts {
  invoke: Invoke;
  access: { ownerCaller(name: string): Caller };
  events: EventFeed;
  running: RunningCalls;
  links: Links;
  sessions: Sessions;
  limiter: FailureLimiter;
  clock: Clock;
  version: string;
  log: Log;
}
