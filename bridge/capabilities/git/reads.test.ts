// The reads over real repositories: what they answer, how it is held to the project, and what they leave out.
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { gitWorld } from '../../testing/git.ts';

const names = (entries: readonly { path: string }[]) => entries.map(({ path }) => path);

describe('git_status', () => {
  it('is no failure where there is no repository, or a bare one', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n' }, { isBare: true });
    expect(await world.call('git_status', {})).toMatchObject({
      data: { isRepo: false, entries: [], branch: null },
      brief: 'no repository',
    });
    expect((await world.call('git_diff', {})).data).toMatchObject({ isRepo: false, diff: '', files: [], hash: sha256('') });
    expect((await world.call('git_log', {})).data).toEqual({ isRepo: false, commits: [] });
    world.plain('init', '--quiet');
    world.plain('config', 'core.bare', 'true');
    expect((await world.call('git_status', {})).data.isRepo).toBe(false);
  });

  it('works before the first commit', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, { isBare: true });
    world.plain('init', '--quiet');
    world.plain('add', 'a.txt');
    expect((await world.call('git_status', {})).data).toMatchObject({
      ...{ isRepo: true, branch: 'main', head: null },
      entries: [
        { path: 'a.txt', status: 'A.' },
        { path: 'b.txt', status: '??' },
      ],
    });
    expect((await world.call('git_log', {})).data.commits).toEqual([]);
    expect((await world.call('git_diff', { staged: true })).data.files).toMatchObject([{ path: 'a.txt', status: 'added', added: 1 }]);
  });

  it('tells branch, upstream and distance, and what git is in the middle of', async () => {
    await using world = await gitWorld();
    const other = join(world.ws.outside, 'origin');
    world.plain('clone', '--quiet', '--bare', '.', other);
    world.plain('remote', 'add', 'origin', other);
    world.plain('fetch', '--quiet', 'origin');
    world.plain('branch', '--quiet', '--set-upstream-to=origin/main');
    world.plain('commit', '--quiet', '--allow-empty', '-m', 'Ahead');
    const head = world.plain('rev-parse', 'HEAD').trim();
    const { data, warnings } = await world.call('git_status', {});
    expect(data).toMatchObject({ branch: 'main', head, upstream: 'origin/main', ahead: 1, behind: 0, state: null });
    expect(warnings).toEqual([]);
    world.plain('checkout', '--quiet', '-b', 'other', 'HEAD~1');
    world.ws.write('a.txt', 'theirs\n');
    world.plain('commit', '--quiet', '-am', 'Theirs');
    world.plain('checkout', '--quiet', 'main');
    world.ws.write('a.txt', 'ours\n');
    world.plain('commit', '--quiet', '-am', 'Ours');
    world.tried(['merge', 'other']);
    expect((await world.call('git_status', {})).data).toMatchObject({ state: 'merging', entries: [{ path: 'a.txt', status: 'UU' }] });
    const { data: diff } = await world.call('git_diff', {});
    expect(diff.files).toMatchObject([{ path: 'a.txt', status: 'unmerged' }]);
    expect(diff.diff).toContain('+<<<<<<<');
    expect((await world.call('git_diff', { staged: true })).data.files).toMatchObject([{ path: 'a.txt', status: 'unmerged' }]);
    world.plain('merge', '--abort');
    world.plain('checkout', '--quiet', '--detach');
    expect((await world.call('git_status', {})).data).toMatchObject({ branch: null, upstream: null, ahead: null });
  });

  it('hides and counts secrets, also as the source of a rename', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n', '.env': 'TOKEN=1\n'.repeat(9), 'keys/id_rsa': 'x\n' });
    world.plain('mv', '.env', 'settings.txt');
    world.ws.write('.aws/credentials', 'x');
    world.ws.write('keys/id_rsa', 'y\n');
    const { data } = await world.call('git_status', {});
    expect(data).toMatchObject({ entries: [{ path: 'settings.txt' }], filteredSecretPaths: 2 });
    const staged = await world.call('git_diff', { staged: true });
    expect(staged.data).toMatchObject({ files: [], diff: '', filteredSecretPaths: 1 });
    const { data: diff, warnings } = await world.call('git_diff', {});
    expect(diff).toMatchObject({ diff: '', filteredSecretPaths: 1 });
    expect(warnings?.join()).toContain('1 changed path left out');
    expect(world.plain('diff')).toContain('id_rsa');
  });

  it('is held to the project where the repository is a parent folder', async () => {
    await using world = await gitWorld({ 'in/a.txt': 'a\n', 'in/.env': 'x\n', 'out.txt': 'o\n', 'inner.txt': 'i\n' });
    for (const path of ['in/a.txt', 'in/.env', 'out.txt', 'inner.txt']) world.ws.write(path, 'changed\n');
    const project = { ...world.ws.project, root: world.ws.path('in') };
    const { data } = await world.call('git_status', {}, { project });
    expect(data).toMatchObject({ entries: [{ path: 'a.txt', status: '.M' }], entryCount: 1, filteredSecretPaths: 1 });
    const { data: diff } = await world.call('git_diff', {}, { project });
    expect(names(diff.files)).toEqual(['a.txt']);
    expect(diff.diff).not.toMatch(/out\.txt|inner/);
    world.plain('commit', '--quiet', '-m', 'Outside', 'out.txt');
    expect((await world.call('git_log', {}, { project })).data.commits.map(({ subject }) => subject)).toEqual(['First']);
    expect((await world.call('git_log', { path: 'a.txt' }, { project })).data.commits).toHaveLength(1);
  });

  it('lists 500 at most and says how many there are', async () => {
    await using world = await gitWorld();
    for (let at = 0; at < 620; at += 1) world.ws.write(`new/${at}`, '');
    const { data, truncated, warnings } = await world.call('git_status', {});
    expect(data.entryCount).toBe(620);
    expect(data.entries.length).toBeLessThanOrEqual(500);
    expect(truncated).toBe(true);
    expect(warnings?.join()).toContain('more changed paths are not listed');
  });

  it('obeys what the owner ignores everywhere, and the files of the repository', async () => {
    await using world = await gitWorld({ '.gitignore': '*.log\n' });
    mkdirSync(join(world.home, '.config/git'), { recursive: true });
    writeFileSync(join(world.home, '.config/git/ignore'), '*.mine\n');
    for (const path of ['a.log', 'a.mine', 'a.new']) world.ws.write(path, '');
    expect(names((await world.call('git_status', {})).data.entries)).toEqual(['a.new']);
    writeFileSync(join(world.home, 'patterns'), '*.new\n');
    world.plain('config', '--global', 'core.excludesFile', '~/patterns');
    expect(names((await world.call('git_status', {})).data.entries)).toEqual(['a.mine']);
  });
});

