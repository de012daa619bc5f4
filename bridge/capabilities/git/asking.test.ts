// The owner and commits: what is asked, what an answer holds for, and that nothing runs which was not asked about.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { gitWorld, mark, type GitWorld } from '../../testing/git.ts';
import { vectors } from '../../testing/hostile-git.ts';
import { productOver, type Product } from '../../testing/product.ts';

const hook = (folder: string, name: string, script: string) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
};
const hooksOf = (world: GitWorld) => world.ws.path('.git/hooks');
const head = (world: GitWorld) => world.plain('rev-parse', 'HEAD').trim();

describe('the question', () => {
  it('tells branch, files with their diffs, and each hook with its text, all by hash', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n', 'gone.txt': 'gone\n' });
    world.ws.write('a.txt', 'b\n');
    world.ws.write('new.txt', 'new\n');
    world.plain('rm', '--quiet', 'gone.txt');
    hook(hooksOf(world), 'pre-commit', 'exit 0');
    const asked = await world.asks({ message: 'Say\nmore', all: true });
    expect(asked.summary).toBe('Commit 3 files on main: "Say"');
    expect(asked.reasons).toEqual([expect.stringContaining('not taken back by undo'), expect.stringContaining('hook pre-commit runs')]);
    const [branch, ...files] = asked.files;
    expect(branch).toMatchObject({
      path: '.git/refs/heads/main',
      beforeHash: sha256(head(world)),
      diff: expect.stringContaining(head(world)) as string,
    });
    expect(files.map(({ path, beforeHash, afterHash }) => [path, beforeHash !== null, afterHash !== null])).toEqual([
      ['a.txt', true, true],
      ['gone.txt', true, false],
      ['new.txt', false, true],
      ['.git/hooks/pre-commit', true, true],
    ]);
    expect(files[0]?.diff).toContain('-a\n+b\n');
    expect(files[3]).toMatchObject({ beforeHash: sha256('#!/bin/sh\nexit 0\n'), diff: ' #!/bin/sh\n exit 0\n ' });
    expect(asked.touches).toMatchObject({
      paths: ['a.txt', 'gone.txt', 'new.txt'],
      program: expect.stringMatching(/^hooks pre-commit [0-9a-f]{16}$/) as string,
    });
    const skipping = await world.asks({ message: 'Say', all: true, noVerify: true });
    expect(skipping.reasons.join()).toContain('checks of the repository are skipped: pre-commit');
    expect(skipping.touches?.program).toBeUndefined();
  });

  it('leaves nothing in the repository', async () => {
    await using world = await gitWorld();
    world.ws.write('a.txt', 'b\n');
    const before = world.ws.list();
    await world.asks({ message: 'x', all: true });
    expect(world.ws.list()).toEqual(before);
  });

  it('says whose name the repository gives, and that nothing is signed; no GPG program runs', async () => {
    await using world = await gitWorld();
    const trace = mark(world.ws.outside);
    const signer = world.program('signer', `touch '${trace.path}'`);
    for (const [key, value] of [
      ['user.name', 'Eve'],
      ['commit.gpgSign', 'true'],
      ['gpg.program', signer],
    ] as const)
      world.plain('config', key, value);
    world.ws.write('a.txt', 'b\n');
    const { reasons } = await world.asks({ message: 'x', all: true });
    expect(reasons).toEqual(
      expect.arrayContaining([expect.stringContaining('Eve <ada@example.org>'), expect.stringContaining('not signed')]),
    );
    const { data } = await world.call('git_commit', { message: 'x', all: true });
    expect(world.plain('cat-file', 'commit', data.commit)).not.toContain('gpgsig');
    expect(trace.isThere()).toBe(false);
    world.tried(['commit', '--allow-empty', '-m', 'x']);
    expect(trace.isThere(), 'the canary itself').toBe(true);
  });

  const meanwhile: readonly (readonly [string, string, (world: GitWorld) => void])[] = [
    ['HEAD moved', 'HEAD moved', (world) => void world.plain('commit', '--quiet', '--allow-empty', '-m', 'Meanwhile')],
    ['another branch was checked out', 'HEAD|changed', (world) => void world.plain('checkout', '--quiet', '-b', 'other')],
    ['a file changed', 'What would be committed changed', (world) => world.ws.write('a.txt', 'other\n')],
    ['another file came', 'What would be committed changed', (world) => world.ws.write('more.txt', 'more\n')],
    ['a hook changed', 'What would be committed changed', (world) => hook(hooksOf(world), 'pre-commit', 'exit 1')],
    ['a hook came', 'What would be committed changed', (world) => hook(hooksOf(world), 'commit-msg', 'exit 0')],
  ];
  it.each(meanwhile)('holds for nothing else: %s', async (_, says, happen) => {
    await using world = await gitWorld();
    world.ws.write('a.txt', 'b\n');
    hook(hooksOf(world), 'pre-commit', `touch '${world.ws.outside}/ran'`);
    const before = world.plain('for-each-ref');
    const refused = await world.refusal(() => world.askThenMake({ message: 'x', all: true }, () => happen(world)));
    expect(refused).toMatchObject({ code: 'CONFLICT', failure: { retryable: true } });
    expect(refused.message).toMatch(new RegExp(says));
    expect(world.plain('log', '--all', '--format=%s')).not.toContain('x');
    if (!/moved|branch/.test(_)) expect(world.plain('for-each-ref')).toBe(before);
    expect(mark(world.ws.outside).isThere()).toBe(false);
  });
});

