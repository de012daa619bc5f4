// The branch and commit of real repositories, hostile ones included, without a git program and without leaving the folder.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitHead } from './git-head.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'drawbridge-git-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args], { encoding: 'utf8' }).trim();

function commit(): string {
  git('init', '--quiet', '--initial-branch=feature/x');
  writeFileSync(join(folder, 'a'), 'a');
  git('add', '--all');
  git('commit', '--quiet', '--message=a');
  return git('rev-parse', 'HEAD');
}

describe('gitHead', () => {
  it('reads a loose and a packed reference and a detached head', async () => {
    const head = commit();
    expect(await gitHead(folder)).toEqual({ branch: 'feature/x', head });
    git('pack-refs', '--all');
    expect(await gitHead(folder)).toEqual({ branch: 'feature/x', head });
    git('checkout', '--quiet', '--detach');
    expect(await gitHead(folder)).toEqual({ branch: null, head });
  });

  it('knows a repository without a commit, and a folder without a repository', async () => {
    expect(await gitHead(folder)).toBeNull();
    git('init', '--quiet', '--initial-branch=main');
    expect(await gitHead(folder)).toEqual({ branch: 'main', head: null });
  });

  it('S12 S13 runs nothing of the repository: its fsmonitor canary fires for git and not here', async () => {
    commit();
    const canary = join(folder, 'canary');
    writeFileSync(join(folder, 'hook.sh'), `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
    git('config', 'core.fsmonitor', join(folder, 'hook.sh'));
    await gitHead(folder);
    expect(() => execFileSync('ls', [canary], { stdio: 'ignore' })).toThrow();
    git('status');
    expect(execFileSync('ls', [canary], { encoding: 'utf8' }).trim()).toBe(canary);
  });

  it.each([
    ['a reference that climbs out', 'ref: refs/heads/../../../outside\n'],
    ['a reference of another kind', 'ref: /etc/passwd\n'],
    ['noise', '\u0000\u0001\n'],
  ])('S13 %s names no commit from elsewhere', async (_what, text) => {
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, 'outside'), `${'a'.repeat(40)}\n`);
    writeFileSync(join(folder, '.git', 'HEAD'), text);
    expect((await gitHead(folder))?.head ?? null).toBeNull();
  });

  it('S13 follows no link and no worktree file out of the folder', async () => {
    const other = join(folder, 'other.git');
    mkdirSync(other);
    writeFileSync(join(other, 'HEAD'), `${'b'.repeat(40)}\n`);
    const linked = join(folder, 'linked');
    mkdirSync(join(linked, '.git'), { recursive: true });
    symlinkSync(join(other, 'HEAD'), join(linked, '.git', 'HEAD'));
    expect(await gitHead(linked)).toBeNull();
    const whole = join(folder, 'whole');
    mkdirSync(whole);
    symlinkSync(other, join(whole, '.git'));
    expect(await gitHead(whole)).toBeNull();
    const worktree = join(folder, 'worktree');
    mkdirSync(worktree);
    writeFileSync(join(worktree, '.git'), `gitdir: ${other}\n`);
    expect(await gitHead(worktree)).toBeNull();
  });
});
