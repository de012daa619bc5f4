// Every tool of the real product through an official client: one success, one refusal, one empty answer (B25), and none too long (B28).
import { execFileSync } from 'node:child_process';
import { AjvJsonSchemaValidator as Validator } from '@modelcontextprotocol/server/validators/ajv';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '#shared/envelope.ts';
import { sha256 } from '../base/digest.ts';
import { productOver } from '../testing/product.ts';

interface Result {
  content: { type: string; text: string }[];
  structuredContent?: Envelope;
  isError?: boolean;
}

const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const A = 'export const a = 1;\n';
const B = 'export const b = 2;\n';
const CI = 'on: push\n';
const files = {
  'src/a.ts': A,
  'src/b.ts': B,
  'src/c.ts': 'export const c = 3;\n',
  'empty.txt': '',
  'empty/': '',
  'AGENTS.md': '# Rules\n',
  'pixel.png': PIXEL,
  '.github/workflows/ci.yml': CI,
  'large.txt': 'a line of forty characters, more or less\n'.repeat(10_000),
  'hits.txt': 'needle in a line that is not long at all\n'.repeat(50_000),
};

async function product() {
  const base = await productOver(files, 'full');
  const { folder, app, client, context: pair } = base;
  const { tools } = await client.listTools();
  const called = new Map<string, Set<string>>();

  async function call(name: string, args: Record<string, unknown> = {}): Promise<Result> {
    const context = name === 'project_overview' ? {} : pair;
    return (await client.callTool({ name, arguments: { ...context, ...args } })) as unknown as Result;
  }
  const note = (name: string, kind: string) => called.set(name, (called.get(name) ?? new Set()).add(kind));

  return {
    folder,
    app,
    called,
    tools,
    call,
    /** Calls a tool and holds its answer against its published schema. */
    async accepts<Data>(name: string, args: Record<string, unknown> = {}, kind: 'success' | 'empty' = 'success'): Promise<Data> {
      const result = await call(name, args);
      expect(result.isError, `${name}: ${result.content[0]?.text}`).toBeFalsy();
      const schema = tools.find((tool) => tool.name === name)?.outputSchema;
      const verdict = new Validator().getValidator(schema as never)(result.structuredContent);
      expect(verdict.valid, `${name}: ${verdict.errorMessage}`).toBe(true);
      const text = JSON.parse(result.content[0]?.text ?? '') as Envelope;
      expect(text).toEqual(result.structuredContent);
      expect(Buffer.byteLength(result.content[0]?.text ?? '')).toBeLessThan(32 * 1024);
      note(name, kind);
      return result.structuredContent?.data as Data;
    },
    async refuses(name: string, args: Record<string, unknown>, code: string): Promise<Record<string, unknown>> {
      const result = await call(name, args);
      expect(result.isError, name).toBe(true);
      expect(result.structuredContent, name).toBeUndefined();
      expect(
        result.content.map(({ type }) => type),
        name,
      ).toEqual(['text']);
      const { error, ok } = JSON.parse(result.content[0]?.text ?? '') as Envelope;
      expect({ ok, code: error?.code }, `${name}: ${error?.message}`).toEqual({ ok: false, code });
      expect(error?.message).not.toContain(folder.root);
      note(name, 'refusal');
      return error?.detail ?? {};
    },
    [Symbol.asyncDispose]: base[Symbol.asyncDispose],
  };
}

/** Refused until the owner allows exactly this, then accepted. */
async function allowed({ app, accepts, refuses }: Awaited<ReturnType<typeof product>>, name: string, args: Record<string, unknown>) {
  const { approvalId } = await refuses(name, args, 'APPROVAL_REQUIRED');
  const owner = { context: {}, surface: 'test', session: 'owner', caller: () => app.access.ownerCaller('owner') };
  const { envelope } = await app.invoke({ ...owner, operation: 'approval_list', input: {} });
  const asked = (envelope.data?.['approvals'] as { approvalId: string; argumentsHash: string }[]).find(
    (one) => one.approvalId === approvalId,
  );
  const input = { approvalId, argumentsHash: asked?.argumentsHash, decision: 'approve' };
  expect((await app.invoke({ ...owner, operation: 'approval_decide', input })).envelope.error).toBeNull();
  return accepts(name, args);
}

