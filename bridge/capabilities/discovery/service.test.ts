// Finding operations: by words of three languages, by domain, page by page; and nothing that is hidden, unknown or the owner's.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contracts } from '#shared/contracts.ts';
import { otherWords } from '#shared/contracts/words.ts';
import { gatewayOf } from '#shared/surfaces.ts';
import { createDiscovery } from './service.ts';

const operations = Object.entries(contracts).map(([name, contract]) => ({ name, contract }));
const discovery = (hiddenOperations: string[] = []) =>
  createDiscovery({ operations: () => operations, choice: () => ({ hiddenOperations, exposeSubagents: false }) });
const first = (query: string) => discovery().search({ query, limit: 1 }).matches[0]?.operation;

describe('dodo_discover', () => {
  it.each([
    ['grep for a string', 'search_code'],
    ['remove a file', 'delete_path'],
    ['rename', 'move_path'],
    ['mkdir', 'make_directory'],
    ['undo my last change', 'rollback_changes'],
    ['edit_file', 'edit_file'],
    ['ファイルを検索する', 'search_code'],
    ['変更を元に戻す', 'rollback_changes'],
    ['ファイルを削除', 'delete_path'],
    ['画像を見る', 'read_image'],
    ['ค้นหาข้อความในโค้ด', 'search_code'],
    ['ลบไฟล์', 'delete_path'],
    ['เลิกทำการเปลี่ยนแปลง', 'rollback_changes'],
    ['อ่านไฟล์', 'read_files'],
  ])('weakness O11 finds by %s', (query, operation) => {
    expect(first(query)).toBe(operation);
  });

  it('weakness O11 every operation of a gateway is found in English, Japanese and Thai', () => {
    for (const { name } of operations.filter(({ name }) => gatewayOf(name) !== undefined)) {
      const words = otherWords[name] ?? [];
      for (const script of [/^[a-z .]+$/, /[\u3040-\u30ff\u4e00-\u9fff]/, /[\u0e00-\u0e7f]/]) {
        const word = words.find((one) => script.test(one));
        expect(word, `${name} has no word in ${String(script)}`).toBeDefined();
        const found = discovery().search({ query: word ?? '', limit: 25 }).matches;
        expect(found.map(({ operation }) => operation)).toContain(name);
      }
    }
    for (const name of Object.keys(otherWords)) expect(gatewayOf(name), name).toBeDefined();
  });

  it('a query that fits nothing finds nothing, and no query lists all of them in order', () => {
    expect(discovery().search({ query: 'zzqqxx', limit: 8 })).toEqual({ matches: [], totalMatches: 0, next: null });
    const all = operations.filter(({ name }) => gatewayOf(name) !== undefined).map(({ name }) => name);
    const page = discovery().search({ limit: 25 });
    expect([page.matches.map(({ operation }) => operation), page.totalMatches]).toEqual([all.slice(0, 25), all.length]);
    expect(discovery().search({ domain: 'game', limit: 8 }).totalMatches).toBe(0);
  });

  it('pages give every match once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 25 }), (limit) => {
        const seen: string[] = [];
        for (let cursor: string | undefined = 'c0'; cursor !== undefined;) {
          const page = discovery().search({ query: 'file', limit, cursor });
          seen.push(...page.matches.map(({ operation }) => operation));
          cursor = page.next ?? undefined;
        }
        expect(seen).toEqual([...new Set(seen)]);
        expect(seen).toHaveLength(discovery().search({ query: 'file', limit: 1 }).totalMatches);
      }),
    );
    for (const cursor of ['x', 'c-1', 'c01', 'c1e9']) expect(() => discovery().search({ limit: 1, cursor })).toThrow(/cursor/);
  });

  it('describes one operation with a schema that compiles, and leaves out the schema that the caller holds', () => {
    const found = discovery().describe('edit_file');
    expect(found).toMatchObject({ gateway: 'dodo_write', domain: 'code', requiredScope: 'dodo:write', action: 'mutate-files' });
    expect(found.callShape).toMatchObject({ gateway: 'dodo_write', example: { operation: 'edit_file', args: { path: '<string>' } } });
    expect(Object.keys(found.inputSchema?.properties ?? {})).not.toContain('workspaceId');
    new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(found.inputSchema ?? {});
    expect(discovery().describe('edit_file').schemaHash).toBe(found.schemaHash);
    expect(discovery().describe('write_file').schemaHash).not.toBe(found.schemaHash);
    expect(discovery().describe('edit_file', found.schemaHash).inputSchema).toBeNull();
  });

  it('S02 what is hidden, unknown or the owner’s is not found, in the same words', () => {
    for (const name of ['delete_path', 'nothing', 'approval_decide', 'settings_change', 'subagent_spawn'])
      expect(() => discovery(['delete_path']).describe(name)).toThrow('There is no operation of that name here.');
    expect(first('remove a file')).toBe('delete_path');
    const found = discovery(['delete_path']).search({ query: 'remove a file', limit: 25 }).matches;
    expect(found.map(({ operation }) => operation)).not.toContain('delete_path');
  });
});
