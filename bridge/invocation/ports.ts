// What the pipeline needs from the capabilities, in its own words: it names none of them.
import type { CallContext } from '#shared/envelope.ts';
import type { EventKind } from '#shared/events.ts';
import type { AskContext, Asked, Caller, ProjectHandle } from '../operation.ts';

export interface ProjectPort {
  /**
   * Chooses the project a call is for and proves its directory. `fallbackId` is the session's own project.
   * Returns null when the context names none and there is no fallback.
   */
  choose(context: CallContext, caller: Caller, fallbackId: string | null): Promise<ProjectHandle | null>;
  /** Remembers that the project was called, for the owner's eyes. */
  touched(projectId: string): void;
}

export interface EventInput {
  session: string;
  kind: EventKind;
  projectId: string | null;
  body: Record<string, unknown>;
}

export interface EventPort {
  /** Appends inside the caller's transaction when there is one. Subscribers hear of it after the commit. */
  append(event: EventInput): void;
}

export interface ApprovalPort {
  /**
   * Finds an answer for exactly this call and these files, or asks for one.
   * Returns the approved id; throws APPROVAL_REQUIRED, FORBIDDEN (denied) or RESOURCE_LIMIT (too many waiting).
   */
  require(context: AskContext, asked: Asked): string;
  /** Spends an approved id. Throws APPROVAL_EXPIRED when it was spent or ran out meanwhile. */
  spend(approvalId: string): void;
}

/** Keeps arguments that are too large for an event row. */
export interface ArgumentStore {
  put(bytes: Buffer): Promise<string>;
}