describe('the tools of the product', () => {
  it('B25 each answers a success, a refusal and an empty result as its schema says', async () => {
    await using world = await product();
    const { accepts, refuses } = world;
    await accepts('project_overview');
    await refuses('project_overview', { targetProjectId: 'prj_00000000' }, 'WORKSPACE_ACCESS_REQUIRED');
    await accepts('change_history', {}, 'empty');

    await accepts('list_files', { path: 'src' });
    await accepts('list_files', { path: 'empty' }, 'empty');
    await refuses('list_files', { path: '../outside' }, 'PATH_DENIED');
    await accepts('read_files', { files: [{ path: 'src/a.ts' }, { path: 'nowhere.ts' }] });
    await accepts('read_files', { files: [{ path: 'empty.txt' }] }, 'empty');
    await refuses('read_files', { files: [] }, 'INVALID_INPUT');
    await accepts('read_image', { path: 'pixel.png' });
    await refuses('read_image', { path: 'nowhere.png' }, 'NOT_FOUND');
    await accepts('read_instructions');
    await refuses('read_instructions', { maxBytesPerFile: 1 }, 'INVALID_INPUT');
    await accepts('search_code', { query: 'export' });
    await accepts('search_code', { query: 'no such word' }, 'empty');
    await refuses('search_code', { query: '(', mode: 'regex' }, 'INVALID_INPUT');
    await accepts('glob_files', { pattern: '*.ts' });
    await accepts('glob_files', { pattern: '*.none' }, 'empty');
    await refuses('glob_files', { pattern: '*', path: '/etc' }, 'PATH_DENIED');

    await accepts('write_file', { path: 'new/file.txt', content: 'new\n', expectedHash: 'absent' });
    await accepts('write_file', { path: 'new/empty.txt', content: '', expectedHash: 'absent' }, 'empty');
    await refuses('write_file', { path: 'src/a.ts', content: '', expectedHash: 'absent' }, 'FILE_CHANGED');
    const edits = [{ find: 'a = 1', replace: 'a = 10' }];
    await accepts('edit_file', { path: 'src/a.ts', edits, expectedHash: sha256(A) });
    await refuses('edit_file', { path: 'src/a.ts', edits, expectedHash: sha256(A) }, 'FILE_CHANGED');
    const patch = '--- a/src/b.ts\n+++ b/src/b.ts\n@@ -1 +1 @@\n-export const b = 2;\n+export const b = 20;\n';
    const expectedHashes = [{ path: 'src/b.ts', expectedHash: sha256(B) }];
    await accepts('apply_patch', { patch, expectedHashes });
    await refuses('apply_patch', { patch, expectedHashes }, 'FILE_CHANGED');
    await accepts('replace_in_files', { find: 'export', replace: 'export ', fileGlob: '*.ts' });
    await accepts('replace_in_files', { find: 'no such word', replace: 'x' }, 'empty');
    await refuses('replace_in_files', { find: '', replace: 'x' }, 'INVALID_INPUT');
    await accepts('make_directory', { path: 'made/here' });
    await accepts('make_directory', { path: 'made/here' }, 'empty');
    await refuses('make_directory', { path: 'src/a.ts' }, 'CONFLICT');
    await accepts('move_path', { path: 'new/file.txt', destPath: 'new/moved.txt', expectedHash: sha256('new\n') });
    await refuses('move_path', { path: 'new/file.txt', destPath: 'new/again.txt', expectedHash: sha256('new\n') }, 'FILE_CHANGED');
    await accepts('delete_path', { path: 'new/moved.txt', expectedHash: sha256('new\n') });
    await refuses('delete_path', { path: 'new/moved.txt', expectedHash: sha256('new\n') }, 'FILE_CHANGED');

    const operations = [{ kind: 'create', path: 'planned.txt', content: 'planned\n' }];
    const plan = await accepts<{ planId: string; planHash: string }>('preview_changes', { operations });
    await refuses('preview_changes', { operations: [{ ...operations[0], path: 'src/a.ts' }] }, 'FILE_CHANGED');
    const { planId, planHash } = plan;
    await refuses('apply_changes', { planId, planHash: '0'.repeat(64), idempotencyKey: 'first-try' }, 'PLAN_HASH_MISMATCH');
    const applied = await accepts<{ changesetId: string }>('apply_changes', { planId, planHash, idempotencyKey: 'second-try' });
    await accepts('rollback_changes', { changesetId: applied.changesetId, idempotencyKey: 'undo-it-once' });
    await refuses('rollback_changes', { changesetId: 'chg_none', idempotencyKey: 'undo-it-twice' }, 'NOT_FOUND');
    await accepts('change_history');
    await refuses('change_history', { limit: 0 }, 'INVALID_INPUT');

    const ci = { path: '.github/workflows/ci.yml', edits: [{ find: 'push', replace: 'pull_request' }], expectedHash: sha256(CI) };
    const { approvalId } = await refuses('edit_file', ci, 'APPROVAL_REQUIRED');
    await accepts('approval_status', { approvalId });
    await refuses('approval_status', { approvalId: 'apr_none' }, 'NOT_FOUND');
    expect(world.folder.bytes('.github/workflows/ci.yml').toString()).toBe(CI);

    const allow = (name: string, args: Record<string, unknown>) => allowed(world, name, args);
    await allow('run_command', { command: 'cat src/c.ts' });
    await allow('run_commands', { commands: [{ command: 'true' }] });
    const { job } = (await allow('exec_command', { program: 'cat', hasInput: true })) as { job: { jobId: string } };
    await refuses('exec_command', { program: '' }, 'INVALID_INPUT');
    const { jobId } = job;
    await accepts('job_status', { jobId });
    await allow('job_input', { jobId, data: 'x', closeStdin: true });
    await accepts('job_wait', { jobId });
    await accepts('job_output', { jobId });
    await accepts('job_output', { jobId, stream: 'stderr' }, 'empty');
    await accepts('job_cancel', { jobId });
    await accepts('list_jobs');
    await refuses('list_jobs', { limit: 0 }, 'INVALID_INPUT');
    for (const name of ['job_status', 'job_wait', 'job_output', 'job_cancel']) await refuses(name, { jobId: 'job_none' }, 'NOT_FOUND');

    await accepts('environment_info');
    await refuses('environment_info', { tool: 'git' }, 'INVALID_INPUT');
    await accepts('git_status', {}, 'empty');
    await accepts('git_diff', {}, 'empty');
    await accepts('git_log', {}, 'empty');
    for (const args of [
      ['init', '--quiet'],
      ['add', 'src'],
      ['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'One'],
    ])
      execFileSync('git', args, { cwd: world.folder.root });
    await accepts('git_status');
    await refuses('git_status', { path: 'src' }, 'INVALID_INPUT');
    await accepts('git_diff', { paths: ['src'] });
    await refuses('git_diff', { paths: ['.env'] }, 'SECRET_PATH_DENIED');
    await accepts('git_log', { path: 'src/a.ts' });
    await refuses('git_log', { path: '../outside' }, 'PATH_DENIED');
    for (const [key = '', value = ''] of [
      ['user.name', 'A'],
      ['user.email', 'a@b'],
    ])
      execFileSync('git', ['config', key, value], { cwd: world.folder.root });
    await allow('git_commit', { message: 'Two', paths: ['AGENTS.md'] });
    await refuses('git_commit', { message: 'Three', paths: ['AGENTS.md'] }, 'NOT_FOUND');
    await accepts('todo_read', {}, 'empty');
    await accepts('todo_write', { todos: [{ id: '1', content: 'test', status: 'pending' }] });
    await refuses('todo_write', { todos: [{ id: '1', content: '', status: 'pending' }] }, 'INVALID_INPUT');
    await accepts('todo_read');
    await refuses('todo_read', { of: 'another' }, 'INVALID_INPUT');
    await accepts('handoff_read', {}, 'empty');
    await refuses('handoff_read', { handoffId: 'hnd_none' }, 'NOT_FOUND');
    await accepts('handoff_write', { handoff: { goal: 'go on' } });
    await refuses('handoff_write', { handoff: { goal: '' } }, 'INVALID_INPUT');
    await accepts('handoff_read', { list: true });

    for (const { name } of world.tools)
      expect([...(world.called.get(name) ?? [])], name).toEqual(expect.arrayContaining(['success', 'refusal']));
  });

  it('B28 a file of 400 KB and a search with 50,000 hits answer in a few thousand words, saying how much there is', async () => {
    await using world = await product();
    const { files: read } = await world.accepts<{ files: { truncated: boolean; totalLines: number; bytes: number; hash: string }[] }>(
      'read_files',
      {
        files: [{ path: 'large.txt' }],
      },
    );
    expect(read[0]).toMatchObject({ truncated: true, totalLines: 10_000, bytes: 410_000, hash: sha256(files['large.txt']) });
    const found = await world.accepts<{ matches: unknown[]; totalMatches: number }>('search_code', { query: 'needle' });
    expect(found.matches.length).toBeLessThanOrEqual(100);
    expect(found.totalMatches).toBeGreaterThanOrEqual(found.matches.length);
  });

  it('a lone half of a character in the arguments is refused: it cannot be written as it was given', async () => {
    await using world = await product();
    await world.refuses('write_file', { path: 'half.txt', content: 'x\ud83d', expectedHash: 'absent' }, 'INVALID_INPUT');
    expect(world.folder.list()).not.toContain('half.txt');
  });
});
