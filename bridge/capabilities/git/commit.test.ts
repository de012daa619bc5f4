// Commits over real repositories: what gets in, what stays as it was, and every way in which one is refused with nothing done.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { gitWorld, type GitWorld } from '../../testing/git.ts';
import { cleaned } from './commit.ts';

const subjects = (world: GitWorld) => world.plain('log', '--format=%s').trim().split('\n');
const held = (world: GitWorld, rev = 'HEAD') =>
  world.plain('show', '--format=', '--name-status', '--no-renames', rev).trim().split('\n').sort();
const head = (world: GitWorld) => world.plain('rev-parse', 'HEAD').trim();
const hook = (world: GitWorld, name: string, script: string) => {
  world.ws.write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(world.ws.path(`.git/hooks/${name}`), 0o755);
};
/** Every file of the work tree with the time it was last written. */
const tree = (world: GitWorld) =>
  world.ws
    .list()
    .filter((path) => !path.startsWith('.git/') && !path.endsWith('/'))
    .map((path) => [path, statSync(world.ws.path(path)).mtimeMs, world.ws.bytes(path).toString('hex')]);

describe('git_commit', () => {
  it('takes the chosen files as they are on disk, and leaves files, other changes and what is staged as they were', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'd/e.txt': 'e\n', 'split.txt': 'one\ntwo\n' });
    const before = head(world);
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'split.txt']) world.ws.write(name, 'staged\n');
    world.plain('add', 'b.txt', 'split.txt', 'a.txt');
    for (const name of ['a.txt', 'split.txt']) world.ws.write(name, 'on disk\n');
    world.ws.write('new.txt', 'new\n');
    rmSync(world.ws.path('d/e.txt'));
    const [files, staged] = [tree(world), world.plain('diff', '--cached', '--', 'b.txt', 'split.txt')];
    const { data, warnings } = await world.call('git_commit', { message: 'Chosen\n\nWhy.  ', paths: ['a.txt', 'new.txt', 'd'] });
    expect(data).toMatchObject({ previousCommit: before, branch: 'main', subject: 'Chosen', filesChanged: 3, hooks: [] });
    expect(data.stagedPaths).toEqual(['a.txt', 'd/e.txt', 'new.txt']);
    expect(warnings).toEqual([]);
    expect(data.commit).toBe(head(world));
    expect(held(world)).toEqual(['A\tnew.txt', 'D\td/e.txt', 'M\ta.txt']);
    expect(world.plain('show', 'HEAD:a.txt')).toBe('on disk\n');
    expect(world.plain('log', '-1', '--format=%an <%ae>|%cn|%B')).toBe('Ada <ada@example.org>|Ada|Chosen\n\nWhy.\n\n');
    expect(tree(world)).toEqual(files);
    expect(world.plain('diff', '--cached', '--', 'b.txt', 'split.txt')).toBe(staged);
    expect(world.plain('status', '--porcelain').trimEnd().split('\n')).toEqual(['M  b.txt', ' M c.txt', 'MM split.txt']);
    expect(world.plain('reflog', '-1', '--format=%gs').trim()).toBe('commit: Chosen');
    expect(world.plain('fsck', '--strict')).toBe('');
    expect(world.ws.list().filter((path) => path.endsWith('.lock'))).toEqual([]);
    expect(world.plain('diff-files')).not.toContain('a.txt');
  });

  it('makes the first commit of a repository, of all that may be seen', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n', '.env': 'TOKEN\n', 'sub/b.txt': 'b\n' }, { isBare: true });
    world.plain('init', '--quiet', '--template=');
    const { data, warnings } = await world.call('git_commit', { message: 'All', all: true });
    expect(data).toMatchObject({ previousCommit: null, filesChanged: 2 });
    expect(warnings?.join()).toContain('1 changed path was left out');
    expect(held(world)).toEqual(['A\ta.txt', 'A\tsub/b.txt']);
    expect(world.plain('status', '--porcelain')).toBe('?? .env\n');
    expect(world.plain('reflog', '-1', '--format=%gs').trim()).toBe('commit (initial): All');
  });

  it('S13 keeps out secrets, hard links, repositories in folders and what is not the project’s', async () => {
    await using world = await gitWorld({ 'in/a.txt': 'a\n', 'out.txt': 'o\n' });
    world.ws.write('in/a.txt', 'A\n');
    world.ws.write('out.txt', 'O\n');
    world.ws.write('in/.env', 'TOKEN\n');
    mkdirSync(world.ws.path('in/other'));
    for (const args of [
      ['init', '--quiet'],
      ['commit', '--quiet', '--allow-empty', '-m', 'x'],
    ])
      world.tried(args, { cwd: world.ws.path('in/other') });
    const project = { ...world.ws.project, root: world.ws.path('in') };
    for (const path of ['.env', '../out.txt', '.git/config'])
      expect((await world.refusal(() => world.call('git_commit', { message: 'x', paths: [path] }, { project }))).code).toMatch(
        /PATH_DENIED/,
      );
    expect(await world.refusal(() => world.call('git_commit', { message: 'x', paths: ['other'] }, { project }))).toMatchObject({
      code: 'PATH_DENIED',
    });
    expect(subjects(world)).toEqual(['First']);
    const { data } = await world.call('git_commit', { message: 'In', all: true }, { project });
    expect(data.stagedPaths).toEqual(['a.txt']);
    expect(held(world)).toEqual(['M\tin/a.txt']);
  });

  it('takes names with line breaks, quotes and bytes that are no UTF-8', async () => {
    await using world = await gitWorld();
    const names = ['a\nb', '"q"', '-m', ' ünï ', 'back\\slash'].map((name) => Buffer.from(name));
    for (const name of [...names, Buffer.from('caf\xe9', 'latin1')])
      writeFileSync(Buffer.concat([Buffer.from(`${world.ws.root}/`), name]), 'x');
    const { data: status } = await world.call('git_status', {});
    const paths = status.entries.map(({ path }) => path);
    expect(paths).toContain('"caf\\351"');
    const { data } = await world.call('git_commit', { message: 'Odd', paths });
    expect([...data.stagedPaths].sort()).toEqual([...paths].sort());
    expect(world.plain('status', '--porcelain')).toBe('');
  });

  it('keeps modes, links, line endings as the repository wants them, and a file where a folder was', async () => {
    await using world = await gitWorld({ 'run.sh': '#!/bin/sh\n', 'was/folder.txt': 'x\n', '.gitattributes': '*.txt text\n' });
    chmodSync(world.ws.path('run.sh'), 0o755);
    rmSync(world.ws.path('was'), { recursive: true });
    world.ws.write('was', 'a file\n');
    world.ws.write('crlf.txt', 'a\r\nb\r\n');
    await world.call('git_commit', { message: 'Kinds', all: true });
    expect(world.plain('ls-tree', 'HEAD', 'run.sh')).toContain('100755');
    expect(world.plain('show', 'HEAD:was')).toBe('a file\n');
    expect(world.plain('show', 'HEAD:crlf.txt')).toBe('a\nb\n');
    expect(world.ws.bytes('crlf.txt').toString()).toBe('a\r\nb\r\n');
    expect(world.plain('status', '--porcelain')).toBe('');
  });

  it('refuses what it cannot commit as asked, and nothing is done', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n' });
    const refused = async (input: Parameters<typeof world.call<'git_commit'>>[1]) =>
      (await world.refusal(() => world.call('git_commit', input))).code;
    expect(await refused({ message: 'x' })).toBe('INVALID_INPUT');
    expect(await refused({ message: 'x', all: true })).toBe('CONFLICT');
    expect(await refused({ message: 'x', paths: ['a.txt'] })).toBe('NOT_FOUND');
    world.ws.write('a.txt', 'b\n');
    expect(await refused({ message: 'x', all: true, paths: ['a.txt'] })).toBe('INVALID_INPUT');
    expect(await refused({ message: ' \n\t', all: true })).toBe('CONFLICT');
    world.plain('checkout', '--quiet', '--detach');
    expect(await refused({ message: 'x', all: true })).toBe('CONFLICT');
    world.plain('checkout', '--quiet', 'main');
    writeFileSync(join(world.home, '.gitconfig'), '');
    expect(await refused({ message: 'x', all: true })).toBe('NOT_SUPPORTED');
    world.plain('config', 'user.name', 'Eve');
    world.plain('config', 'user.email', 'eve@example.org');
    writeFileSync(world.ws.path('.git/MERGE_HEAD'), `${head(world)}\n`);
    expect(await refused({ message: 'x', all: true })).toBe('CONFLICT');
    unlinkSync(world.ws.path('.git/MERGE_HEAD'));
    expect(subjects(world)).toEqual(['First']);
    expect(existsSync(world.ws.path('.git/index.lock'))).toBe(false);
    expect((await world.call('git_commit', { message: 'x', all: true })).data.filesChanged).toBe(1);
  });

  it('moves the pointer of a submodule and nothing in it', async () => {
    await using world = await gitWorld();
    world.tried(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', world.ws.root, 'sub']);
    world.plain('commit', '--quiet', '-m', 'Submodule');
    world.tried(['commit', '--quiet', '--allow-empty', '-m', 'Inside'], { cwd: world.ws.path('sub') });
    world.ws.write('sub/a.txt', 'not committed\n');
    const { data } = await world.call('git_commit', { message: 'Pointer', all: true });
    expect(data.stagedPaths).toEqual(['sub']);
    expect(world.plain('ls-tree', 'HEAD', 'sub')).toContain(world.plain('-C', 'sub', 'rev-parse', 'HEAD').trim());
    expect(world.plain('-C', 'sub', 'status', '--porcelain')).toBe(' M a.txt\n');
  });

  it('works in a repository of SHA-256', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, { isBare: true });
    world.plain('init', '--quiet', '--template=', '--object-format=sha256');
    expect((await world.call('git_commit', { message: 'One', all: true })).data.commit).toMatch(/^[0-9a-f]{64}$/);
    rmSync(world.ws.path('b.txt'));
    expect((await world.call('git_commit', { message: 'Two', paths: ['b.txt'] })).data.stagedPaths).toEqual(['b.txt']);
    expect((await world.call('git_log', {})).data.commits.map(({ subject }) => subject)).toEqual(['Two', 'One']);
    expect(world.plain('status', '--porcelain')).toBe('');
  });

  it('is read-only in a work tree whose state lies elsewhere', async () => {
    await using world = await gitWorld();
    const place = join(world.ws.outside, 'tree');
    world.plain('worktree', 'add', '--quiet', '-b', 'side', place);
    writeFileSync(join(place, 'a.txt'), 'changed\n');
    const project = { ...world.ws.project, root: place };
    expect(await world.refusal(() => world.call('git_commit', { message: 'x', all: true }, { project }))).toMatchObject({
      code: 'NOT_SUPPORTED',
    });
  });

  it('takes the identity that a condition of the owner’s settings names for this place', async () => {
    await using world = await gitWorld();
    writeFileSync(join(world.home, 'work'), '[user]\n\temail = ada@work.example\n');
    world.plain('config', '--global', `includeIf.gitdir:${world.ws.root}/.path`, '~/work');
    world.ws.write('a.txt', 'b\n');
    await world.call('git_commit', { message: 'Work', all: true });
    expect(world.plain('log', '-1', '--format=%ae').trim()).toBe('ada@work.example');
  });
});