describe('work trees and submodules', () => {
  it('are read where the repository knows the folder, and it is said that they are only read', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n' });
    const tree = join(world.ws.outside, 'tree');
    world.plain('worktree', 'add', '--quiet', '-b', 'side', tree);
    writeFileSync(join(tree, 'a.txt'), 'changed\n');
    const project = { ...world.ws.project, root: tree };
    const { data, warnings } = await world.call('git_status', {}, { project });
    expect(data).toMatchObject({ branch: 'side', entries: [{ path: 'a.txt', status: '.M' }] });
    expect(warnings?.join()).toContain('only read');
    expect((await world.call('git_log', {}, { project })).data.commits).toHaveLength(1);
    expect((await world.call('git_diff', {}, { project })).data.diff).toContain('+changed');
    const plain = (...args: string[]) => execFileSync('git', args, { cwd: world.ws.root, stdio: 'pipe' });
    plain('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', world.ws.root, 'sub');
    const inner = { ...world.ws.project, root: world.ws.path('sub') };
    expect((await world.call('git_status', {}, { project: inner })).data).toMatchObject({ isRepo: true, entries: [] });
    expect((await world.call('git_status', {})).data.entries).toMatchObject([{ path: '.gitmodules' }, { path: 'sub', isRepository: true }]);
  });
});

