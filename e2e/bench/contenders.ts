// Who is measured: this bridge and its peers, each through the same official client over stdio, each proving its answers.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { NEEDLE } from './tree.ts';

export interface Contender {
  name: string;
  /** Reads one file; resolves to its text. */
  read?(path: string): Promise<string>;
  /** Replaces the one occurrence of `find`. */
  edit?(path: string, find: string, replace: string): Promise<void>;
  /** Searches the tree for the needle; resolves to the number of matching lines. */
  search?(): Promise<number>;
  /** A call that does next to nothing. */
  trivial?(): Promise<void>;
  close(): Promise<void>;
}

type Content = { type: string; text?: string }[];
const textOf = (result: unknown): string => ((result as { content: Content }).content ?? []).map((block) => block.text ?? '').join('');

async function connect(args: string[], env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    stderr: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  await client.connect(transport);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name, arguments: args });
  const text = textOf(result);
  if (result.isError === true) throw new Error(`${name}: ${text.slice(0, 300)}`);
  return text;
}

export async function drawbridge(entry: string, root: string, home: string): Promise<Contender> {
  const client = await connect([entry, 'stdio', '--root', root, '--home', home], { HOME: home });
  const overview = JSON.parse(await call(client, 'project_overview', {})) as { workspaceId: string; workspaceEpoch: string };
  const context = { workspaceId: overview.workspaceId, workspaceEpoch: overview.workspaceEpoch };
  const data = async (name: string, args: object) =>
    (JSON.parse(await call(client, name, { ...context, ...args })) as { data: Record<string, unknown> }).data;
  const hashes = new Map<string, string>();
  return {
    name: 'drawbridge',
    async read(path) {
      const [file] = (await data('read_files', { files: [{ path }] }))['files'] as { content: string }[];
      return file?.content ?? '';
    },
    async edit(path, find, replace) {
      const known =
        hashes.get(path) ??
        createHash('sha256')
          .update(readFileSync(join(root, path)))
          .digest('hex');
      const answer = await data('edit_file', { path, edits: [{ find, replace }], expectedHash: known });
      hashes.set(path, answer['hash'] as string);
    },
    async search() {
      return (await data('search_code', { query: NEEDLE, maxResults: 100 }))['totalMatches'] as number;
    },
    trivial: async () => void (await data('change_history', { limit: 1 })),
    close: () => client.close(),
  };
}

export async function serverFilesystem(program: string, root: string): Promise<Contender> {
  const client = await connect([program, root]);
  return {
    name: 'server-filesystem',
    read: (path) => call(client, 'read_text_file', { path: join(root, path) }),
    async edit(path, oldText, newText) {
      await call(client, 'edit_file', { path: join(root, path), edits: [{ oldText, newText }] });
    },
    close: () => client.close(),
  };
}

export async function desktopCommander(program: string, root: string, home: string): Promise<Contender> {
  const client = await connect([program], { HOME: home });
  return {
    name: 'desktop-commander',
    read: (path) => call(client, 'read_file', { path: join(root, path) }),
    async edit(path, old_string, new_string) {
      await call(client, 'edit_block', { file_path: join(root, path), old_string, new_string });
    },
    async search() {
      const args = { path: root, pattern: NEEDLE, searchType: 'content', literalSearch: true, ignoreCase: false, contextLines: 0 };
      let text = await call(client, 'start_search', args);
      const sessionId = /session: (\S+)/i.exec(text)?.[1] ?? '';
      while (!/Status: COMPLETED/i.test(text)) text = await call(client, 'get_more_search_results', { sessionId, length: 500 });
      if (!text.includes(NEEDLE)) text = await call(client, 'get_more_search_results', { sessionId, length: 500 });
      return text.split('\n').filter((line) => /:\d+ - /.test(line) && line.includes(NEEDLE)).length;
    },
    close: () => client.close(),
  };
}

/** The official SDK with one empty tool: what any server pays before its own work. */
export async function bareServer(): Promise<Contender> {
  const client = await connect(['--import', 'tsx', join(import.meta.dirname, 'bare.ts')]);
  return { name: 'bare SDK server', trivial: async () => void (await call(client, 'nothing', {})), close: () => client.close() };
}

/** ripgrep itself, on the same files: the machine's limit for a search. */
export const ripgrep = (rgPath: string, root: string): Contender => ({
  name: 'ripgrep',
  search: () =>
    new Promise((resolve, reject) => {
      const child = spawn(rgPath, ['--no-config', '--no-ignore', '--hidden', '--fixed-strings', '--line-number', '-e', NEEDLE, '.'], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.on('error', reject);
      child.on('close', () => resolve(out.split('\n').filter((line) => line !== '').length));
    }),
  close: () => Promise.resolve(),
});
