// What a program did in a project is one change: named, shown and taken back like an edit; what cannot be is said, and before it runs.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { edit, text, undo, write } from '../../testing/deeds.ts';
import { desk, type Desk } from '../../testing/desk.ts';
import { treeOf } from '../../testing/tree.ts';
import type { Settled } from './service.ts';

const observe = (at: Desk, label = 'sh') => at.manifests.observe(at.callFor('run_command'), { label });

/** What a shell line does, between the two looks. */
async function ran(at: Desk, line: string, label = line): Promise<Settled> {
  const { observationId } = await observe(at, label);
  execFileSync('sh', ['-c', line], { cwd: at.ws.root });
  return at.manifests.settle(observationId);
}

const actions = ({ files }: Settled) => Object.fromEntries(files.map(({ path, action }) => [path, action]));
const undone = async (at: Desk, { changesetId }: Settled) => (await undo(at, changesetId ?? '')).data.changesetId;

const SOME = {
  'src/a.txt': 'one\ntwo\n',
  'src/b.txt': 'b\n',
  'old/deep/c.txt': 'c\n',
  'run.sh': 'echo\n',
  '.gitignore': 'build/\n*.log\n',
};

describe('what a program did', () => {
  it('is one committed change of every file that it made, replaced or took away, named by its label', async () => {
    await using at = await desk({ files: SOME });
    const before = treeOf(at.ws.root);
    const line = 'sed -i s/one/1/ src/a.txt; rm -r old; mkdir -p new/in; echo n > new/in/n.txt; chmod 755 run.sh; ln -s ../src new/link';
    const settled = await ran(at, line, 'tidy (job_1)');
    expect(actions(settled)).toEqual({
      ...{ 'src/a.txt': 'replace', 'run.sh': 'replace' },
      ...{ 'old/deep/c.txt': 'delete', 'old/deep': 'rmdir', old: 'rmdir' },
      ...{ new: 'mkdir', 'new/in': 'mkdir', 'new/in/n.txt': 'create', 'new/link': 'create' },
    });
    expect(settled).toMatchObject({ unkept: [], warnings: [] });
    const [change] = at.changes.history(at.callFor('change_history'), 1);
    expect(change).toMatchObject({ changesetId: settled.changesetId, kind: 'apply', status: 'committed', operation: 'run_command' });
    expect(change?.summary).toMatch(/^tidy \(job_1\): Change 5 files: .*; Make 2 folders: .*; Remove 2 folders: /);
    const after = treeOf(at.ws.root);
    const back = await undone(at, settled);
    expect(treeOf(at.ws.root)).toEqual(before);
    await undo(at, back);
    expect(treeOf(at.ws.root)).toEqual(after);
  });

  it('is shown as a diff, a change of mode too', async () => {
    await using at = await desk({ files: SOME });
    const { changesetId } = await ran(at, 'sed -i s/two/2/ src/a.txt; chmod 600 src/a.txt');
    const { files } = (await at.call('change_inspect', { changesetId }, { caller: 'owner' })).data as unknown as {
      files: { diff: string; onDisk: string }[];
    };
    expect(files).toMatchObject([{ onDisk: 'after' }]);
    expect(files[0]?.diff).toContain('old mode 0644\nnew mode 0600\n');
    expect(files[0]?.diff).toContain('-two\n+2\n');
  });

  it('is no change when nothing changed, also when files were touched or written with the same bytes', async () => {
    await using at = await desk({ files: SOME });
    const settled = await ran(at, 'touch src/a.txt; cp src/b.txt x; cat x > src/b.txt; rm x; mkdir y; rmdir y');
    expect(settled).toEqual({ changesetId: null, files: [], unkept: [], warnings: [] });
    expect(at.changes.history(at.callFor('change_history'), 5)).toEqual([]);
  });

  it('is seen when only the third time tells: same size, second time set back, within a tick of the look', async () => {
    await using at = await desk({ files: SOME });
    const settled = await ran(at, 'touch -r src/b.txt t; printf "B\\n" > src/b.txt; touch -r t src/b.txt; rm t');
    expect(actions(settled)).toEqual({ 'src/b.txt': 'replace' });
  });

  it('can be undone while a later edit of the same file stays, and names an edit from outside', async () => {
    await using at = await desk({ files: { 'f.txt': 'a\nb\nc\nd\ne\nf\ng\nh\n' } });
    const settled = await ran(at, 'sed -i s/a/A/ f.txt');
    await edit(at, 'f.txt', ['h', 'H']);
    const other = await ran(at, 'sed -i s/d/D/ f.txt');
    await undone(at, settled);
    expect(text(at, 'f.txt')).toBe('a\nb\nc\nD\ne\nf\ng\nH\n');
    writeFileSync(at.ws.path('f.txt'), 'by hand\n');
    await expect(undone(at, other)).rejects.toThrow('edited from outside');
  });

  it('needs the owner to be taken back where it needs the owner to be done', async () => {
    await using at = await desk({ files: { Makefile: 'all:\n' } });
    const { changesetId } = await ran(at, 'echo "all: x" > Makefile');
    const asked = await at.asks('rollback_changes', { changesetId, idempotencyKey: 'key-00000001' });
    expect(asked?.reasons).toEqual(['Makefile: the build tool runs what stands in this file.']);
  });

  it('is kept of large files piece by piece', async () => {
    await using at = await desk({ files: { 'big.bin': Buffer.alloc(9 * 1024 * 1024, 1), 'gone.bin': Buffer.alloc(9 * 1024 * 1024, 2) } });
    const before = treeOf(at.ws.root);
    const settled = await ran(at, 'printf x >> big.bin; rm gone.bin; head -c 9500000 /dev/zero > new.bin');
    expect(actions(settled)).toEqual({ 'big.bin': 'replace', 'gone.bin': 'delete', 'new.bin': 'create' });
    await undone(at, settled);
    expect(treeOf(at.ws.root)).toEqual(before);
  });

  it('of very many files is listed in part and taken back whole', async () => {
    await using at = await desk({ files: Object.fromEntries(Array.from({ length: 150 }, (_unused, n) => [`f${n}`, `${n}\n`])) });
    const before = treeOf(at.ws.root);
    const settled = await ran(at, 'for f in f*; do echo more >> $f; done');
    const [change] = at.changes.history(at.callFor('change_history'), 1);
    expect([settled.files.length, change?.files.length, change?.fileCount]).toEqual([150, 100, 150]);
    const seen = (await at.call('change_inspect', { changesetId: settled.changesetId }, { caller: 'owner' })).data;
    expect(seen).toMatchObject({ undo: { possible: true }, changeset: { fileCount: 150 } });
    expect(seen['files']).toHaveLength(100);
    const { warnings } = await undo(at, settled.changesetId ?? '');
    expect(warnings).toEqual(['150 files and folders were put back; 100 of them are listed.']);
    expect(treeOf(at.ws.root)).toEqual(before);
  });

  it('git itself: a checkout of another branch is taken back', async () => {
    await using at = await desk({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@e', ...args], { cwd: at.ws.root, encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'one');
    git('checkout', '-qb', 'side');
    mkdirSync(at.ws.path('a.txt.d'));
    writeFileSync(at.ws.path('a.txt.d/x'), 'x');
    git('rm', '-q', 'a.txt');
    symlinkSync('b.txt', at.ws.path('a.txt'));
    git('add', '.');
    git('commit', '-qm', 'two');
    const before = Object.entries(treeOf(at.ws.root)).filter(([path]) => !path.startsWith('.git'));
    const { observationId } = await observe(at);
    expect(git('checkout', '-q', 'main').status).toBe(0);
    const settled = await at.manifests.settle(observationId);
    expect(actions(settled)).toEqual({ 'a.txt': 'replace', 'a.txt.d/x': 'delete', 'a.txt.d': 'rmdir' });
    expect(settled.unkept).toEqual([{ path: '.git', why: 'protected' }]);
    await undone(at, settled);
    expect(Object.entries(treeOf(at.ws.root)).filter(([path]) => !path.startsWith('.git'))).toEqual(before);
    expect(readlinkSync(at.ws.path('a.txt'))).toBe('b.txt');
  });
});

describe('what is not kept', () => {
  it('ignored folders and files, secrets and .git are told by name when they change, and only then', async () => {
    await using at = await desk({
      files: { ...SOME, 'build/o.js': 'o', 'x.log': 'l', '.env': 'K=1', '.git/HEAD': 'h', 'node_modules/m/i.js': 'i' },
    });
    const { observationId, unkept, gaps } = await observe(at);
    expect(gaps).toEqual([]);
    expect(unkept.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: '.env', why: 'secret' },
      { path: '.git', why: 'protected' },
      { path: 'build', why: 'ignored' },
      { path: 'node_modules', why: 'ignored' },
      { path: 'x.log', why: 'ignored' },
    ]);
    at.manifests.forget(observationId);
    expect((await ran(at, 'true')).unkept).toEqual([]);
    const settled = await ran(at, 'echo >> build/o.js; echo K=2 > .env; rm -r node_modules; echo > .git/x; mkdir dist; echo > y.log');
    expect(settled.changesetId).toBeNull();
    expect(settled.unkept).toEqual([
      { path: '.env', why: 'secret' },
      { path: '.git', why: 'protected' },
      { path: 'build', why: 'ignored' },
      { path: 'dist', why: 'ignored' },
      { path: 'node_modules', why: 'ignored' },
      { path: 'y.log', why: 'ignored' },
    ]);
  });

  it('no byte of a secret reaches the store', async () => {
    await using at = await desk({ files: { '.env': 'TOKEN=verysecretvalue', 'a.txt': 'a' } });
    await ran(at, 'echo TOKEN=othersecretvalue > .env; echo b > a.txt', 'sh');
    const found = spawnSync('grep', ['-rlE', 'verysecretvalue|othersecretvalue', at.state.home], { encoding: 'utf8' });
    expect(found.stdout).toBe('');
    expect(spawnSync('grep', ['-rl', 'a.txt', at.state.home], { encoding: 'utf8' }).stdout).not.toBe('');
  });

  it('a program that changes the ignore rules takes nothing away and makes nothing by that', async () => {
    await using at = await desk({ files: { ...SOME, 'build/o.js': 'o' } });
    const before = treeOf(at.ws.root);
    const settled = await ran(at, 'echo src/ > .gitignore; echo 1 >> src/a.txt; echo p > build/p.js; echo new > src/new.txt');
    expect(actions(settled)).toEqual({ '.gitignore': 'replace', 'src/a.txt': 'replace' });
    expect(settled.unkept.map(({ path }) => path)).toEqual(['build', 'src']);
    await undone(at, settled);
    const { 'src/new.txt': made, 'build/p.js': built, ...rest } = treeOf(at.ws.root);
    expect([made, built].every((one) => one !== undefined)).toBe(true);
    expect(rest).toEqual(before);
  });

  it('what is over the caps is said before anything runs, and told when it changed', async () => {
    const limits = { fileBytes: 1000, bytes: 2500 };
    const sized = (bytes: number) => 'x'.repeat(bytes);
    const files = { 'a.txt': sized(900), 'b.txt': sized(800), 'c.txt': sized(700), 'huge.txt': sized(1001), 'd.txt': sized(600) };
    await using at = await desk({ files, limits });
    const gaps = [
      '2 entries beyond what is kept (1000 bytes a file, 2.4 KiB in all), so a change there could not be undone: a.txt, huge.txt.',
    ];
    expect(await at.manifests.foresee(at.ws.project)).toEqual({ gaps, unkept: [] });
    const seen = await observe(at);
    expect(seen).toMatchObject({ gaps, kept: { files: 3, bytes: 2100 } });
    execFileSync('sh', ['-c', 'rm huge.txt; echo >> b.txt; echo >> a.txt; rm d.txt'], { cwd: at.ws.root });
    const settled = await at.manifests.settle(seen.observationId);
    expect(actions(settled)).toEqual({ 'b.txt': 'replace', 'd.txt': 'delete' });
    expect(settled.unkept).toEqual([
      { path: 'a.txt', why: 'too_large' },
      { path: 'huge.txt', why: 'too_large' },
    ]);
  });

  it('a store without room for the bytes refuses before anything runs', async () => {
    await using at = await desk({ files: { 'a.bin': Buffer.alloc(5000, 7), 'b.bin': Buffer.alloc(5000, 8) }, capBytes: 6000 });
    await expect(observe(at)).rejects.toMatchObject({ code: 'RESOURCE_LIMIT' });
  });

  it('pipes and hard links are said before, and a pipe in the place of a file is told', async () => {
    await using at = await desk({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
    execFileSync('sh', ['-c', 'ln a.txt a2.txt; mkfifo p'], { cwd: at.ws.root });
    const seen = await observe(at);
    expect(seen.gaps).toHaveLength(2);
    execFileSync('sh', ['-c', 'rm b.txt; mkfifo b.txt'], { cwd: at.ws.root });
    const settled = await at.manifests.settle(seen.observationId);
    expect(settled.unkept).toEqual([{ path: 'b.txt', why: 'special' }]);
    await expect(undone(at, settled)).rejects.toThrow('b.txt');
    execFileSync('rm', [at.ws.path('b.txt')]);
    await undone(at, settled);
    expect(text(at, 'b.txt')).toBe('b');
  });
});

describe('beside other work', () => {
  it('changes that went through the journal meanwhile are not the program’s', async () => {
    await using at = await desk({ files: { 'mine.txt': 'm\n', 'theirs.txt': 't\n', 'both.txt': '1\n2\n3\n4\n5\n', 'gone.txt': 'g\n' } });
    const { observationId } = await observe(at);
    await edit(at, 'mine.txt', ['m', 'M']);
    await write(at, 'made.txt', 'made\n');
    await edit(at, 'both.txt', ['1', 'one']);
    execFileSync('sh', ['-c', 'echo p >> theirs.txt; sed -i s/5/five/ both.txt; chmod 755 mine.txt; rm gone.txt'], { cwd: at.ws.root });
    const settled = await at.manifests.settle(observationId);
    expect(actions(settled)).toEqual({ 'theirs.txt': 'replace', 'both.txt': 'replace', 'mine.txt': 'replace', 'gone.txt': 'delete' });
    expect(settled.warnings).toEqual([]);
    await undone(at, settled);
    expect(['mine.txt', 'theirs.txt', 'both.txt', 'gone.txt', 'made.txt'].map((path) => text(at, path))).toEqual([
      ...['M\n', 't\n', 'one\n2\n3\n4\n5\n', 'g\n', 'made\n'],
    ]);
    expect(treeOf(at.ws.root)['mine.txt']).toMatch(/^file 644 /);
  });

  it('a program that puts back what was edited meanwhile has changed it', async () => {
    await using at = await desk({ files: { 'f.txt': 'old\n' } });
    const { observationId } = await observe(at);
    await edit(at, 'f.txt', ['old', 'new']);
    writeFileSync(at.ws.path('f.txt'), 'old\n');
    const settled = await at.manifests.settle(observationId);
    expect(actions(settled)).toEqual({ 'f.txt': 'replace' });
    await undone(at, settled);
    expect(text(at, 'f.txt')).toBe('new\n');
  });

  it('what a program changed before another edited it is said', async () => {
    await using at = await desk({ files: { 'f.txt': 'a\nb\n' } });
    const { observationId } = await observe(at);
    writeFileSync(at.ws.path('f.txt'), 'A\nb\n');
    const changesetId = await edit(at, 'f.txt', ['b', 'B']);
    const settled = await at.manifests.settle(observationId);
    expect(settled).toMatchObject({ changesetId: null, warnings: [expect.stringContaining(changesetId)] });
  });

  it('of two programs at once the one that is settled first has what both saw change, and nothing counts twice', async () => {
    await using at = await desk({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const before = treeOf(at.ws.root);
    const first = await observe(at, 'first');
    writeFileSync(at.ws.path('a.txt'), 'A\n');
    const second = await observe(at, 'second');
    writeFileSync(at.ws.path('b.txt'), 'B\n');
    const settledFirst = await at.manifests.settle(first.observationId);
    writeFileSync(at.ws.path('a.txt'), 'AA\n');
    const settledSecond = await at.manifests.settle(second.observationId);
    expect([actions(settledFirst), actions(settledSecond)]).toEqual([{ 'a.txt': 'replace', 'b.txt': 'replace' }, { 'a.txt': 'replace' }]);
    await undone(at, settledSecond);
    expect(text(at, 'a.txt')).toBe('A\n');
    await undone(at, settledFirst);
    expect(treeOf(at.ws.root)).toEqual(before);
  });

  it('an edit that is under way while it is looked is wholly before or wholly after', async () => {
    const gate = { open: () => {}, reached: () => {} };
    const reached = new Promise<void>((resolve) => (gate.reached = resolve));
    const opened = new Promise<void>((resolve) => (gate.open = resolve));
    const onStage = async (stage: string) => {
      if (stage !== 'swapping:1') return;
      gate.reached();
      await opened;
    };
    await using at = await desk({ files: { 'a.txt': 'old a\n', 'b.txt': 'old b\n' }, onStage });
    const expectedHashes = ['a.txt', 'b.txt'].map((path) => ({ path, expectedHash: at.hash(path) }));
    const both = at.call('replace_in_files', { find: 'old', replace: 'new', dryRun: false, expectedHashes });
    await reached;
    const observing = observe(at);
    gate.open();
    await both;
    const settled = await at.manifests.settle((await observing).observationId);
    expect(settled).toMatchObject({ changesetId: null, warnings: [] });
  });

  it('is settled once, and a program that never ran is forgotten', async () => {
    await using at = await desk({ files: SOME });
    const { observationId } = await observe(at);
    await at.manifests.settle(observationId);
    await expect(at.manifests.settle(observationId)).rejects.toMatchObject({ code: 'CONFLICT' });
    const other = await observe(at);
    at.manifests.forget(other.observationId);
    await expect(at.manifests.settle(other.observationId)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(at.state.store.prepare('SELECT count(*) AS n FROM manifest_entries WHERE until IS NOT NULL').get()).toEqual({ n: 0 });
  });
});

describe('the second look', () => {
  it('reads only what changed, also after a new start', async () => {
    await using at = await desk({ files: Object.fromEntries(Array.from({ length: 50 }, (_unused, n) => [`f${n}.txt`, `${n}`])) });
    const tick = () => new Promise((resolve) => setTimeout(resolve, 2100));
    await tick();
    at.manifests.forget((await observe(at)).observationId);
    const rowsOf = () =>
      at.state.store.prepare<[], { since: number; n: number }>('SELECT since, count(*) AS n FROM manifest_entries GROUP BY since').all();
    expect(rowsOf()).toEqual([{ since: 1, n: 50 }]);
    chmodSync(at.ws.path('f7.txt'), 0o600);
    at.manifests.forget((await observe(at)).observationId);
    expect(rowsOf()).toEqual([
      { since: 1, n: 49 },
      { since: 2, n: 1 },
    ]);
    expect(readFileSync(at.ws.path('f7.txt'), 'utf8')).toBe('7');
  });
});
