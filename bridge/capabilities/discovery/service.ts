// What a client can find: the operations that exist, have a gateway and are not hidden. Finding one grants nothing.
import { canonicalJson } from '#shared/canonical.ts';
import type { OperationContract } from '#shared/contract.ts';
import { publish, type JsonSchema, type ObjectSchema } from '#shared/json-schema.ts';
import { gatewayOf, subagentOperations, type Domain, type Gateway } from '#shared/surfaces.ts';
import { sha256 } from '../../base/digest.ts';
import { Failed } from '../../failed.ts';
import { rank, type Described } from './find.ts';

export interface DiscoveryParts {
  operations: () => readonly Described[];
  choice: () => { hiddenOperations: readonly string[]; exposeSubagents: boolean };
}

export interface Query {
  query?: string | undefined;
  domain?: Domain | undefined;
  limit: number;
  cursor?: string | undefined;
}

export type Discovery = ReturnType<typeof createDiscovery>;

const DESCRIPTION_MAX = 200;
const CURSOR = /^c(0|[1-9]\d{0,5})$/;

export function createDiscovery({ operations, choice }: DiscoveryParts) {
  /** By contract object, so that two operations can never share an entry. */
  const schemas = new WeakMap<OperationContract, { schema: ObjectSchema; hash: string }>();

  function visible(): Described[] {
    const { hiddenOperations, exposeSubagents } = choice();
    return operations().filter(
      ({ name, contract }) =>
        contract.scope !== 'owner' &&
        gatewayOf(name) !== undefined &&
        !hiddenOperations.includes(name) &&
        (exposeSubagents || !subagentOperations.has(name)),
    );
  }

  function schemaOf(contract: OperationContract): { schema: ObjectSchema; hash: string } {
    const known = schemas.get(contract);
    if (known !== undefined) return known;
    const schema = publish(contract.input);
    const made = { schema, hash: sha256(canonicalJson(schema)) };
    schemas.set(contract, made);
    return made;
  }

  return {
    search({ query, domain, limit, cursor }: Query) {
      const inDomain = visible().filter(({ name }) => domain === undefined || gatewayOf(name)?.domain === domain);
      const ranked = query === undefined || query.trim() === '' ? inDomain : rank(inDomain, query);
      const from = offsetOf(cursor);
      const matches = ranked.slice(from, from + limit).map(brief);
      const next = from + limit < ranked.length ? `c${from + limit}` : null;
      return { matches, totalMatches: ranked.length, next };
    },

    /** NOT_FOUND for what is unknown or hidden, in the same words. */
    describe(name: string, knownSchemaHash?: string) {
      const found = visible().find((one) => one.name === name);
      if (found === undefined)
        throw new Failed('NOT_FOUND', 'There is no operation of that name here.', {
          recovery: 'Search with "query" and take a name from the answer.',
        });
      const { schema, hash } = schemaOf(found.contract);
      return {
        ...brief(found),
        inputSchema: knownSchemaHash === hash ? null : schema,
        schemaHash: hash,
        callShape: { gateway: requireGateway(name).name, example: exampleOf(name, schema) },
        notes: notesOf(found.contract),
      };
    },
  };
}

function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, offset] = CURSOR.exec(cursor) ?? [];
  if (offset === undefined) throw new Failed('INVALID_INPUT', 'The cursor is not one that this operation gave. Nothing was done.');
  return Number(offset);
}

function requireGateway(name: string): Gateway {
  const gateway = gatewayOf(name);
  if (gateway === undefined) throw new Error(`${name} is behind no gateway.`);
  return gateway;
}

function brief({ name, contract }: Described) {
  const { name: gateway, domain } = requireGateway(name);
  return {
    operation: name,
    gateway,
    domain,
    requiredScope: `dodo:${contract.scope}`,
    action: contract.action,
    description: contract.summary.slice(0, DESCRIPTION_MAX),
  };
}

/** The members that must be there, each told by its type. */
function exampleOf(operation: string, schema: ObjectSchema): Record<string, unknown> {
  const required = (schema['required'] as string[] | undefined) ?? [];
  const args = Object.fromEntries(required.map((name) => [name, `<${typeOf(schema.properties[name])}>`]));
  return { workspaceId: '<from project_overview>', workspaceEpoch: '<from project_overview>', operation, args };
}

const typeOf = (schema: JsonSchema | undefined): string => (typeof schema?.['type'] === 'string' ? schema['type'] : 'value');

function notesOf({ scope, action, input }: OperationContract): string[] {
  const takes = (name: string) => Object.hasOwn(input.shape, name);
  return [
    `Needs the scope dodo:${scope}.`,
    ...(action === 'mutate-files' && scope === 'write'
      ? ['Changes files; the answer names the change, which rollback_changes can undo.']
      : []),
    ...(takes('expectedHash') ? ['expectedHash is the hash that read_files gave, or "absent" for a new file.'] : []),
    ...(takes('idempotencyKey') ? ['Send an idempotencyKey to be able to repeat the call safely.'] : []),
  ];
}
