// The compact and the hybrid surface: their names, order and size, and that a gateway is a way to the one pipeline and nothing else.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { contracts } from '#shared/contracts.ts';
import { compactNames, gateways, hybridDirect } from '#shared/surfaces.ts';
import { sha256 } from '../base/digest.ts';
import { productOver, type Product } from '../testing/product.ts';
import type { Exposure } from './exposure.ts';
import { exposureOf } from './exposure.ts';
import { createCatalogue } from './tools.ts';

const operations = Object.entries(contracts).map(([name, contract]) => ({
  name,
  contract,
  run: () => Promise.reject(new Error('A catalogue never runs anything.')),
}));
const exposure = (surface: Exposure['surface'], more: Partial<Exposure> = {}): Exposure => ({
  surface,
  hidden: [],
  hasSubagents: false,
  ...more,
});
const namesOf = (shown: Exposure) => createCatalogue(operations, shown).tools.map(({ name }) => name);
const operationsIn = (shown: Exposure, gateway: string) => {
  const { inputSchema } = createCatalogue(operations, shown).tools.find(({ name }) => name === gateway) ?? {};
  return (inputSchema?.properties['operation']?.['enum'] as string[] | undefined) ?? [];
};

describe('surfaces', () => {
  it('B26 compact is the nineteen names in their order, at most 25 tools and 40 KiB, well under 52,317 bytes', () => {
    const { tools } = createCatalogue(operations, exposure('compact'));
    expect(tools.map(({ name }) => name)).toEqual(compactNames);
    expect(compactNames).toHaveLength(19);
    expect(tools.length).toBeLessThanOrEqual(25);
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(Math.min(40 * 1024, 52_317));
  });

  it('hybrid is compact first and then what exists of the direct names', () => {
    const names = namesOf(exposure('hybrid'));
    expect(names.slice(0, 19)).toEqual(compactNames);
    expect(names.slice(19)).toEqual(hybridDirect.filter((name) => Object.hasOwn(contracts, name)));
    expect([19 + hybridDirect.length, new Set(names).size]).toEqual([49, names.length]);
  });

  it('every operation that a client may call is behind exactly one gateway, and all 124 of the contract are', () => {
    const carried = gateways.flatMap((gateway) => gateway.operations);
    expect([carried.length, new Set(carried).size]).toEqual([124, 124]);
    for (const { name, contract } of operations)
      expect(carried.includes(name), name).toBe(contract.scope !== 'owner' && !compactNames.includes(name));
  });

  it('an operation without a gateway does not build', () => {
    const lost = { ...operations.find(({ name }) => name === 'read_files'), name: 'read_everything' } as (typeof operations)[number];
    expect(() => createCatalogue([...operations, lost], exposure('compact'))).toThrow(/read_everything is behind no gateway/);
  });

  it.each(['compact', 'hybrid'] as const)('B24 every schema of %s is one that strict clients accept', (surface) => {
    for (const { name, inputSchema, outputSchema } of createCatalogue(operations, exposure(surface)).tools)
      for (const schema of [inputSchema, outputSchema]) {
        const strict = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
        expect(strict.validateSchema(schema), name).toBe(true);
        strict.compile(schema);
        expect(JSON.stringify(schema)).not.toMatch(/"\$(ref|defs|id|anchor|schema)"/);
        expect(Object.keys(schema)).not.toEqual(expect.arrayContaining(['anyOf', 'oneOf', 'allOf', 'not']));
      }
  });

  it('what the owner hides is gone from compact and hybrid and stays in full', () => {
    const hidden = ['delete_path'];
    expect(operationsIn(exposure('compact', { hidden }), 'dodo_write')).not.toContain('delete_path');
    expect(namesOf(exposure('hybrid', { hidden }))).not.toContain('delete_path');
    expect(namesOf(exposure('full', { hidden }))).toContain('delete_path');
    expect(operationsIn(exposure('compact'), 'dodo_write')).toContain('delete_path');
  });

  it('hints of a gateway are true of everything behind it', () => {
    for (const { name, annotations } of createCatalogue(operations, exposure('compact')).tools) {
      const carried = gateways.find((gateway) => gateway.name === name)?.operations.filter((one) => Object.hasOwn(contracts, one));
      if (carried === undefined) continue;
      const isReading = carried.length > 0 && carried.every((one) => contracts[one as keyof typeof contracts].action === 'read');
      expect([annotations.readOnlyHint, annotations.idempotentHint], name).toEqual([isReading, false]);
    }
  });

  it('the run goes before the setting, and the setting before the default of the transport', () => {
    const choice = { toolSurface: null, hiddenOperations: [], exposeSubagents: false };
    expect(exposureOf('http', null, choice).surface).toBe('compact');
    expect(exposureOf('stdio', null, choice).surface).toBe('full');
    expect(exposureOf('stdio', null, { ...choice, toolSurface: 'hybrid' }).surface).toBe('hybrid');
    expect(exposureOf('http', 'full', { ...choice, toolSurface: 'hybrid' }).surface).toBe('full');
  });
});

