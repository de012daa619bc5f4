// Who is at work, from what was observed: calls that run now, and when each caller was last heard. A silent caller is unknown, not done.
import type { BridgeEvent, RunningCall } from '#shared/events.ts';
import { callOf, lineOf } from './line.ts';

/** `active` called within the last minute; `quiet` did not. Whether a quiet one has ended is not known, so it is not at work either. */
export type AgentState = 'running' | 'queued' | 'active' | 'quiet';

export interface Agent {
  key: string;
  name: string;
  state: AgentState;
  operation: string;
  path: string | null;
  projectId: string | null;
  /** When the call began, or when the caller was last heard. */
  since: number;
  /** Calls among the lines looked at; null for a call that still runs. */
  calls: number | null;
  /** The line of the last call. */
  position: number | null;
}

/** At work is only who was seen to be: by a call that runs, or one within the last minute. */
export const isAtWork = ({ state }: Agent): boolean => state !== 'quiet';

const ACTIVE_MS = 60_000;
const QUIET_MS = 15 * 60_000;
/** Shorter calls come and go faster than an eye can follow. */
const SHOWN_AFTER_MS = 400;

export interface Seen {
  /** Newest first. */
  events: readonly BridgeEvent[];
  running: readonly RunningCall[];
  nowMs: number;
  /** Without the link nobody is seen at work, whatever was seen last. */
  isLinked: boolean;
}

export function agentsOf({ events, running, nowMs, isLinked }: Seen): Agent[] {
  const calls = (isLinked ? running : [])
    .filter((call) => call.caller !== 'console' && nowMs - call.startedAt >= SHOWN_AFTER_MS)
    .map(runningAgent);
  const atWork = calls.map((call) => call.name);
  return [
    ...calls,
    ...callersOf(events, nowMs)
      .filter((caller) => !atWork.includes(caller.name))
      .map((caller) => ({ ...caller, state: isLinked ? caller.state : ('quiet' as const) })),
  ];
}

function runningAgent(call: RunningCall): Agent {
  return {
    key: call.callId,
    name: call.caller,
    state: call.phase,
    operation: call.operation,
    path: null,
    projectId: call.projectId,
    since: call.startedAt,
    calls: null,
    position: null,
  };
}

function callersOf(events: readonly BridgeEvent[], nowMs: number): Agent[] {
  const agents = new Map<string, Agent>();
  for (const event of events) {
    const call = callOf(event);
    const age = nowMs - event.at;
    if (call === null || call.caller.kind === 'owner' || age > QUIET_MS) continue;
    const known = agents.get(call.caller.principal);
    if (known !== undefined) known.calls = (known.calls ?? 0) + 1;
    else agents.set(call.caller.principal, callerAgent(event, age));
  }
  return [...agents.values()];
}

function callerAgent(event: BridgeEvent, age: number): Agent {
  const line = lineOf(event);
  return {
    key: callOf(event)?.caller.principal ?? '',
    name: line.who ?? '',
    state: age <= ACTIVE_MS ? 'active' : 'quiet',
    operation: line.label,
    path: line.path,
    projectId: event.projectId,
    since: event.at,
    calls: 1,
    position: event.position,
  };
}
