// What the pipeline needs from the capabilities, in its own words: it names none of them.
import type { CallContext } from '#shared/envelope.ts';
import type { EventKind } from '#shared/events.ts';
import type { OperationContract } from '#shared/contract.ts';
import type { AskContext, Asked, Caller, ProjectHandle, Touches } from '../operation.ts';

export interface ProjectPort {
  /**
   * Chooses the project a call is for and proves its directory. `fallbackId` is the session's own project.
   * Returns null when the context names none and there is no fallback.
   */
  choose(context: CallContext, caller: Caller, fallbackId: string | null): Promise<ProjectHandle | null>;
  /** Holds the project for the call until the answer is called. Throws RESOURCE_LIMIT when too many are in use. */
  lease(projectId: string, isSecondary: boolean): () => void;
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

/** What the owner chose for everyone, asked as of now. It only ever narrows. */
export interface PolicyPort {
  /** The caller with what it may do at all (null), or in this project. */
  narrow(caller: Caller, project: ProjectHandle | null): Caller;
  /** Why such a call needs the owner's answer in this project, however undoable it is; null: it does not. */
  question(project: ProjectHandle, contract: OperationContract, input: Record<string, unknown>): string | null;
  /** Throws FORBIDDEN when what a call touches is out of reach here, whoever answers. */
  requireReach(project: ProjectHandle, touches: Touches): void;
}

export interface GrantPort {
  /** A standing answer of the owner that covers all of this question, or null. */
  find(context: AskContext, asked: Asked): string | null;
  /** Counts one use. Throws APPROVAL_EXPIRED when the grant ended meanwhile. */
  spend(grantId: string): void;
}

export interface ApprovalPort {
  /** The id of an approval that stands for exactly this call and is not spent, or null. */
  find(context: AskContext, asked: Asked): string | null;
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
