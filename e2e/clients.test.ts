// Real MCP clients against the built product: they list, read, search, edit two files in one change, and are refused on a stale hash.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Envelope } from '#shared/envelope.ts';
import { inspect, installInspector, type Inspector, type ServerEntry } from './inspector.ts';
import { drawbridge, entry, place, repositoryAt, start } from './product.ts';

interface Result {
  content: { type: string; text: string }[];
  structuredContent?: Envelope;
  isError?: boolean;
}

/** What a flow needs of a client. */
interface Caller {
  list(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>): Promise<Result>;
  close(): Promise<void>;
}

/** Where a client finds the product. */
interface Product {
  stdio: { command: string; args: string[] };
  url: URL;
  headers: Record<string, string>;
  /** A folder that is gone afterwards. */
  path: string;
}

const about = { name: 'e2e', version: '1.0.0' };
const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

interface SdkClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const ofSdk = (client: SdkClient): Caller => ({
  list: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args) => (await client.callTool({ name, arguments: args })) as Result,
  close: () => client.close(),
});

const ofInspector = ({ run }: Inspector): Caller => ({
  async list() {
    // --strict also reports every schema that some client could not take (B24).
    const { exitCode, stdout, stderr } = await run('--method', 'tools/list', '--strict');
    expect(stderr).not.toMatch(/Warning|Error/);
    expect(exitCode).toBe(0);
    return resultOf<{ tools: { name: string }[] }>(stdout).tools.map(({ name }) => name);
  },
  async call(name, args) {
    const { stdout, stderr } = await run('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args));
    expect(stdout, `${name}: ${stderr}`).not.toBe('');
    return resultOf<Result>(stdout);
  },
  close: async () => undefined,
});

function resultOf<Shape>(stdout: string): Shape {
  const printed = JSON.parse(stdout) as { result?: Shape } & Shape;
  return printed.result ?? printed;
}

async function sdk1(transport: StdioV1 | HttpV1): Promise<Caller> {
  const client = new ClientV1(about);
  await client.connect(transport as never);
  return ofSdk(client);
}

async function sdk2(transport: StdioV2 | HttpV2, options: ConstructorParameters<typeof ClientV2>[1] = {}): Promise<Caller> {
  const client = new ClientV2(about, options);
  await client.connect(transport);
  return ofSdk(client);
}

const http = ({ url, headers }: Product) => [url, { requestInit: { headers } }] as const;
const httpEntry = ({ url, headers }: Product): ServerEntry => ({ type: 'streamable-http', url: url.href, headers });

const ways: [string, (product: Product) => Promise<Caller>][] = [
  ['SDK 1 over stdio', (product) => sdk1(new StdioV1({ ...product.stdio, stderr: 'ignore' }))],
  ['SDK 2 over stdio, 2025 revision', (product) => sdk2(new StdioV2({ ...product.stdio, stderr: 'ignore' }))],
  ['SDK 2 over stdio, 2026-07-28', (product) => sdk2(new StdioV2({ ...product.stdio, stderr: 'ignore' }), modern)],
  ['inspector over stdio, 2025 revision', async (product) => ofInspector(await inspect(product.stdio, product.path, 'legacy'))],
  ['SDK 1 over HTTP', (product) => sdk1(new HttpV1(...http(product)))],
  ['SDK 2 over HTTP, 2025 revision', (product) => sdk2(new HttpV2(...http(product)))],
  ['SDK 2 over HTTP, 2026-07-28', (product) => sdk2(new HttpV2(...http(product)), modern)],
  ['inspector over HTTP, 2026-07-28', async (product) => ofInspector(await inspect(httpEntry(product), product.path, 'modern'))],
];

const files = {
  'src/cart.ts': "export const unit = 'cent';\n",
  'src/tax.ts': "import { unit } from './cart.ts';\nexport const rate = 7;\n",
  'README.md': '# shop\n',
};
const patch = `--- a/src/cart.ts
+++ b/src/cart.ts
@@ -1 +1 @@
-export const unit = 'cent';
+export const unit = 'penny';
--- a/src/tax.ts
+++ b/src/tax.ts
@@ -1,2 +1,2 @@
 import { unit } from './cart.ts';
-export const rate = 7;
+export const rate = 19;
`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const dataOf = <Shape>(result: Result): Shape => {
  expect(result.isError, result.content[0]?.text).toBeFalsy();
  return result.structuredContent?.data as Shape;
};

/** The promise of the issue, step by step, on a real repository. */
async function work(client: Caller, root: string): Promise<void> {
  const names = await client.list();
  expect(names).toEqual(
    expect.arrayContaining(['project_overview', 'read_files', 'search_code', 'apply_patch', 'edit_file', 'rollback_changes']),
  );
  expect(names).not.toContain('approval_decide');

  const overview = dataOf<{ workspaceId: string; workspaceEpoch: string }>(await client.call('project_overview', {}));
  const pair = { workspaceId: overview.workspaceId, workspaceEpoch: overview.workspaceEpoch };
  const call = (name: string, args: Record<string, unknown> = {}) => client.call(name, { ...pair, ...args });

  const read = dataOf<{ files: { content: string; hash: string }[] }>(
    await call('read_files', { files: [{ path: 'src/cart.ts' }, { path: 'src/tax.ts' }] }),
  );
  expect(read.files.map(({ hash }) => hash)).toEqual([sha256(files['src/cart.ts']), sha256(files['src/tax.ts'])]);

  const found = dataOf<{ totalMatches: number; matches: { path: string; line: number }[] }>(await call('search_code', { query: 'unit' }));
  expect(found.totalMatches).toBe(2);
  expect(found.matches.map(({ path, line }) => `${path}:${line}`).sort()).toEqual(['src/cart.ts:1', 'src/tax.ts:1']);

  const expectedHashes = ['src/cart.ts', 'src/tax.ts'].map((path, n) => ({ path, expectedHash: read.files[n]?.hash }));
  const changed = dataOf<{ changesetId: string; files: { path: string; afterHash: string }[] }>(
    await call('apply_patch', { patch, expectedHashes }),
  );
  const onDisk = (path: string) => readFileSync(join(root, path), 'utf8');
  expect(onDisk('src/cart.ts')).toBe("export const unit = 'penny';\n");
  expect(onDisk('src/tax.ts')).toBe("import { unit } from './cart.ts';\nexport const rate = 19;\n");
  expect(changed.files.map(({ path, afterHash }) => [path, afterHash])).toEqual(
    changed.files.map(({ path }) => [path, sha256(onDisk(path))]),
  );

  const stale = { path: 'src/cart.ts', expectedHash: read.files[0]?.hash, edits: [{ find: 'penny', replace: 'franc' }] };
  const refused = await call('edit_file', stale);
  expect(refused.isError).toBe(true);
  expect(refused.structuredContent).toBeUndefined();
  expect((JSON.parse(refused.content[0]?.text ?? '') as Envelope).error?.code).toBe('FILE_CHANGED');
  expect(onDisk('src/cart.ts')).toBe("export const unit = 'penny';\n");

  const history = dataOf<{ changesets: { changesetId: string; files: { path: string }[] }[] }>(await call('change_history'));
  expect(history.changesets.map(({ changesetId }) => changesetId)).toEqual([changed.changesetId]);
  expect(history.changesets[0]?.files.map(({ path }) => path).sort()).toEqual(['src/cart.ts', 'src/tax.ts']);
}

describe('real clients', () => {
  // Its first use downloads it, which is no part of what is timed below.
  beforeAll(installInspector, 600_000);

  it.each(ways)(
    '%s: reads, searches, edits two files in one change, and is refused on a stale hash',
    async (_name, connect) => {
      using here = place();
      const home = join(here.path, 'home');
      const root = repositoryAt(join(here.path, 'shop'), files);
      await using bridge = await start(home, '--project', root);
      const { bearer } = JSON.parse(drawbridge('token', '--name', 'e2e', '--json', '--home', home)) as { bearer: string };
      const stdio = { command: process.execPath, args: [entry, 'stdio', '--home', home, '--root', root] };
      const url = new URL(bridge.line.mcpUrl);
      const client = await connect({ stdio, url, headers: { Authorization: `Bearer ${bearer}` }, path: here.path });
      await work(client, root);
      await client.close();
      expect(bridge.log()).not.toContain(bearer);
    },
    180_000,
  );

  it.each([['SDK 1', sdk1, StdioV1] as const, ['SDK 2', sdk2, StdioV2] as const])(
    '%s over stdio while no bridge runs: the process itself is the bridge',
    async (_name, connect, Stdio) => {
      using here = place();
      const root = repositoryAt(join(here.path, 'shop'), files);
      const args = [entry, 'stdio', '--home', join(here.path, 'home'), '--root', root];
      const client = await connect(new Stdio({ command: process.execPath, args, stderr: 'ignore' }) as never);
      await work(client, root);
      await client.close();
    },
  );
});
