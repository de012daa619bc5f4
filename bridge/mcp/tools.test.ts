// The catalogue that strict clients must accept whole: one bad schema hides every tool (B24), and every byte of it is paid for (B26).
import { AjvJsonSchemaValidator as ValidatorV1 } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { AjvJsonSchemaValidator as ValidatorV2 } from '@modelcontextprotocol/server/validators/ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { OperationContract } from '#shared/contract.ts';
import { contracts } from '#shared/contracts.ts';
import type { Operation } from '../operation.ts';
import type { JsonSchema } from '#shared/json-schema.ts';
import type { Tool } from './context.ts';
import type { Exposure } from './exposure.ts';
import { createCatalogue } from './tools.ts';

const operation = (name: string, contract: OperationContract): Operation => ({
  name,
  contract,
  run: () => Promise.reject(new Error('The catalogue never runs anything.')),
});
const operations = Object.entries(contracts).map(([name, contract]) => operation(name, contract));
const full: Exposure = { surface: 'full', hidden: [], hasSubagents: false };
const { tools, split } = createCatalogue(operations, full);
const schemasOf = ({ inputSchema, outputSchema }: Tool): JsonSchema[] => [inputSchema, outputSchema];

/** Every schema in a schema, itself first, with where it stands. */
function walk(node: unknown, at = '#'): [string, unknown][] {
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return [[at, node]];
  const { properties, items, additionalProperties, anyOf, oneOf, allOf } = node as Record<string, unknown>;
  const members = Object.entries((properties ?? {}) as object).flatMap(([name, member]) => walk(member, `${at}/${name}`));
  const rest = [items, additionalProperties === false ? undefined : additionalProperties].filter((schema) => schema !== undefined);
  const branches = [anyOf, oneOf, allOf].flatMap((list) => (list ?? []) as unknown[]);
  return [[at, node], ...members, ...[...rest, ...branches].flatMap((schema, n) => walk(schema, `${at}[${n}]`))];
}

