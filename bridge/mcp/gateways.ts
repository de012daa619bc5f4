// One tool that carries several operations: it takes a call apart and names the operation; the one pipeline does everything else.
import { z } from 'zod';
import { envelopeSchema } from '#shared/envelope.ts';
import type { ObjectSchema } from '#shared/json-schema.ts';
import { publish } from '#shared/json-schema.ts';
import { gateways, type Gateway } from '#shared/surfaces.ts';
import { Failed } from '../failed.ts';
import type { Operation } from '../operation.ts';
import { contextNames, contextSchemas, namesElsewhere, splitArguments, type Split, type Tool } from './context.ts';
import { isCarried, type Exposure } from './exposure.ts';

const KEYS: ReadonlySet<string> = new Set([...contextNames, 'operation', 'args']);
const ANSWER = publish(envelopeSchema(z.looseObject({})), 'shape');

export interface OpenGateway {
  gateway: Gateway;
  /** What of it exists and is shown to this client. */
  carried: readonly Operation[];
}

export const openGateways = (operations: readonly Operation[], exposure: Exposure): OpenGateway[] =>
  gateways.map((gateway) => ({
    gateway,
    carried: gateway.operations.flatMap((name) => operations.filter((one) => one.name === name && isCarried(name, exposure))),
  }));

export function toGatewayTool({ gateway, carried }: OpenGateway): Tool {
  const names = carried.map(({ name }) => name);
  const isReadOnly = carried.length > 0 && carried.every(({ contract }) => contract.action === 'read');
  return {
    name: gateway.name,
    title: gateway.about.replace(/\.$/, ''),
    description:
      names.length === 0
        ? `${gateway.about} Nothing is behind this tool in this version; a call answers NOT_SUPPORTED.`
        : `${gateway.about} Ask dodo_discover for an operation's arguments.`,
    annotations: {
      title: gateway.about.replace(/\.$/, ''),
      readOnlyHint: isReadOnly,
      destructiveHint: carried.some(({ contract }) => contract.action !== 'read' && contract.destructive),
      idempotentHint: false,
      openWorldHint: false,
    },
    inputSchema: inputOf(names),
    outputSchema: ANSWER,
  };
}

function inputOf(names: readonly string[]): ObjectSchema {
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(contextNames.map((name) => [name, contextSchemas[name]])),
      operation: names.length === 0 ? { type: 'string' } : { type: 'string', enum: [...names] },
      args: { type: 'object', description: "The operation's own arguments." },
    },
    required: ['workspaceId', 'workspaceEpoch', 'operation'],
    additionalProperties: false,
  };
}

/** Refuses what is not exactly a gateway call, so that nothing a client meant is silently left out. */
export function splitGateway({ gateway, carried }: OpenGateway, args: Record<string, unknown>): Split {
  const refused = fault({ gateway, carried }, args);
  if (refused !== null) return { operation: gateway.name, context: {}, input: args, refused };
  const { operation, args: inner = {}, ...context } = args as { operation: string; args?: Record<string, unknown> };
  const names = carried.flatMap(({ name, contract }) => (name === operation ? namesElsewhere(contract) : []));
  return { operation, via: gateway.name, ...splitArguments([...contextNames, ...names], { ...inner, ...context }) };
}

function fault({ gateway, carried }: OpenGateway, args: Record<string, unknown>): Failed | null {
  const strange = Object.keys(args).find((key) => !KEYS.has(key));
  if (strange !== undefined)
    return invalid(`${gateway.name} takes no ${JSON.stringify(strange.slice(0, 64))}; an operation's arguments go into "args".`);
  const { operation, args: inner = {} } = args;
  if (typeof operation !== 'string') return invalid(`${gateway.name} needs the name of an operation.`);
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return invalid('"args" must be an object.');
  const nested = contextNames.find((name) => Object.hasOwn(inner, name));
  if (nested !== undefined) return invalid(`${nested} belongs beside "args" and not into it.`);
  if (carried.some(({ name }) => name === operation)) return null;
  return gateway.operations.includes(operation)
    ? new Failed('NOT_SUPPORTED', `${operation} is not available here. Nothing was done.`)
    : invalid(`${gateway.name} carries no operation of that name; dodo_discover finds the right one.`);
}

const invalid = (message: string): Failed => new Failed('INVALID_INPUT', `${message} Nothing was done.`);