describe('B22 the lock of the index', () => {
  it('that is old and nobody holds is told of and stays', async () => {
    await using world = await gitWorld();
    world.ws.write('a.txt', 'b\n');
    const lock = world.ws.path('.git/index.lock');
    writeFileSync(lock, '');
    utimesSync(lock, new Date(Date.now() - 3 * 3_600_000), new Date(Date.now() - 3 * 3_600_000));
    for (const act of [() => world.call('git_commit', { message: 'x', all: true }), () => world.asks({ message: 'x', all: true })]) {
      const { failure } = await world.refusal(act);
      expect(failure).toMatchObject({ code: 'CONFLICT', detail: { lock: '.git/index.lock', isStale: true, holder: null } });
      expect(failure.message).toMatch(/3 hours old .* was not removed/);
    }
    expect(existsSync(lock)).toBe(true);
    expect((await world.call('git_status', {})).data.entries).toHaveLength(1);
  });

  it('that a git with an open editor holds makes the repository busy, and names the holder', async () => {
    await using world = await gitWorld();
    world.ws.write('a.txt', 'b\n');
    const editor = world.program('editor', `touch '${world.ws.outside}/open'; sleep 60`);
    const git = spawn('git', ['commit', '-a'], {
      cwd: world.ws.root,
      env: { ...process.env, GIT_EDITOR: editor },
      stdio: 'ignore',
      detached: true,
    });
    try {
      await eventually(() => existsSync(join(world.ws.outside, 'open'))).toBe(true);
      const old = new Date(Date.now() - 3_600_000);
      utimesSync(world.ws.path('.git/index.lock'), old, old);
      const { failure } = await world.refusal(() => world.call('git_commit', { message: 'x', all: true }));
      expect(failure).toMatchObject({ code: 'CONFLICT', retryable: true, detail: { isStale: false, holder: { program: 'git' } } });
      expect(failure.message).toContain('busy: git (process');
      expect(existsSync(world.ws.path('.git/index.lock'))).toBe(true);
    } finally {
      const ended = once(git, 'exit');
      process.kill(-(git.pid ?? 0), 'SIGKILL');
      await ended;
    }
  });

  it('of four commits at once is taken by one after the other, and all four stand', async () => {
    await using world = await gitWorld();
    for (const name of ['1', '2', '3', '4']) world.ws.write(`${name}.txt`, name);
    const made = await Promise.all(['1', '2', '3', '4'].map((name) => world.call('git_commit', { message: name, paths: [`${name}.txt`] })));
    expect(subjects(world).slice(0, 4).sort()).toEqual(['1', '2', '3', '4']);
    expect(new Set(made.map(({ data }) => data.previousCommit)).size).toBe(4);
    for (const { data } of made) expect(held(world, data.commit)).toHaveLength(1);
    expect(world.plain('status', '--porcelain')).toBe('');
    expect(world.plain('fsck', '--strict')).toBe('');
  });

  it('keeps out a plain git that works at the same time', async () => {
    await using world = await gitWorld();
    world.ws.write('a.txt', 'b\n');
    hook(
      world,
      'pre-commit',
      `git add a.txt || exit 3\nenv -u GIT_INDEX_FILE git add a.txt 2>'${world.ws.outside}/said' && exit 4\nexit 0`,
    );
    expect((await world.call('git_commit', { message: 'x', all: true })).data.hooks).toEqual([{ name: 'pre-commit', exitCode: 0 }]);
    expect(readFileSync(join(world.ws.outside, 'said'), 'utf8')).toContain('index.lock');
  });
});

