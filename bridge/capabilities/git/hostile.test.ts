// Repositories that name programs in every place git runs one from: each is shown to run under plain git, and never in a read.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitWorld, mark, type GitWorld } from '../../testing/git.ts';

interface Vector {
  name: string;
  /** `canary` is a program that leaves the mark and passes its input on. */
  plant(world: GitWorld, canary: string): void;
  /** What a developer runs that makes it fire. */
  fire(world: GitWorld, canary: string): void;
  /** A word of the warning that says it was set aside. */
  says?: string;
}

const write = (world: GitWorld, name: string, text: string) => world.ws.write(name, text);
const config = (world: GitWorld, key: string, value: string) => void world.plain('config', key, value);
const hook = (folder: string, name: string, canary: string) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\nexec '${canary}'\n`);
  chmodSync(join(folder, name), 0o755);
};
// As long as it was, so that only its content tells.
const touch = (world: GitWorld) => write(world, 'a.txt', 'b\n');
const nested = (world: GitWorld) => {
  mkdirSync(world.ws.path('sub'));
  for (const args of [
    ['init', '--quiet'],
    ['commit', '--quiet', '--allow-empty', '-m', 'sub'],
  ])
    world.tried(args, { cwd: world.ws.path('sub') });
  world.plain('add', 'sub');
  world.plain('commit', '--quiet', '-m', 'With a repository in it');
};
const withoutBlob = (world: GitWorld) => {
  const blob = world.plain('rev-parse', 'HEAD:a.txt').trim();
  write(world, 'a.txt', 'other\n');
  rmSync(world.ws.path(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`), { force: true });
};