describe('a gateway', () => {
  const throughIn = (product: Product) => (tool: string, operation: string, rest: { args: unknown; [name: string]: unknown }) =>
    product.call(tool, { ...product.context, operation, ...rest });

  it('B25 runs the operation as its own tool would: result, receipt, code and account', async () => {
    await using product = await productOver({ 'a.txt': 'alpha\n' }, 'compact');
    const through = throughIn(product);
    const read = await through('dodo_read', 'read_files', { args: { files: [{ path: 'a.txt' }] } });
    expect(read).toMatchObject({ ok: true, data: { files: [{ content: expect.stringContaining('alpha') as string }] } });
    const wish = { path: 'a.txt', content: 'beta\n', expectedHash: sha256('alpha\n'), idempotencyKey: 'key-00000001' };
    const written = await through('dodo_write', 'write_file', { args: wish });
    const again = await through('dodo_write', 'write_file', { args: wish });
    expect(again.data).toEqual(written.data);
    expect(again.warnings.join()).toContain('replayed');
    const stale = await through('dodo_write', 'write_file', { args: { ...wish, content: 'c\n', idempotencyKey: 'key-00000002' } });
    expect(stale).toMatchObject({ ok: false, error: { code: 'FILE_CHANGED' } });
    const calls = product.calls();
    expect(calls.slice(-4).map(({ operation, via, code }) => [operation, via, code])).toEqual([
      ['read_files', 'dodo_read', 'OK'],
      ['write_file', 'dodo_write', 'OK'],
      ['write_file', 'dodo_write', 'OK'],
      ['write_file', 'dodo_write', 'FILE_CHANGED'],
    ]);
  });

  it('the overview says what this client is shown', async () => {
    await using product = await productOver({ 'a.txt': '' }, 'compact');
    await product.app.settings.change({ hiddenOperations: ['delete_path'] }, 'test');
    const { data } = await product.call('project_overview', {});
    const { tools } = await product.client.listTools();
    expect(data?.['bridge']).toMatchObject({ toolSurface: 'compact', tools: tools.length, hiddenOperations: 1, subagents: false });
  });

  it('refuses what is not exactly a call, and does nothing', async () => {
    await using product = await productOver({ 'a.txt': 'alpha\n' }, 'compact');
    const through = throughIn(product);
    const codeOf = async (...call: Parameters<typeof through>) => (await through(...call)).error?.code ?? 'OK';
    expect(await codeOf('dodo_read', 'write_file', { args: {} })).toBe('INVALID_INPUT');
    expect(await codeOf('dodo_read', 'approval_decide', { args: {} })).toBe('INVALID_INPUT');
    expect(await codeOf('dodo_write', 'agent_write', { args: {} })).toBe('NOT_SUPPORTED');
    expect(await codeOf('dodo_game', 'game_step', { args: {} })).toBe('NOT_SUPPORTED');
    expect(await codeOf('dodo_read', 'list_files', { args: {}, path: '.' })).toBe('INVALID_INPUT');
    for (const name of ['workspaceId', 'workspaceEpoch', 'targetProjectId'])
      expect(await codeOf('dodo_read', 'list_files', { args: { [name]: 'x' } }), name).toBe('INVALID_INPUT');
    expect(await codeOf('dodo_read', 'list_files', { args: [] })).toBe('INVALID_INPUT');
    expect(await codeOf('dodo_read', 'list_files', { args: { fuzzy: 1 } })).toBe('INVALID_INPUT');
    await expect(product.call('read_files', product.context)).rejects.toThrow(/no tool of that name/);
    const refused = product.calls().filter(({ operation }) => operation.startsWith('dodo_'));
    expect(refused.map(({ operation, code }) => `${operation} ${code}`)).toEqual([
      'dodo_read INVALID_INPUT',
      'dodo_read INVALID_INPUT',
      'dodo_write NOT_SUPPORTED',
      'dodo_game NOT_SUPPORTED',
      ...Array<string>(5).fill('dodo_read INVALID_INPUT'),
    ]);
    expect(refused[0]).toMatchObject({ caller: { name: 'test' }, arguments: { operation: 'write_file', args: {} } });
  });
});