describe('hooks', () => {
  it('run with what git gives them, and one that says no ends the commit with nothing done', async () => {
    await using world = await gitWorld();
    world.ws.write('a.txt', 'b\n');
    const log = join(world.ws.outside, 'log');
    for (const name of ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'])
      hook(world, name, `echo "${name} $2 $GIT_EDITOR $(pwd) $(git diff --cached --name-only)" >> '${log}'`);
    hook(world, 'commit-msg', 'printf "\\nReviewed-by: hook\\n" >> "$1"');
    const { data } = await world.call('git_commit', { message: 'Hooked\n', all: true });
    expect(data.hooks.map(({ name, exitCode }) => `${name} ${exitCode}`)).toEqual([
      ...['pre-commit 0', 'prepare-commit-msg 0', 'commit-msg 0', 'post-commit 0'],
    ]);
    expect(readFileSync(log, 'utf8').split('\n').slice(0, 3)).toEqual([
      `pre-commit  : ${world.ws.root} a.txt`,
      `prepare-commit-msg message : ${world.ws.root} a.txt`,
      expect.stringContaining('post-commit'),
    ]);
    expect(world.plain('log', '-1', '--format=%B')).toContain('Reviewed-by: hook');
    world.ws.write('a.txt', 'c\n');
    hook(world, 'pre-commit', 'echo "no: $PWD/a.txt" >&2; exit 7');
    const { failure } = await world.refusal(() => world.call('git_commit', { message: 'x', all: true }));
    expect(failure).toMatchObject({ code: 'CONFLICT', detail: { hook: 'pre-commit', exitCode: 7, output: 'no: ./a.txt\n' } });
    expect(subjects(world)).toEqual(['Hooked', 'First']);
    expect((await world.call('git_commit', { message: 'Past it', all: true, noVerify: true })).data.hooks).toEqual([]);
  });

  it('that change what is staged change the commit, which is said; a secret they add is refused', async () => {
    await using world = await gitWorld();
    world.ws.write('a.txt', 'b\n');
    hook(world, 'pre-commit', 'echo formatted > a.txt && git add a.txt');
    const { warnings, data } = await world.call('git_commit', { message: 'x', all: true });
    expect(warnings).toEqual(['The hook pre-commit changed what was committed.']);
    expect(world.plain('show', `${data.commit}:a.txt`)).toBe('formatted\n');
    expect(world.plain('status', '--porcelain')).toBe('');
    world.ws.write('a.txt', 'c\n');
    hook(world, 'pre-commit', 'echo TOKEN > .env && git add -f .env');
    expect(await world.refusal(() => world.call('git_commit', { message: 'y', all: true }))).toMatchObject({ code: 'PATH_DENIED' });
    expect(subjects(world)).toEqual(['x', 'First']);
  });

  it('that start a program which stays do not hold the answer, and one that fails afterwards is a warning', async () => {
    await using world = await gitWorld();
    world.ws.write('a.txt', 'b\n');
    const pid = join(world.ws.outside, 'pid');
    hook(world, 'post-commit', `sleep 60 & echo $! > '${pid}'; exit 9`);
    const { warnings } = await world.call('git_commit', { message: 'x', all: true });
    expect(warnings).toEqual(['The hook post-commit left 1 programs running.', 'The hook post-commit failed; the commit stands.']);
    process.kill(Number(readFileSync(pid, 'utf8')));
  });

  it('may have no first line, and may not be startable', async () => {
    await using world = await gitWorld();
    world.ws.write('a.txt', 'b\n');
    hook(world, 'pre-commit', '');
    world.ws.write('.git/hooks/pre-commit', 'exit 0\n');
    expect((await world.call('git_commit', { message: 'x', all: true })).data.hooks).toHaveLength(1);
    world.ws.write('.git/hooks/pre-commit', '#!/no/such/program\n');
    world.ws.write('a.txt', 'c\n');
    expect(await world.refusal(() => world.call('git_commit', { message: 'x', all: true }))).toMatchObject({ code: 'CONFLICT' });
  });
});

it('a message is cleaned as git cleans it', async () => {
  await using world = await gitWorld();
  for (const message of ['a', '\n\n a \n\n\n\nb\t\n#c\n\n', 'a\r\nb\r\n', ' \n', '# only']) {
    world.plain('commit', '--quiet', '--allow-empty', '--allow-empty-message', '-m', message);
    const [, body] = world.plain('cat-file', 'commit', 'HEAD').split(/\n\n([\s\S]*)/);
    expect(cleaned(message), JSON.stringify(message)).toBe(body ?? '');
  }
});