describe('tools', () => {
  it.each(tools.map((tool) => [tool.name, tool] as const))('B24 %s has a name and schemas that every client accepts', (name, tool) => {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    for (const schema of schemasOf(tool)) {
      expect(schema['type']).toBe('object');
      for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'if', '$schema']) expect(schema).not.toHaveProperty(keyword);
      expect(JSON.stringify(schema)).not.toMatch(/"\$(ref|defs|id|anchor)"|"definitions"/);
      for (const [at, node] of walk(schema)) {
        expect(typeof node, at).toBe('object');
        if ((node as JsonSchema)['type'] === 'array') expect(node, at).toHaveProperty('items');
        expect(Array.isArray((node as JsonSchema)['type']), at).toBe(false);
        expect(Object.keys(node as JsonSchema), at).not.toHaveLength(0);
      }
    }
  });

  it.each(tools.map((tool) => [tool.name, tool] as const))(
    'B24 %s compiles in the validators of SDK 1 and 2 and in strict Ajv 2020',
    (_name, tool) => {
      const strict = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
      for (const schema of schemasOf(tool)) {
        expect(strict.validateSchema(schema), strict.errorsText()).toBe(true);
        strict.compile(schema);
        expect(new ValidatorV1().getValidator(schema)(1)).toMatchObject({ valid: false });
        expect(new ValidatorV2().getValidator(schema)(1)).toMatchObject({ valid: false });
      }
    },
  );

  it('B24 every input names the project pair except where no project is needed', () => {
    for (const { name, inputSchema } of tools) {
      const isFree = contracts[name as keyof typeof contracts].context === 'none';
      const named = Object.keys(inputSchema.properties).filter((key) => key.startsWith('workspace') || key === 'targetProjectId');
      expect(named, name).toEqual(isFree ? ['targetProjectId'] : ['workspaceId', 'workspaceEpoch', 'targetProjectId']);
      for (const key of isFree ? [] : ['workspaceId', 'workspaceEpoch']) expect(inputSchema['required'], name).toContain(key);
      expect(inputSchema['additionalProperties'], name).toBe(false);
    }
  });

  it('B24 an input that the contract takes satisfies the published schema, and the other way round', () => {
    const hash = 'a'.repeat(64);
    const pair = { workspaceId: 'ws_1', workspaceEpoch: 'ep_1' };
    const inputs: [keyof typeof contracts, Record<string, unknown>, boolean][] = [
      ['edit_file', { path: 'a', edits: [{ find: 'x', replace: 'y' }], expectedHash: hash }, true],
      ['edit_file', { path: 'a', edits: [], expectedHash: hash }, false],
      ['edit_file', { path: 'a', edits: [{ find: 'x', replace: 'y', fuzzy: true }], expectedHash: hash }, false],
      ['write_file', { path: 'a', content: '', expectedHash: 'absent' }, true],
      ['write_file', { path: 'a', content: '', expectedHash: hash.slice(1) }, false],
      ['write_file', { path: 'a', content: '' }, false],
      ['preview_changes', { operations: [{ kind: 'move', path: 'a', destPath: 'b', expectedHash: hash }] }, true],
      ['preview_changes', { operations: [{ kind: 'chmod', path: 'a' }] }, false],
      ['search_code', { query: 'x', maxResults: 101 }, false],
      ['read_files', { files: [{ path: 'a', startLine: 0 }] }, false],
    ];
    for (const [name, input, isTaken] of inputs) {
      const tool = tools.find((candidate) => candidate.name === name) as Tool;
      const validate = new ValidatorV2().getValidator(tool.inputSchema);
      expect(validate({ ...pair, ...input }).valid, name).toBe(isTaken);
      expect(contracts[name].input.safeParse(input).success, name).toBe(isTaken);
    }
  });

  it('B24 a name that clients refuse, or an input that takes a name of the context, does not build', () => {
    const contract = contracts.list_files;
    expect(() => createCatalogue([operation('list.files', contract)], full)).toThrow(/name of a tool/);
    expect(() => createCatalogue([operation('x'.repeat(41), contract)], full)).toThrow(/name of a tool/);
    const taking = { ...contract, input: z.strictObject({ workspaceId: z.string() }) };
    expect(() => createCatalogue([operation('taking', taking)], full)).toThrow(/workspaceId/);
  });

  it('B26 is terse, at most 2,200 bytes a tool on average, in the order of the contract, the same each time', () => {
    const text = JSON.stringify({ tools });
    expect(Buffer.byteLength(text) / tools.length).toBeLessThan(2200);
    const offered = operations.filter(({ name, contract }) => contract.scope !== 'owner' && name !== 'dodo_discover');
    expect(tools.map(({ name }) => name)).toEqual(offered.map(({ name }) => name));
    expect(JSON.stringify({ tools: createCatalogue(operations, full).tools })).toBe(text);
  });

  it("S02 none of the owner's operations is listed or can be split for a call", () => {
    const owners = operations.filter(({ contract }) => contract.scope === 'owner').map(({ name }) => name);
    expect(owners).toContain('approval_decide');
    for (const name of owners) {
      expect(tools.map((tool) => tool.name)).not.toContain(name);
      expect(split(name, {})).toBeNull();
    }
  });

  it('annotations are true to the contract', () => {
    for (const { name, annotations } of tools) {
      const { action, destructive } = contracts[name as keyof typeof contracts];
      expect(annotations.readOnlyHint, name).toBe(action === 'read');
      expect(annotations.destructiveHint, name).toBe(action !== 'read' && destructive);
    }
  });

  it('takes the context out of the arguments, and never makes a wrong one right', () => {
    const pair = { workspaceId: 'ws', workspaceEpoch: 'ep' };
    expect(split('list_files', { ...pair, path: 'src' })).toEqual({
      operation: 'list_files',
      via: null,
      context: pair,
      input: { path: 'src' },
    });
    expect(split('list_files', { ...pair, targetProjectId: null })).toMatchObject({ context: pair });
    expect(split('list_files', { ...pair, targetProjectId: { id: 1 } })).toMatchObject({ context: { targetProjectId: '{"id":1}' } });
    expect(split('project_overview', { targetProjectId: 'prj_x', ...pair })).toMatchObject({
      context: { targetProjectId: 'prj_x' },
      input: pair,
    });
    expect(split('nothing', {})).toBeNull();
  });
});