describe('git_diff', () => {
  it('comes in pages that are together the whole, and a page of another diff is refused', async () => {
    const long = (word: string) => Array.from({ length: 9000 }, (_, at) => `${word} "quoted" \t ${at} é\n`).join('');
    await using world = await gitWorld({ 'a.txt': long('old'), 'b.txt': 'b\n' });
    world.ws.write('a.txt', long('new'));
    world.ws.write('b.txt', 'B\n');
    let [text, cursor] = ['', undefined as string | undefined];
    do {
      const page = await world.call('git_diff', { cursor });
      expect(Buffer.byteLength(JSON.stringify(page.data))).toBeLessThan(24 * 1024);
      expect(page.data).toMatchObject({ startByte: Buffer.byteLength(text), fileCount: 2 });
      text += page.data.diff;
      cursor = page.nextCursor;
      if (cursor === undefined) expect([sha256(text), Buffer.byteLength(text)]).toEqual([page.data.hash, page.data.totalBytes]);
      if (text.length > 60_000) break;
    } while (cursor !== undefined);
    expect(world.plain('diff').startsWith(text)).toBe(true);
    world.ws.write('b.txt', 'BB\n');
    expect(await world.refusal(() => world.call('git_diff', { cursor }))).toMatchObject({ code: 'CONFLICT' });
    expect(await world.refusal(() => world.call('git_diff', { cursor: 'x' }))).toMatchObject({ code: 'INVALID_INPUT' });
    expect((await world.call('git_diff', { paths: ['b.txt'], contextLines: 0 })).data).toMatchObject({
      files: [{ path: 'b.txt', status: 'modified', added: 1, removed: 1, binary: false }],
      diff: expect.stringContaining('@@ -1 +1 @@\n-b\n+BB\n') as string,
    });
  });

  it('tells renames, binaries, changed kinds and bytes that are no text', async () => {
    await using world = await gitWorld({ 'a.txt': 'one\ntwo\nthree\nfour\n', 'b.bin': 'x\0y', 'c.txt': 'caf\n', 'd.txt': 'd\n' });
    world.plain('mv', 'a.txt', 'z.txt');
    rmSync(world.ws.path('d.txt'));
    world.ws.write('b.bin', 'x\0z');
    world.ws.write('c.txt', Buffer.from('caf\xe9\n', 'latin1'));
    expect((await world.call('git_diff', { staged: true })).data.files).toEqual([
      { path: 'z.txt', from: 'a.txt', status: 'renamed', added: 0, removed: 0, binary: false },
    ]);
    const { data, warnings } = await world.call('git_diff', {});
    expect(data.files).toMatchObject([
      { path: 'b.bin', binary: true },
      { path: 'c.txt', added: 1, removed: 1 },
      { path: 'd.txt', status: 'deleted' },
    ]);
    expect(data.diff).toContain('+caf\ufffd');
    expect(warnings?.join()).toContain('U+FFFD');
  });

  it('of more than 8 MiB is cut there and says so', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    world.ws.write('a.txt', 'a long line, many times over\n'.repeat(330_000));
    world.ws.write('b.txt', 'B\n');
    const { data, truncated, warnings } = await world.call('git_diff', {});
    expect(data).toMatchObject({ fileCount: 2, startByte: 0, diff: expect.stringMatching(/^diff --git a\/a\.txt/) as string });
    expect(data.totalBytes).toBeGreaterThan(8_000_000);
    expect(data.totalBytes).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect([truncated, warnings?.join()]).toEqual([true, expect.stringContaining('8 MiB')]);
  });

  it('leaves out a file with a hard link to elsewhere', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n' });
    rmSync(world.ws.path('a.txt'));
    writeFileSync(join(world.ws.outside, 'secret'), 'secret\n');
    linkSync(join(world.ws.outside, 'secret'), world.ws.path('a.txt'));
    expect(world.plain('diff')).toContain('secret');
    expect((await world.call('git_diff', {})).data).toMatchObject({ diff: '', files: [], filteredSecretPaths: 1 });
  });
});

describe('names', () => {
  const odd = [
    'a\nb.txt',
    'quo"te.txt',
    '"led.txt',
    'back\\slash.txt',
    'tab\t.txt',
    '-n',
    '~home',
    'ünï.txt',
    '日本.txt',
    ' lead',
    'a b/ç d.txt',
  ];
  const raw = [Buffer.from('caf\xe9.txt', 'latin1'), Buffer.from('dir\xff/\x01in.txt', 'latin1')];

  it('with line breaks, quotes and bytes that are no UTF-8 come and go unchanged', async () => {
    await using world = await gitWorld();
    const bytes = [...odd.map((name) => Buffer.from(name)), ...raw];
    mkdirSync(world.ws.path('a b'));
    mkdirSync(Buffer.concat([Buffer.from(`${world.ws.root}/`), Buffer.from('dir\xff', 'latin1')]));
    const put = (text: string) => {
      for (const name of bytes) writeFileSync(Buffer.concat([Buffer.from(`${world.ws.root}/`), name]), text);
    };
    put('one\n');
    world.plain('add', '--all');
    world.plain('commit', '--quiet', '-m', 'Odd');
    put('two\n');
    const { data } = await world.call('git_status', {});
    expect(data.entries).toHaveLength(bytes.length);
    expect(names(data.entries)).toEqual(
      expect.arrayContaining(['a\nb.txt', 'ünï.txt', '"caf\\351.txt"', '"dir\\377/\\001in.txt"', '"\\"led.txt"']),
    );
    for (const { path } of data.entries) {
      const diff = await world.call('git_diff', { paths: [path] });
      expect(names(diff.data.files), path).toEqual([path]);
      expect(diff.data.diff, path).toContain('-one\n+two\n');
      expect(
        (await world.call('git_log', { path })).data.commits.map(({ subject }) => subject),
        path,
      ).toEqual(['Odd']);
    }
    expect(names((await world.call('git_diff', { paths: ['a b'] })).data.files)).toEqual(['a b/ç d.txt']);
  });
});
