// Another program's file keeps everything that was in it, or is left alone.
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigEntry } from '../capabilities/access/clients.ts';
import { Failed } from '../failed.ts';
import { removeFolder, temporaryFolder } from '../testing/folder.ts';
import { mergedText, mergeEntry } from './merge.ts';

const value = { command: '/opt/node', args: ['main.js'] };
const json: ConfigEntry = { file: 'x', format: 'json', path: ['mcpServers', 'drawbridge'], value, command: null };
const toml: ConfigEntry = { ...json, format: 'toml', path: ['mcp_servers', 'drawbridge'] };
const table = '[mcp_servers.drawbridge]\ncommand = "/opt/node"\nargs = ["main.js"]\n';

const isRefused = (before: string, entry: ConfigEntry): boolean => {
  try {
    mergedText(before, entry);
    return false;
  } catch (error) {
    if (error instanceof Failed) return error.code === 'NOT_SUPPORTED';
    throw error;
  }
};

describe('JSON', () => {
  it('keeps other entries, their order and the indentation', () => {
    const before = '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "x"\n\t\t}\n\t},\n\t"last": 1\n}\n';
    expect(mergedText(before, json)).toBe(
      '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "x"\n\t\t},\n\t\t"drawbridge": {\n\t\t\t"command": "/opt/node",\n\t\t\t"args": [\n\t\t\t\t"main.js"\n\t\t\t]\n\t\t}\n\t},\n\t"last": 1\n}\n',
    );
  });

  it('replaces its own entry and nothing else, and is then at rest', () => {
    const before = JSON.stringify({ mcpServers: { drawbridge: { command: 'old' }, other: {} } });
    const after = mergedText(before, json);
    expect(JSON.parse(after)).toEqual({ mcpServers: { drawbridge: value, other: {} } });
    expect(mergedText(after, json)).toBe(after);
  });

  it.each([
    ['comments', '{ // mine\n"mcpServers": {} }'],
    ['a trailing comma', '{"mcpServers": {},}'],
    ['a key twice', '{"a":1,"a":2}'],
    ['a number that would be rewritten', '{"a":1.0}'],
    ['a number too large to keep', '{"a":12345678901234567890}'],
    ['an escape that would be rewritten', '{"a":"\\u0041"}'],
    ['no object', '[]'],
    ['an entry of another kind', '{"mcpServers": []}'],
  ])('leaves a file with %s alone', (_what, before) => {
    expect(isRefused(before, json)).toBe(true);
  });

  it('loses nothing of any object (property)', () => {
    const keys = fc.string().filter((key) => key !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), (content) => {
        const before = JSON.stringify(content);
        fc.pre(!isRefused(before, json));
        const { mcpServers, ...rest } = JSON.parse(mergedText(before, json)) as Record<string, unknown>;
        const { mcpServers: former, ...others } = JSON.parse(before) as Record<string, unknown>;
        expect(rest).toEqual(others);
        expect(mcpServers).toEqual({ ...(former as object), drawbridge: value });
      }),
    );
  });
});

describe('TOML', () => {
  it('adds its table at the end and keeps every byte before it', () => {
    const before = '# mine\nmodel = "x" # why\n[mcp_servers.other]\ncommand = "y"';
    expect(mergedText(before, toml)).toBe(`${before}\n\n${table}`);
    expect(mergedText(`${before}\n\n${table}`, toml)).toBe(`${before}\n\n${table}`);
    expect(mergedText('', toml)).toBe(table);
  });

  it.each([
    ['its table already', '[mcp_servers.drawbridge]\ncommand = "old"\n'],
    ['its table in quotes', '[mcp_servers."drawbridge"]\n'],
    ['a table below it', '[mcp_servers.drawbridge.env]\n'],
    ['an inline table', 'mcp_servers = { other = { command = "x" } }\n'],
    ['dotted keys', 'mcp_servers.other.command = "x"\n'],
  ])('leaves a file with %s alone', (_what, before) => {
    expect(isRefused(before, toml)).toBe(true);
  });
});

describe('file', () => {
  let folder: string;
  beforeEach(() => void (folder = temporaryFolder('merge')));
  afterEach(() => removeFolder(folder));

  it('is made with its folder, readable by its owner alone', async () => {
    const file = join(folder, 'a', 'b', 'c.json');
    expect(await mergeEntry({ ...json, file })).toEqual({ done: 'written' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await mergeEntry({ ...json, file })).toEqual({ done: 'unchanged' });
  });

  it('keeps its mode, and a link keeps leading to it', async () => {
    const [real, file] = [join(folder, 'real.json'), join(folder, 'link.json')];
    writeFileSync(real, '{}\n');
    chmodSync(real, 0o644);
    symlinkSync(real, file);
    await mergeEntry({ ...json, file });
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o644);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ mcpServers: { drawbridge: value } });
  });

  it('that is refused is not touched', async () => {
    const file = join(folder, 'c.json');
    writeFileSync(file, '{ /* mine */ }');
    const before = statSync(file).mtimeMs;
    expect(await mergeEntry({ ...json, file })).toMatchObject({ done: 'refused' });
    expect(readFileSync(file, 'utf8')).toBe('{ /* mine */ }');
    expect(statSync(file).mtimeMs).toBe(before);
  });
});
