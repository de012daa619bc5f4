// Reading in other projects, over the real product: whose rights count, what one lost directory does, and what the account says.
import { renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { productOver, type Product } from './testing/product.ts';
import { workspace, type Workspace } from './testing/workspace.ts';

let product: Product;
let others: Workspace[];
let ids: string[];

beforeEach(async () => {
  product = await productOver({ 'a.txt': 'needle here\n' }, 'full');
  others = await Promise.all([1, 2].map((n) => workspace({ [`b${n}.txt`]: `needle ${n}\n`.repeat(10) })));
  ids = [];
  for (const { root } of others) ids.push((await product.app.projects.add(root)).project.projectId);
});
afterEach(async () => {
  await product[Symbol.asyncDispose]();
  for (const other of others) await other[Symbol.asyncDispose]();
});

const call = (name: string, args: Record<string, unknown>) => product.call(name, { ...product.context, ...args });
const search = (args: Record<string, unknown>) => call('search_code', { query: 'needle', ...args });

describe('a read in another project', () => {
  it('answers from there, under the context of its own, and is on both accounts', async () => {
    const [first = ''] = ids;
    const read = await call('read_files', { projectId: first, files: [{ path: 'b1.txt' }] });
    expect(read).toMatchObject({ ok: true, workspaceId: product.context.workspaceId, data: { project: { projectId: first } } });
    expect(JSON.stringify(read.data)).toContain('needle 1');
    expect(await call('list_files', { projectId: first })).toMatchObject({ data: { project: { projectId: first }, entryCount: 1 } });
    const overview = await product.call('project_overview', { projectId: first });
    expect(overview).toMatchObject({ ok: true, data: { project: { projectId: first } } });
    const lines = product.app.events.list({ limit: 50 }).filter(({ body }) => (body as { operation?: string }).operation === 'read_files');
    expect(lines.map(({ projectId, body }) => [projectId, (body as { via?: string }).via])).toEqual([
      [product.projectId, undefined],
      [first, 'projectId'],
    ]);
  });

  it('still wants the pair of the project that the call is in', async () => {
    const stale = { ...product.context, workspaceEpoch: 'ep_old', projectId: ids[0], files: [{ path: 'b1.txt' }] };
    expect((await product.call('read_files', stale)).error?.code).toBe('STALE_WORKSPACE');
  });

  it.each([
    ['two ways to name it', () => ({ projectId: ids[0], projectIds: ids })],
    ['a target besides', () => ({ projectId: ids[0], targetProjectId: ids[1] })],
    ['a target besides several', () => ({ projectIds: ids, targetProjectId: ids[1] })],
    ['none', () => ({ projectIds: [] })],
    ['more than eight', () => ({ projectIds: Array<string>(9).fill(ids[0] ?? '') })],
    ['what is no id', () => ({ projectIds: ['../b'] })],
    ['what is no list', () => ({ projectIds: ids[0] })],
    ['a cursor', () => ({ projectIds: ids, cursor: 'c1' })],
  ])('refuses %s, and reads nothing', async (_what, wish) => {
    expect((await search(wish())).error?.code).toBe('INVALID_INPUT');
    expect(product.calls().filter(({ operation }) => operation === 'search_code')).toHaveLength(1);
  });

  it('is not for what changes files, nor for reads that do not say so', async () => {
    const write = { path: 'a', content: '', expectedHash: 'absent', idempotencyKey: 'key-00000001', projectId: ids[0] };
    expect((await call('write_file', write)).error?.code).toBe('INVALID_INPUT');
    expect((await call('glob_files', { pattern: '*', projectId: ids[0] })).error?.code).toBe('INVALID_INPUT');
    expect((await call('read_files', { files: [{ path: 'a.txt' }], projectIds: ids })).error?.code).toBe('INVALID_INPUT');
  });
});

describe('a search in several projects', () => {
  it('deals the matches out, says whose each is, and sums', async () => {
    const found = await search({ projectIds: [product.projectId, ...ids], maxResults: 5 });
    expect(found).toMatchObject({
      ok: true,
      truncated: true,
      nextCursor: null,
      data: { totalMatches: 21, filesSearched: 3, failures: [] },
    });
    const { matches, projects } = found.data as { matches: { projectId: string }[]; projects: { totalMatches: number }[] };
    expect(matches.map(({ projectId }) => projectId)).toEqual([product.projectId, ids[0], ids[0], ids[1], ids[1]]);
    expect(projects.map(({ totalMatches }) => totalMatches)).toEqual([1, 10, 10]);
  });

  it('names a lost directory and answers from the others; alone it is refused', async () => {
    const [lost] = others as [Workspace];
    renameSync(lost.root, `${lost.root}-away`);
    try {
      const found = await search({ projectIds: ids });
      expect(found.data).toMatchObject({ failures: [{ projectId: ids[0], code: 'NOT_FOUND' }], totalMatches: 10 });
      expect(JSON.stringify(found.data)).toMatch(/its directory is gone/);
      expect(product.calls().at(-1)).toMatchObject({ code: 'OK', refused: 1 });
      expect((await search({ projectIds: [ids[0]] })).error?.code).toBe('NOT_FOUND');
      expect((await search({ projectId: ids[0] })).error?.code).toBe('NOT_FOUND');
    } finally {
      renameSync(`${lost.root}-away`, lost.root);
    }
  });

  it("is refused whole, before anything is read, where one project is not the caller's", async () => {
    const projectIds = [product.projectId, 'prj_00000000'];
    expect((await search({ projectIds })).error?.code).toBe('WORKSPACE_ACCESS_REQUIRED');
    const { confirmation = '' } = (await product.app.settings.change({ accessMode: 'managed' }, 'test')).preview ?? {};
    await product.app.settings.change({ accessMode: 'managed', confirmation }, 'test');
    expect((await search({ projectIds: [product.projectId, ids[0]] })).error?.code).toBe('WORKSPACE_ACCESS_REQUIRED');
    expect((await search({ projectIds: [product.projectId] })).error).toBeNull();
    expect(
      product
        .calls()
        .filter(({ operation }) => operation === 'search_code')
        .map(({ code }) => code),
    ).toEqual(['WORKSPACE_ACCESS_REQUIRED', 'WORKSPACE_ACCESS_REQUIRED', 'OK', 'OK']);
  });
});

describe('a target', () => {
  it('is any registered project in personal mode, with its own pair, and only the own one in managed mode', async () => {
    const [targetProjectId = ''] = ids;
    const { workspaceId, workspaceEpoch } = await product.call('project_overview', { targetProjectId });
    const wish = { path: 'new.txt', content: 'x', expectedHash: 'absent', idempotencyKey: 'key-00000001' };
    const written = await product.call('write_file', { workspaceId, workspaceEpoch, targetProjectId, ...wish });
    expect(written.error).toBeNull();
    expect(others[0]?.bytes('new.txt').toString()).toBe('x');
    expect((await call('write_file', { targetProjectId, ...wish })).error?.code).toBe('WORKSPACE_MISMATCH');
    const { confirmation = '' } = (await product.app.settings.change({ accessMode: 'managed' }, 'test')).preview ?? {};
    await product.app.settings.change({ accessMode: 'managed', confirmation }, 'test');
    expect(
      (await product.call('read_files', { workspaceId, workspaceEpoch, targetProjectId, files: [{ path: 'new.txt' }] })).error?.code,
    ).toBe('WORKSPACE_ACCESS_REQUIRED');
    expect((await call('read_files', { files: [{ path: 'a.txt' }] })).error).toBeNull();
  });
});
