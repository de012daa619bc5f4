// The tools a client sees, derived once from the operations. The owner's operations are not among them, listed or callable.
import { annotationsOf } from '#shared/contract.ts';
import { type CallContext, envelopeSchema } from '#shared/envelope.ts';
import type { Operation } from '../operation.ts';
import { type JsonSchema, type ObjectSchema, publish } from './schema.ts';

export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: ReturnType<typeof annotationsOf>;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
}

/** The arguments of one tool call, taken apart into what names the project and what the operation takes. */
export interface SplitArguments {
  context: CallContext;
  input: Record<string, unknown>;
}

type ContextName = keyof CallContext;

const NAME = /^[a-zA-Z0-9_-]{1,40}$/;
/** Their forms are not published: an id is opaque, and one that does not fit is refused by name. */
const contextSchemas: Record<ContextName, JsonSchema> = {
  workspaceId: { type: 'string' },
  workspaceEpoch: { type: 'string' },
  targetProjectId: { type: 'string' },
};

const takes: Record<Operation['contract']['context'], { names: ContextName[]; required: ContextName[] }> = {
  workspace: { names: ['workspaceId', 'workspaceEpoch', 'targetProjectId'], required: ['workspaceId', 'workspaceEpoch'] },
  none: { names: ['targetProjectId'], required: [] },
};

export interface Catalogue {
  /** In the order of the operations, which is the order of the contract. */
  tools: readonly Tool[];
  /** null: there is no such tool, whether or not there is such an operation. */
  split(name: string, args: Record<string, unknown>): SplitArguments | null;
}

export function createCatalogue(operations: readonly Operation[]): Catalogue {
  const offered = new Map(operations.filter(({ contract }) => contract.scope !== 'owner').map((operation) => [operation.name, operation]));
  return {
    tools: [...offered.values()].map(toTool),
    split(name, args) {
      const operation = offered.get(name);
      return operation === undefined ? null : splitArguments(takes[operation.contract.context].names, args);
    },
  };
}

function toTool({ name, contract }: Operation): Tool {
  if (!NAME.test(name)) throw new Error(`${name} cannot be the name of a tool.`);
  return {
    name,
    title: contract.title,
    description: contract.summary,
    annotations: annotationsOf(contract),
    inputSchema: withContext(publish(contract.input), contract.context),
    outputSchema: envelopeOf(contract),
  };
}

/** Every answer has all members of the envelope; saying so again in each tool would only cost the reader. */
function envelopeOf({ output, context }: Operation['contract']): ObjectSchema {
  const schema = publish(envelopeSchema(output), 'shape');
  delete schema['required'];
  if (context === 'workspace') Object.assign(schema.properties, { workspaceId: { type: 'string' }, workspaceEpoch: { type: 'string' } });
  return schema;
}

function withContext(schema: ObjectSchema, kind: Operation['contract']['context']): ObjectSchema {
  const { names, required } = takes[kind];
  const taken = names.find((name) => name in schema.properties);
  if (taken !== undefined) throw new Error(`${taken} belongs to the call's context and cannot be an operation's own input.`);
  const properties = { ...Object.fromEntries(names.map((name) => [name, contextSchemas[name]])), ...schema.properties } as Record<
    string,
    JsonSchema
  >;
  const all = [...required, ...((schema['required'] as string[] | undefined) ?? [])];
  return { ...schema, properties, ...(all.length === 0 ? {} : { required: all }) };
}

function splitArguments(names: readonly ContextName[], args: Record<string, unknown>): SplitArguments {
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
