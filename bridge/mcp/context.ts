// What every tool call carries besides its operation's arguments: the names that choose the project, and how a call is taken apart.
import type { annotationsOf } from '#shared/contract.ts';
import type { CallContext } from '#shared/envelope.ts';
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

export const contextNames: readonly ContextName[] = ['workspaceId', 'workspaceEpoch', 'targetProjectId'];

/** Their forms are not published: an id is opaque, and one that does not fit is refused by name. */
export const contextSchemas: Record<ContextName, JsonSchema> = {
  workspaceId: { type: 'string' },
  workspaceEpoch: { type: 'string' },
  targetProjectId: { type: 'string' },
};

export function splitArguments(names: readonly ContextName[], args: Record<string, unknown>): Pick<SplitCall, 'context' | 'input'> {
  const context: CallContext = {};
  const input = { ...args };
  for (const name of names) {
    const value = input[name];
    delete input[name];
    // A value of the wrong type must stay wrong: dropped, it would send the call to the session's own project.
    if (value !== undefined && value !== null) context[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return { context, input };
}
