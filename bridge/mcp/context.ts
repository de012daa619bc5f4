// What every tool call carries besides its operation's arguments: the names that choose the project, and how a call is taken apart.
import type { annotationsOf, OperationContract } from '#shared/contract.ts';
import { PROJECTS_MAX, type CallContext } from '#shared/envelope.ts';
import type { JsonSchema, ObjectSchema } from '#shared/json-schema.ts';
import type { Failed } from '../failed.ts';

export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: ReturnType<typeof annotationsOf>;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
}

/** One tool call, taken apart into the operation, what names the project and what the operation takes. */
export interface SplitCall {
  operation: string;
  /** The gateway that it came through. */
  via: string | null;
  context: CallContext;
  input: Record<string, unknown>;
}

/** What could not be taken apart keeps the tool's name and all that was sent, for the account. */
export interface RefusedCall extends Omit<SplitCall, 'via'> {
  refused: Failed;
}

export type Split = SplitCall | RefusedCall;

export type ContextName = keyof CallContext;

/** Beside a gateway's "args", and never in them. */
export const contextNames = ['workspaceId', 'workspaceEpoch', 'targetProjectId'] as const satisfies readonly ContextName[];

const elsewhereNames: Record<NonNullable<OperationContract['elsewhere']>, readonly ContextName[]> = {
  one: ['projectId'],
  several: ['projectId', 'projectIds'],
};

/** The names that a read in other projects takes, among its own arguments. */
export const namesElsewhere = ({ elsewhere }: Pick<OperationContract, 'elsewhere'>): readonly ContextName[] =>
  elsewhere === undefined ? [] : elsewhereNames[elsewhere];

/** Their forms are not published: an id is opaque, and one that does not fit is refused by name. */
export const contextSchemas: Record<ContextName, JsonSchema> = {
  workspaceId: { type: 'string' },
  workspaceEpoch: { type: 'string' },
  targetProjectId: { type: 'string' },
  projectId: { type: 'string', description: 'Reads in this project instead.' },
  projectIds: { type: 'array', items: { type: 'string' }, maxItems: PROJECTS_MAX, description: 'Reads in each of these.' },
};

export function splitArguments(names: readonly ContextName[], args: Record<string, unknown>): Pick<SplitCall, 'context' | 'input'> {
  const context: Record<string, unknown> = {};
  const input = { ...args };
  for (const name of names) {
    const value = input[name];
    delete input[name];
    // A value of the wrong type must stay wrong: dropped, it would send the call to the session's own project.
    if (value !== undefined && value !== null)
      context[name] = typeof value === 'string' || name === 'projectIds' ? value : JSON.stringify(value);
  }
  return { context, input };
}
