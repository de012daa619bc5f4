// What Now puts together: what needs the owner, who is at work, what just finished, and whether this is a first visit.
import type { Connection } from '../link/connection.svelte.ts';
import { agentsOf, isAtWork, type Agent } from './agents.ts';
import type { Approvals } from './approvals.svelte.ts';
import type { Changes } from './changes.svelte.ts';
import type { Clock } from './clock.svelte.ts';
import type { Events } from './events.svelte.ts';
import { callOf, lineOf, type Line } from './line.ts';
import type { Projects } from './projects.svelte.ts';
import type { Tokens } from './tokens.svelte.ts';

const FINISHED_MAX = 10;

export interface NowParts {
  approvals: Approvals;
  changes: Changes;
  clock: Clock;
  connection: Connection;
  events: Events;
  projects: Projects;
  tokens: Tokens;
}

export class Now {
  readonly #parts: NowParts;
  /** The first visit's steps stay until they are closed, so that the last one is seen to be done. */
  #sawFirst = $state(false);

  constructor(parts: NowParts) {
    this.#parts = parts;
  }

  readonly agents: readonly Agent[] = $derived.by(() => {
    const { events, clock, connection } = this.#parts;
    return agentsOf({ events: events.recent, running: events.running, nowMs: clock.nowMs, isLinked: connection.phase === 'up' });
  });

  readonly atWork: readonly Agent[] = $derived.by(() => this.agents.filter(isAtWork));

  /** Heard within the last quarter of an hour, and not at work as far as it was seen. */
  readonly heard: readonly Agent[] = $derived.by(() => this.agents.filter((agent) => !isAtWork(agent)));

  readonly finished: readonly Line[] = $derived.by(() =>
    this.#parts.events.recentRows.filter((line) => !line.isOwnRead).slice(0, FINISHED_MAX),
  );

  readonly needs: number = $derived.by(() => this.#parts.approvals.pending.length + this.#parts.changes.interrupted.length);

  /** The newest call of anyone but the owner among the recent lines. */
  readonly firstCall: Line | null = $derived.by(() => {
    const event = this.#parts.events.recent.findLast((line) => {
      const call = callOf(line);
      return call !== null && call.caller.kind !== 'owner';
    });
    return event === undefined ? null : lineOf(event);
  });

  /** null while it is not known. A client has called when a line says so, or a project or a token remembers a call. */
  readonly hasBeenCalled: boolean | null = $derived.by(() => {
    const { tokens, projects } = this.#parts;
    if (this.firstCall !== null) return true;
    if (projects.list.value === null || tokens.list.value === null) return null;
    return tokens.list.value.some((token) => token.lastUsedAt !== null);
  });

  readonly isFirstVisit: boolean = $derived.by(
    () => this.#sawFirst || this.#parts.projects.list.value?.length === 0 || this.hasBeenCalled === false,
  );

  holdSteps(): void {
    this.#sawFirst = true;
  }

  closeSteps(): void {
    this.#sawFirst = false;
  }
}
