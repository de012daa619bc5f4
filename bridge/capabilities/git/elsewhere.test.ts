// Repositories whose own files lead into another one of the account, and paths that look like more than names.
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitWorld, type GitWorld } from '../../testing/git.ts';

describe('S13 a repository that leads elsewhere', () => {
  const secretRepository = (world: GitWorld): string => {
    const other = join(world.ws.outside, 'private');
    mkdirSync(other);
    writeFileSync(join(other, 'diary.txt'), 'dear diary\n');
    for (const args of [
      ['init', '--quiet'],
      ['add', '--all'],
      ['commit', '--quiet', '-m', 'Private'],
    ])
      world.tried(args, { cwd: other });
    return other;
  };
  const plants: readonly (readonly [string, (world: GitWorld, other: string) => void])[] = [
    ['a file .git', (world, other) => writeFileSync(world.ws.path('.git'), `gitdir: ${join(other, '.git')}\n`)],
    ['a link .git', (world, other) => symlinkSync(join(other, '.git'), world.ws.path('.git'))],
    [
      'a folder .git with links for refs and objects',
      (world, other) => {
        mkdirSync(world.ws.path('.git'));
        for (const name of ['objects', 'refs']) symlinkSync(join(other, '.git', name), world.ws.path(`.git/${name}`));
        writeFileSync(world.ws.path('.git/HEAD'), 'ref: refs/heads/main\n');
      },
    ],
    [
      'links deeper in .git',
      (world, other) => {
        world.plain('init', '--quiet', '--template=');
        rmSync(world.ws.path('.git/refs/heads'), { recursive: true });
        symlinkSync(join(other, '.git/refs/heads'), world.ws.path('.git/refs/heads'));
        writeFileSync(world.ws.path('.git/objects/info/alternates'), `${join(other, '.git/objects')}\n`);
      },
    ],
    [
      'a link for the index',
      (world, other) => {
        world.plain('init', '--quiet', '--template=');
        symlinkSync(join(other, '.git/index'), world.ws.path('.git/index'));
      },
    ],
    [
      'a folder that calls itself a work tree of the other one',
      (world, other) => {
        mkdirSync(world.ws.path('fake'));
        writeFileSync(world.ws.path('fake/HEAD'), 'ref: refs/heads/main\n');
        writeFileSync(world.ws.path('fake/gitdir'), `${world.ws.path('.git')}\n`);
        writeFileSync(world.ws.path('fake/commondir'), `${join(other, '.git')}\n`);
        writeFileSync(world.ws.path('.git'), 'gitdir: fake\n');
      },
    ],
  ];

  it.each(plants)('%s is refused before anything is read through it', async (_, plant) => {
    await using world = await gitWorld({ 'a.txt': 'a\n' }, { isBare: true });
    plant(world, secretRepository(world));
    expect(world.plain('log', '--all', '--oneline') + world.plain('status', '--short')).toMatch(/Private|diary/);
    for (const read of [() => world.call('git_status', {}), () => world.call('git_diff', {}), () => world.call('git_log', {})]) {
      const refused = await world.refusal(read);
      expect(refused).toMatchObject({ code: 'NOT_SUPPORTED' });
      expect(JSON.stringify(refused.failure)).not.toContain(world.ws.outside);
    }
  });

  it('a commondir in .git is not obeyed', async () => {
    await using world = await gitWorld();
    const other = secretRepository(world);
    writeFileSync(world.ws.path('.git/commondir'), `${join(other, '.git')}\n`);
    expect(world.plain('log', '--format=%s')).toBe('Private\n');
    expect((await world.call('git_log', {})).data.commits.map(({ subject }) => subject)).toEqual(['First']);
  });

  it('core.worktree does not move where files are looked for', async () => {
    await using world = await gitWorld();
    const other = secretRepository(world);
    world.plain('config', 'core.worktree', other);
    expect(world.plain('status', '--short')).toContain('diary');
    const { data, warnings } = await world.call('git_status', {});
    expect(data.entries).toEqual([]);
    expect(warnings?.join()).toContain('core.worktree');
  });

  it('paths that look like options or magic are names', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n', '--output=x': 'x\n', ':(top)a.txt': 'y\n' });
    world.ws.write('--output=x', 'changed\n');
    world.ws.write('a.txt', 'changed\n');
    const { data } = await world.call('git_diff', { paths: ['--output=x', ':(top)a.txt'] });
    expect(data.files.map(({ path }) => path)).toEqual(['--output=x']);
    expect((await world.call('git_log', { path: '--output=x' })).data.commits).toHaveLength(1);
    expect((await world.call('git_log', { path: '@{upstream}' })).data.commits).toEqual([]);
    for (const path of ['../outside', '/etc', '.git/config', '"../outside"', '"a//b"', '"a', '.env'])
      await expect(world.call('git_log', { path }), path).rejects.toMatchObject({ code: expect.stringMatching(/PATH_DENIED$/) as string });
    expect(existsSync(world.ws.path('x'))).toBe(false);
  });
});
