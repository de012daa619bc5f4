// What an operation is once implemented: its contract, its handler, and what the handler learns about its call.
import type { z } from 'zod';
import type { AskedFile } from '#shared/contracts/approvals.ts';
import type { Contract, OperationContract, Scope } from '#shared/contract.ts';

export type CallerKind = 'owner' | 'client' | 'stdio' | 'agent' | 'viewer' | 'plugin';

/** Who makes a call, as one surface proved it. Resolved afresh before, and again after, every wait. */
export interface Caller {
  kind: CallerKind;
  /** The stable key of the grant (`owner`, `stdio:<name>`, `token:<id>`): what "your own" means. */
  principal: string;
  /** What the owner reads. */
  name: string;
  scopes: ReadonlySet<Scope>;
  /** null: every registered project. */
  projectIds: ReadonlySet<string> | null;
  /** The project it was started in: all that it has where the owner lists projects by hand. */
  homeId?: string;
}

/** A ready project under a lease: the directory proven to be the registered one. */
export interface ProjectHandle {
  projectId: string;
  name: string;
  /** Absolute real path. */
  root: string;
  workspaceId: string;
  epoch: string;
}

/** What a client is shown, as its surface chose it. */
export interface Listed {
  toolSurface: 'full' | 'compact' | 'hybrid';
  tools: number;
}

/** What a handler knows besides its input. */
export interface Call {
  operation: string;
  caller: Caller;
  /** Throws WORKSPACE_ACCESS_REQUIRED when the call names no project; never for context `workspace`. */
  readonly project: ProjectHandle;
  hasProject: boolean;
  signal: AbortSignal;
  surface: string;
  /** Left out: the caller is shown no tools. */
  listed?: Listed | undefined;
  session: string;
  /** The owner is asked whatever this call does, so that `asks` tells all of it. */
  mustAsk?: boolean;
  /** The durable reservation of this call's idempotency key; a journal commit stores its receipt beside it. */
  reservation: string | null;
}

/** What a call reaches, in canonical words: a grant covers a call only when it covers all of these. */
export interface Touches {
  /** Every path that the call changes, relative to the root. */
  paths: readonly string[];
  /** The folders that come or go on the way to these; with no other path they are the paths. */
  folders?: readonly string[];
  program?: string;
  /** Where bytes would go outside this machine. */
  host?: string;
  /** The AI profile that would see bytes of the project. */
  profile?: string;
}

/** What a call does that cannot simply be undone, and the files that an approval must bind to. */
export interface Asked {
  summary: string;
  reasons: string[];
  files: AskedFile[];
  /** Left out: not known, and then only a grant of these exact arguments can answer. */
  touches?: Touches;
}

/** Who asks, for exactly which words. An approval is bound to these and to the files of the question. */
export interface AskContext {
  caller: Caller;
  project: ProjectHandle | null;
  session: string;
  operation: string;
  /** Canonical JSON of the validated input without its idempotency key. */
  argumentsText: string;
  argumentsHash: string;
}

/** A handler's answer. Only `data` is checked against the contract; the rest is the envelope's. */
export interface Outcome<Data = Record<string, unknown>> {
  data: Data;
  /** One line for the timeline. */
  brief?: string;
  warnings?: string[];
  /** How many parts of the call were refused, when the others went well. */
  refused?: number;
  truncated?: boolean;
  nextCursor?: string;
  /** Extra MCP content blocks after the text. */
  images?: { data: string; mimeType: string }[];
}

/** What one of several projects answered to the same read. */
export interface Part {
  project: Pick<ProjectHandle, 'projectId' | 'name'>;
  outcome: Outcome;
}

export interface Operation {
  name: string;
  contract: OperationContract;
  run(input: Record<string, unknown>, call: Call): Promise<Outcome>;
  /** null: nothing about this call needs the owner. */
  asks?(input: Record<string, unknown>, call: Call): Promise<Asked | null>;
  /** Makes one answer of what several projects said; there with `elsewhere: 'several'`. */
  join?(parts: readonly Part[], input: Record<string, unknown>): Outcome;
}

type In<C extends Contract, K extends keyof C> = z.output<C[K]['input']>;
type Out<C extends Contract, K extends keyof C> = z.input<C[K]['output']>;
export type Handlers<C extends Contract> = {
  [K in keyof C]: (input: In<C, K>, call: Call) => Promise<Outcome<Out<C, K>>>;
};
export type Questions<C extends Contract> = {
  [K in keyof C]?: (input: In<C, K>, call: Call) => Promise<Asked | null>;
};

/** Joins a contract with its handlers. A missing handler or a wrong type does not compile. */
export function implement<C extends Contract>(contract: C, handlers: Handlers<C>, asks: Questions<C> = {}): Operation[] {
  return Object.keys(contract).map((name) => {
    const question = asks[name];
    return {
      name,
      contract: contract[name] as OperationContract,
      run: handlers[name] as Operation['run'],
      ...(question === undefined ? {} : { asks: question as NonNullable<Operation['asks']> }),
    };
  });
}
