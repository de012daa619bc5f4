// Repositories that name a program in every place git runs one from, each with what a developer runs that makes it fire.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitWorld } from './git.ts';

export interface Vector {
  name: string;
  /** `canary` is a program that leaves the mark; called without a word it passes its input on. */
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

export const vectors: readonly Vector[] = [
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
      config(world, 'remote.origin.url', `ext::${canary} now`);
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