describe('S12 a commit starts nothing but the hooks that were asked about', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_, { plant }) => {
    await using world = await gitWorld();
    const trace = mark(world.ws.outside);
    plant(world, world.program('canary', `touch '${trace.path}'\n[ -n "$1" ] || cat`));
    world.ws.write('a.txt', 'committed\n');
    writeFileSync(
      join(world.home, '.gitconfig'),
      `${readFileSync(join(world.home, '.gitconfig'), 'utf8')}[user]\n\tname = Ada\n\temail = a@b\n`,
    );
    trace.clear();
    const commit = world.askThenMake({ message: 'x', paths: ['a.txt'], noVerify: true }, () => undefined);
    const code = await commit.then(
      () => 'OK',
      (error: { code?: string }) => error.code ?? 'OTHER',
    );
    // A filter is a program, so a file that goes through one is left to the owner; a missing object is not fetched.
    expect(['OK', 'NOT_SUPPORTED']).toContain(code);
    expect(code === 'OK').toBe(world.plain('log', '-1', '--format=%s').trim() === 'x');
    expect(trace.isThere()).toBe(false);
  });

  it('of all hooks there are, exactly the four are told and run', async () => {
    await using world = await gitWorld();
    const names = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'];
    const others = [
      'post-index-change',
      'reference-transaction',
      'pre-auto-gc',
      'post-rewrite',
      'pre-push',
      'fsmonitor-watchman',
      'post-checkout',
    ];
    const log = join(world.ws.outside, 'log');
    for (const name of [...names, ...others]) hook(hooksOf(world), name, `echo ${name} >> '${log}'`);
    world.ws.write('a.txt', 'b\n');
    const { files } = await world.asks({ message: 'x', all: true });
    expect(files.map(({ path }) => path).filter((path) => path.includes('hooks'))).toEqual(names.map((name) => `.git/hooks/${name}`));
    await world.call('git_commit', { message: 'x', all: true });
    expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(names);
    world.ws.write('a.txt', 'c\n');
    world.plain('commit', '--quiet', '-am', 'plain');
    expect(readFileSync(log, 'utf8')).toContain('reference-transaction');
  });

  it('hooks are those of core.hooksPath where that is set', async () => {
    await using world = await gitWorld();
    hook(world.ws.path('.husky'), 'pre-commit', `touch '${world.ws.outside}/ran'`);
    hook(hooksOf(world), 'pre-commit', 'exit 1');
    world.plain('config', 'core.hooksPath', '.husky');
    world.ws.write('a.txt', 'b\n');
    const { files } = await world.asks({ message: 'x', paths: ['a.txt'] });
    expect(files.at(-1)?.path).toBe('.husky/pre-commit');
    await world.call('git_commit', { message: 'x', paths: ['a.txt'] });
    expect(readFileSync(join(world.ws.outside, 'ran'), 'utf8')).toBe('');
  });
});