const vectors: Vector[] = [
  {
    name: 'core.fsmonitor',
    plant: (world, canary) => config(world, 'core.fsmonitor', canary),
    fire: (world) => world.tried(['status']),
    says: 'core.fsmonitor',
  },
  {
    name: 'include.path to a file with a monitor',
    plant(world, canary) {
      write(world, 'more.inc', `[core]\n\tfsmonitor = ${canary}\n`);
      config(world, 'include.path', '../more.inc');
    },
    fire: (world) => world.tried(['status']),
    says: 'include.path',
  },
  {
    name: 'a conditional include',
    plant(world, canary) {
      write(world, 'more.inc', `[core]\n\tfsmonitor = ${canary}\n`);
      config(world, 'includeIf.onbranch:main.path', '../more.inc');
    },
    fire: (world) => world.tried(['status']),
    says: 'includeif',
  },
  {
    name: 'a monitor in the configuration of the work tree',
    plant(world, canary) {
      config(world, 'core.repositoryFormatVersion', '1');
      config(world, 'extensions.worktreeConfig', 'true');
      writeFileSync(world.ws.path('.git/config.worktree'), `[core]\n\tfsmonitor = ${canary}\n`);
    },
    fire: (world) => world.tried(['status']),
    says: 'core.fsmonitor',
  },
  ...(['clean', 'process', 'smudge'] as const).map((kind): Vector => ({
    name: `a ${kind} filter`,
    plant(world, canary) {
      write(world, '.gitattributes', '* filter=evil\n');
      config(world, `filter.evil.${kind}`, canary);
      touch(world);
    },
    fire: (world) => world.tried(kind === 'smudge' ? ['checkout', '--', 'a.txt'] : ['status']),
    says: `filter.evil.${kind}`,
  })),
  {
    name: 'diff.external',
    plant(world, canary) {
      config(world, 'diff.external', canary);
      touch(world);
    },
    fire: (world) => world.tried(['diff']),
    says: 'diff.external',
  },
  ...(['textconv', 'command'] as const).map((kind): Vector => ({
    name: `a diff driver’s ${kind}`,
    plant(world, canary) {
      write(world, '.gitattributes', '*.txt diff=evil\n');
      config(world, `diff.evil.${kind}`, canary);
      touch(world);
    },
    fire: (world) => world.tried(['diff']),
    says: `diff.evil.${kind}`,
  })),
  {
    name: 'a hook at a change of the index',
    plant(world, canary) {
      hook(world.ws.path('.git/hooks'), 'post-index-change', canary);
      touch(world);
      write(world, 'a.txt', 'a\n');
    },
    fire: (world) => world.tried(['status']),
  },
  {
    name: 'core.hooksPath',
    plant(world, canary) {
      hook(world.ws.path('tools'), 'post-index-change', canary);
      config(world, 'core.hooksPath', 'tools');
      write(world, 'a.txt', 'a\n');
    },
    fire: (world) => world.tried(['status']),
    says: 'core.hookspath',
  },
  {
    name: 'core.pager',
    plant: (world, canary) => config(world, 'core.pager', canary),
    fire: (world) => world.tried(['-c', "alias.seen=!script -qec 'git log' /dev/null", 'seen']),
    says: 'core.pager',
  },
  {
    name: 'pager.log',
    plant: (world, canary) => config(world, 'pager.log', canary),
    fire: (world) => world.tried(['-c', "alias.seen=!script -qec 'git log' /dev/null", 'seen']),
    says: 'pager.log',
  },
  {
    name: 'core.editor',
    plant: (world, canary) => config(world, 'core.editor', canary),
    fire: (world) => world.tried(['commit', '--allow-empty']),
    says: 'core.editor',
  },
  {
    name: 'an alias',
    plant: (world, canary) => config(world, 'alias.st', `!${canary}`),
    fire: (world) => world.tried(['st']),
    says: 'alias.st',
  },
  {
    name: 'credential.helper',
    plant: (world, canary) => config(world, 'credential.helper', `!${canary}`),
    fire: (world) => world.tried(['credential', 'fill'], { input: 'url=https://example.invalid\n\n' }),
    says: 'credential.helper',
  },
  {
    name: 'core.askPass',
    plant: (world, canary) => config(world, 'core.askPass', canary),
    fire: (world) => world.tried(['credential', 'fill'], { input: 'url=https://example.invalid\n\n' }),
    says: 'core.askpass',
  },
  {
    name: 'core.sshCommand',
    plant: (world, canary) => config(world, 'core.sshCommand', canary),
    fire: (world) => world.tried(['ls-remote', 'ssh://127.0.0.1:1/x']),
    says: 'core.sshcommand',
  },
  {
    name: 'core.gitProxy',
    plant: (world, canary) => config(world, 'core.gitProxy', canary),
    fire: (world) => world.tried(['ls-remote', 'git://127.0.0.1:1/x']),
    says: 'core.gitproxy',
  },
  {
    name: 'a remote through an external program',
    plant(world, canary) {
      config(world, 'remote.origin.url', `ext::${canary}`);
      config(world, 'protocol.ext.allow', 'always');
    },
    fire: (world) => world.tried(['ls-remote', 'origin']),
    says: 'protocol.ext.allow',
  },
  {
    name: 'the fetch of an object that a partial clone lacks',
    plant(world, canary) {
      config(world, 'core.repositoryFormatVersion', '1');
      config(world, 'extensions.partialClone', 'origin');
      config(world, 'remote.origin.url', world.ws.outside);
      config(world, 'remote.origin.promisor', 'true');
      config(world, 'remote.origin.uploadpack', canary);
      withoutBlob(world);
    },
    fire: (world) => world.tried(['diff']),
    says: 'remote.origin.uploadpack',
  },
  {
    name: 'a GPG program',
    plant(world, canary) {
      const signer = world.program(
        'signer',
        "cat >/dev/null\nprintf '[GNUPG:] SIG_CREATED ' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'",
      );
      world.plain('-c', `gpg.program=${signer}`, 'commit', '--quiet', '--allow-empty', '-S', '-m', 'Signed');
      config(world, 'gpg.program', canary);
      config(world, 'log.showSignature', 'true');
    },
    fire: (world) => world.tried(['log']),
    says: 'gpg.program',
  },
  {
    name: 'the monitor of a submodule',
    plant(world, canary) {
      nested(world);
      world.tried(['config', 'core.fsmonitor', canary], { cwd: world.ws.path('sub') });
    },
    fire: (world) => world.tried(['status']),
  },
  {
    name: 'the update command of a submodule',
    plant(world, canary) {
      write(world, '.gitmodules', '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n');
      nested(world);
      config(world, 'submodule.sub.url', './sub');
      config(world, 'submodule.sub.active', 'true');
      config(world, 'submodule.sub.update', `!${canary}`);
      world.tried(['commit', '--quiet', '--allow-empty', '-m', 'ahead'], { cwd: world.ws.path('sub') });
    },
    fire: (world) => world.tried(['submodule', 'update']),
    says: 'submodule.sub.update',
  },
  {
    name: 'programs in the account’s own settings',
    plant(world, canary) {
      write(world, '.gitattributes', '*.txt filter=evil diff=evil\n');
      const text = `[core]\n\tfsmonitor = ${canary}\n[diff]\n\texternal = ${canary}\n[filter "evil"]\n\tclean = ${canary}\n[diff "evil"]\n\ttextconv = ${canary}\n`;
      writeFileSync(join(world.home, '.gitconfig'), text);
      touch(world);
    },
    fire: (world) => world.tried(['diff']),
  },
  {
    name: 'a folder of the project that is a bare repository',
    plant(world, canary) {
      for (const folder of ['objects', 'refs']) mkdirSync(world.ws.path(`bare/${folder}`), { recursive: true });
      write(world, 'bare/HEAD', 'ref: refs/heads/main\n');
      write(world, 'bare/config', `[core]\n\trepositoryformatversion = 0\n\tworktree = "."\n\tfsmonitor = ${canary}\n`);
      write(world, 'bare/file', 'x');
    },
    fire: (world) => world.tried(['status'], { cwd: world.ws.path('bare') }),
  },
];

