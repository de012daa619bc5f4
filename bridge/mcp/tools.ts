// The tools a client sees, derived from the operations for one exposure. The owner's operations are not among them, listed or callable.
import { annotationsOf, type OperationContract } from '#shared/contract.ts';
import { envelopeSchema } from '#shared/envelope.ts';
import { publish, type JsonSchema, type ObjectSchema } from '#shared/json-schema.ts';
import { compactNames, gateways as allGateways } from '#shared/surfaces.ts';
import type { Listed, Operation } from '../operation.ts';
import { contextNames, contextSchemas, namesElsewhere, splitArguments, type ContextName, type Split, type Tool } from './context.ts';
import { directOf, requireReachable, type Exposure } from './exposure.ts';
import { openGateways, splitGateway, toGatewayTool } from './gateways.ts';

const NAME = /^[a-zA-Z0-9_-]{1,40}$/;
const takes: Record<Operation['contract']['context'], { names: readonly ContextName[]; required: ContextName[] }> = {
  workspace: { names: contextNames, required: ['workspaceId', 'workspaceEpoch'] },
  none: { names: ['targetProjectId'], required: [] },
};

export interface Catalogue {
  listed: Listed;
  tools: readonly Tool[];
  /** null: there is no such tool, whether or not there is such an operation. */
  split(name: string, args: Record<string, unknown>): Split | null;
}

/** Throws when one name would stand for two things: which of them a client means could not be told. */
export function createCatalogue(operations: readonly Operation[], exposure: Exposure): Catalogue {
  requireOwnNames(operations);
  const direct = new Map(directOf(operations, exposure).map((operation) => [operation.name, operation]));
  const isFull = exposure.surface === 'full';
  if (!isFull) requireReachable(operations);
  const gateways = new Map((isFull ? [] : openGateways(operations, exposure)).map((open) => [open.gateway.name, open]));
  const [alone, after] = [true, false].map((isAlone) => [...direct.values()].filter(({ name }) => compactNames.includes(name) === isAlone));
  const tools = [...(alone ?? []).map(toTool), ...[...gateways.values()].map(toGatewayTool), ...(after ?? []).map(toTool)];
  return {
    tools,
    listed: { toolSurface: exposure.surface, tools: tools.length },
    split(name, args) {
      const gateway = gateways.get(name);
      if (gateway !== undefined) return splitGateway(gateway, args);
      const operation = direct.get(name);
      if (operation === undefined) return null;
      const names = [...takes[operation.contract.context].names, ...namesElsewhere(operation.contract)];
      return { operation: name, via: null, ...splitArguments(names, args) };
    },
  };
}

function requireOwnNames(operations: readonly Operation[]): void {
  const names = [...allGateways.map(({ name }) => name), ...operations.map(({ name }) => name)];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`${twice} would be the name of two tools.`);
}

function toTool({ name, contract }: Operation): Tool {
  if (!NAME.test(name)) throw new Error(`${name} cannot be the name of a tool.`);
  return {
    name,
    title: contract.title,
    description: contract.summary,
    annotations: annotationsOf(contract),
    inputSchema: withContext(publish(contract.input), contract),
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

function withContext(schema: ObjectSchema, contract: OperationContract): ObjectSchema {
  const { names: always, required } = takes[contract.context];
  const names = [...always, ...namesElsewhere(contract)];
  const taken = names.find((name) => name in schema.properties);
  if (taken !== undefined) throw new Error(`${taken} belongs to the call's context and cannot be an operation's own input.`);
  const properties = { ...Object.fromEntries(names.map((name) => [name, contextSchemas[name]])), ...schema.properties } as Record<
    string,
    JsonSchema
  >;
  const all = [...required, ...((schema['required'] as string[] | undefined) ?? [])];
  return { ...schema, properties, ...(all.length === 0 ? {} : { required: all }) };
}