describe('the answer', () => {
  const plain = ({ folder }: Product, ...args: string[]) => execFileSync('git', args, { cwd: folder.root, encoding: 'utf8' });
  async function repository(): Promise<Product> {
    const product = await productOver({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, 'full');
    for (const args of [
      ['init', '--quiet', '--template='],
      ['config', 'user.name', 'Ada'],
      ['config', 'user.email', 'a@b'],
      ['add', '.'],
      ['commit', '--quiet', '-m', 'First'],
    ])
      plain(product, ...args);
    return product;
  }
  const commit = async (product: Product, args: object): Promise<string> =>
    (await product.call('git_commit', { ...product.context, ...args })).error?.code ?? 'OK';
  async function approve({ app }: Product, more: object = {}): Promise<void> {
    const owner = { context: {}, surface: 'test', session: 'owner', caller: () => app.access.ownerCaller('owner') };
    const { envelope } = await app.invoke({ ...owner, operation: 'approval_list', input: { status: 'pending' } });
    const [one] = envelope.data?.['approvals'] as { approvalId: string; argumentsHash: string }[];
    const input = { approvalId: one?.approvalId, argumentsHash: one?.argumentsHash, decision: 'approve', ...more };
    expect((await app.invoke({ ...owner, operation: 'approval_decide', input })).envelope.error).toBeNull();
  }

  it('is good once, for these bytes on this commit; another client’s commit in between is asked about anew', async () => {
    await using product = await repository();
    product.folder.write('a.txt', 'one\n');
    expect(await commit(product, { message: 'One', paths: ['a.txt'] })).toBe('APPROVAL_REQUIRED');
    await approve(product);
    product.folder.write('a.txt', 'two\n');
    expect(await commit(product, { message: 'One', paths: ['a.txt'] })).toBe('APPROVAL_REQUIRED');
    await approve(product);
    plain(product, 'commit', '--quiet', '--allow-empty', '-m', 'Between');
    expect(await commit(product, { message: 'One', paths: ['a.txt'] })).toBe('APPROVAL_REQUIRED');
    await approve(product);
    expect(await commit(product, { message: 'One', paths: ['a.txt'] })).toBe('OK');
    expect(plain(product, 'log', '--format=%s')).toBe('One\nBetween\nFirst\n');
    product.folder.write('a.txt', 'three\n');
    expect(await commit(product, { message: 'One', paths: ['a.txt'] })).toBe('APPROVAL_REQUIRED');
  });

  it('for a while holds for these files and these hooks, and a key makes a repeat safe', async () => {
    await using product = await repository();
    product.folder.write('a.txt', 'one\n');
    await commit(product, { message: 'One', paths: ['a.txt'] });
    await approve(product, { forMinutes: 60 });
    const args = { message: 'One', paths: ['a.txt'], idempotencyKey: 'commit-one' };
    expect([await commit(product, args), await commit(product, args)]).toEqual(['OK', 'OK']);
    product.folder.write('a.txt', 'two\n');
    expect(await commit(product, { message: 'Two', paths: ['a.txt'] })).toBe('OK');
    product.folder.write('b.txt', 'two\n');
    expect(await commit(product, { message: 'Other', paths: ['b.txt'] })).toBe('APPROVAL_REQUIRED');
    product.folder.write('a.txt', 'three\n');
    hook(product.folder.path('.git/hooks'), 'pre-commit', 'exit 0');
    expect(await commit(product, { message: 'Three', paths: ['a.txt'] })).toBe('APPROVAL_REQUIRED');
    expect(await commit(product, { message: 'Three', paths: ['a.txt'], noVerify: true })).toBe('APPROVAL_REQUIRED');
    expect(plain(product, 'log', '--format=%s')).toBe('Two\nOne\nFirst\n');
  });

  it('of four approved commits at once one stands and the others are refused, since HEAD moved', async () => {
    await using product = await repository();
    const args = ['1', '2', '3', '4'].map((name) => ({ message: name, paths: [`${name}.txt`] }));
    for (const one of args) {
      product.folder.write(one.paths[0] ?? '', one.message);
      expect(await commit(product, one)).toBe('APPROVAL_REQUIRED');
      await approve(product);
    }
    const codes = await Promise.all(args.map((one) => commit(product, one)));
    expect(codes.sort()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'OK']);
    expect(plain(product, 'rev-list', '--count', 'HEAD').trim()).toBe('2');
    expect(plain(product, 'fsck', '--strict', '--no-dangling')).toBe('');
  });
});