async function readAll(world: GitWorld, isPartial = false) {
  const status = await world.call('git_status', {});
  // A missing object is told; it is never fetched.
  const diff = world.call('git_diff', {});
  if (isPartial) expect(await world.refusal(() => diff)).toMatchObject({ code: 'NOT_SUPPORTED' });
  else await diff;
  await world.call('git_diff', { staged: true, paths: ['a.txt'] });
  await world.call('git_log', {});
  await world.call('git_log', { path: 'a.txt' });
  return status;
}

describe('S12 a read starts nothing that a repository names', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (name, { plant, fire, says }) => {
    await using world = await gitWorld();
    const trace = mark(world.ws.outside);
    const canary = world.program('canary', `touch '${trace.path}'\ncat 2>/dev/null`);
    plant(world, canary);
    trace.clear();
    const status = await readAll(world, name.includes('partial'));
    expect(trace.isThere(), 'ran in a read').toBe(false);
    expect(status.data.isRepo).toBe(true);
    if (says !== undefined) expect(status.warnings?.join()).toContain(says);
    fire(world, canary);
    expect(trace.isThere(), 'the canary itself').toBe(true);
  });

  it('S13 nothing of the environment reaches git', async () => {
    await using world = await gitWorld();
    const trace = mark(world.ws.outside);
    const canary = world.program('canary', `touch '${trace.path}'`);
    world.ws.write('a.txt', 'changed\n');
    const env = {
      GIT_EXTERNAL_DIFF: canary,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: canary,
      GIT_PAGER: canary,
      GIT_TRACE: trace.path,
    };
    const places = { GIT_DIR: world.ws.outside, GIT_INDEX_FILE: join(world.ws.outside, 'none'), GIT_WORK_TREE: world.ws.outside };
    Object.assign(process.env, env, places);
    try {
      const { data } = await readAll(world);
      expect(data.entries).toEqual([{ path: 'a.txt', status: '.M' }]);
      expect(trace.isThere()).toBe(false);
      for (const name of Object.keys(places)) delete process.env[name];
      world.tried(['status']);
      expect(trace.isThere(), 'the canary itself').toBe(true);
    } finally {
      for (const name of Object.keys({ ...env, ...places })) delete process.env[name];
    }
  });

  it('no file of the repository is written, also where git would freshen its index', async () => {
    await using world = await gitWorld({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const index = world.ws.path('.git/index');
    const before = { bytes: readFileSync(index), names: world.ws.list(), at: statSync(world.ws.path('.git')).mtimeMs };
    utimesSync(world.ws.path('a.txt'), 1_000_000, 1_000_000);
    await readAll(world);
    expect(readFileSync(index).equals(before.bytes)).toBe(true);
    expect(world.ws.list()).toEqual(before.names);
    expect(statSync(world.ws.path('.git')).mtimeMs).toBe(before.at);
    world.plain('status');
    expect(readFileSync(index).equals(before.bytes), 'plain git freshens it').toBe(false);
    expect(readdirSync(join(world.ws.outside, 'scratch'))).toEqual([]);
  });

  it('names what was set aside, and nothing secret that stands in a name or a value', async () => {
    await using world = await gitWorld();
    config(world, 'url.https://user:hunter2@example.org/.insteadOf', 'gh:');
    config(world, 'uploadpack.packObjectsHook', '/bin/hunter2');
    config(world, 'safe.directory', '*');
    config(world, 'remote.origin.url', 'https://hunter2@example.org/x.git');
    const { warnings } = await world.call('git_status', {});
    expect(warnings).toEqual([expect.stringContaining('url.*.insteadof, uploadpack.packobjectshook, safe.directory')]);
    expect(warnings?.join()).not.toContain('hunter2');
    expect(warnings?.join()).not.toContain('remote');
  });
});

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
    config(world, 'core.worktree', other);
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
