// The walk against git itself where both speak of ignore files, and against its own bounds.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePaths } from '#shared/paths.ts';
import { asOrdinaryUser, testFiles } from '../../testing/files.ts';
import { workspace, type Workspace } from '../../testing/workspace.ts';

const found = async (ws: Workspace, includeIgnored = false) =>
  (await testFiles(ws).files.candidates(ws.project, { includeIgnored })).files.map(({ path }) => path);

function knownToGit(ws: Workspace): string[] {
  const env = { PATH: process.env['PATH'], HOME: ws.outside, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ws.root, env, encoding: 'utf8' });
  git('init', '-q');
  return git('ls-files', '--others', '--exclude-standard', '-z').split('\0').filter(Boolean).sort(comparePaths);
}

describe('ignore files', () => {
  it('are read as git reads them, nested ones and negations too', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'ab', 'x.log', 'y.log', 'B');
    const folder = fc.constantFrom('', 'd/', 'd/e/', 'f/', 'd/f/');
    const file = fc.tuple(folder, name).map((parts) => parts.join(''));
    const body = fc.constantFrom(
      'a',
      'b',
      '*',
      '*.log',
      'd',
      'e',
      'f',
      'd/e',
      'd/*',
      'f/**',
      '**/e',
      '?',
      '[ab]',
      'x.log',
      '*b',
      'd/e/a',
      '\\a',
      '#a',
      'a ',
    );
    const line = fc
      .tuple(fc.constantFrom('', '!'), fc.constantFrom('', '/'), body, fc.constantFrom('', '/'))
      .map((parts) => parts.join(''));
    const rules = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
    const world = fc.record({ files: fc.array(file, { minLength: 1, maxLength: 10 }), root: rules, d: rules, e: rules });
    return fc.assert(
      fc.asyncProperty(world, async ({ files, root, d, e }) => {
        await using ws = await workspace({ 'd/e/': '', 'f/': '', 'd/f/': '' });
        for (const path of files) ws.write(path, 'x');
        for (const [path, text] of [
          ['.gitignore', root],
          ['d/.gitignore', d],
          ['d/e/.gitignore', e],
        ] as const)
          ws.write(path, text);
        expect(await found(ws)).toEqual(knownToGit(ws));
      }),
      { numRuns: 40 },
    );
  });

  it('let .dodoignore have the last word, and bring a built-in name back', async () => {
    await using ws = await workspace({
      'a.log': '',
      'b.log': '',
      'build/x.ts': '',
      'dist/y.js': '',
      'pkg/build/z': '',
      '.gitignore': '*.log\n',
    });
    expect(await found(ws)).toEqual(['.gitignore']);
    ws.write('.dodoignore', '!b.log\n!/build\n');
    expect(await found(ws)).toEqual(['.dodoignore', '.gitignore', 'b.log', 'build/x.ts']);
    expect(await found(ws, true)).toHaveLength(7);
  });

  it('let a deeper file bring back a folder with all that is in it', async () => {
    await using ws = await workspace({
      '.gitignore': 'out2/\n*.tmp\n',
      'p/.gitignore': '!out2/\n',
      'p/out2/a': '',
      'p/out2/q/b': '',
      'p/out2/c.tmp': '',
      'out2/n': '',
    });
    expect(await found(ws)).toEqual(['.gitignore', 'p/.gitignore', 'p/out2/a', 'p/out2/q/b']);
    expect(knownToGit(ws)).toEqual(await found(ws));
  });

  it('are bounded: one that is too large is not applied, and that is said', async () => {
    await using ws = await workspace({ '.gitignore': `*.log\n${'#'.repeat(256 * 1024)}`, 'a.log': 'x' });
    const { data, warnings } = await testFiles(ws).call('search_code', { query: 'x' });
    expect(data.matches.map(({ path }) => path)).toEqual(['a.log']);
    expect(warnings?.[0]).toContain('.gitignore was not applied: it is larger than 256 KiB');
  });

  it('are no way to read a file outside', async () => {
    await using ws = await workspace({ 'a.log': '' });
    symlinkSync(`${ws.outside}/rules`, ws.path('.gitignore'));
    expect(await found(ws)).toEqual(['a.log']);
  });

  it('S24 cannot hold up a walk with patterns made to backtrack', async () => {
    const rules = Array.from({ length: 50 }, (_, at) => `${'*a'.repeat(20)}*${at}`).join('\n');
    await using ws = await workspace({ '.gitignore': rules, ['a'.repeat(250)]: '' });
    expect(await found(ws)).toHaveLength(2);
  });
});

describe('the walk', () => {
  it('gives one order, whatever the disk gives', async () => {
    const paths = ['z', 'a/x', 'a.ts', 'a-b', 'A', 'é', 'a/b.d/c', '\u{1f600}', '0'];
    await using ws = await workspace({ ...Object.fromEntries(paths.map((path) => [path, ''])), 'a/b/c': '' });
    const all = await found(ws);
    expect(all).toEqual([...all].sort(comparePaths));
    expect(all).toHaveLength(10);
  });

  it('stops at 32 folders deep, and the search says that it is incomplete', async () => {
    await using ws = await workspace({ [`${'d/'.repeat(32)}a`]: 'needle', [`${'d/'.repeat(33)}b`]: 'needle' });
    const { call, files } = testFiles(ws);
    const { data } = await call('search_code', { query: 'needle' });
    expect(data).toMatchObject({ outcome: 'matches', totalMatches: 1, totalIsComplete: false });
    expect((await call('search_code', { query: 'none' })).data.outcome).toBe('incomplete');
    expect((await files.candidates(ws.project, { includeIgnored: false })).isComplete).toBe(false);
  });

  it('counts a folder it may not enter, and goes on', async () => {
    await using ws = await workspace({ 'closed/a': 'x', 'listed/b': 'x', 'open/c': 'x' });
    await asOrdinaryUser(ws, async () => {
      chmodSync(ws.path('closed'), 0o000);
      chmodSync(ws.path('listed'), 0o400);
      const { data } = await testFiles(ws).call('list_files', { depth: 3 });
      expect(data.tree.map(({ path }) => path)).toEqual(['closed', 'listed', 'open', 'open/c']);
      expect(data.skipped.unreadable).toBe(2);
    });
  });

  it('goes round no loop of links', async () => {
    await using ws = await workspace({ 'a/b': '' });
    symlinkSync('..', ws.path('a/up'));
    symlinkSync('.', ws.path('self'));
    expect(await found(ws)).toEqual(['a/b']);
  });

  it('gives several callers at once the same true answer', async () => {
    await using ws = await workspace(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${at % 30}/f${at}`, ''])));
    const { files } = testFiles(ws);
    const ask = () => files.candidates(ws.project, { includeIgnored: false });
    const first = [ask(), ask()];
    mkdirSync(ws.path('new'));
    ws.write('new/file', '');
    const later = [ask(), ask()];
    for (const { files: seen } of await Promise.all(later)) expect(seen).toHaveLength(301);
    for (const { files: seen } of await Promise.all(first)) expect(seen.length).toBeGreaterThanOrEqual(300);
  });
});
