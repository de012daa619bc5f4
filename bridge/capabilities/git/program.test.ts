// The git that is started: which one, how long it may take, and what a failure tells.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitWorld } from '../../testing/git.ts';
import { createProgram, GitFailed } from './program.ts';

const git = createProgram(async () => []);
const signal = new AbortController().signal;

describe('git', () => {
  it('is ended at its deadline and when the call is', async () => {
    await using world = await gitWorld();
    rmSync(world.ws.path('.git/index'));
    execFileSync('mkfifo', [world.ws.path('.git/index')]);
    const wish = { cwd: world.ws.root, env: {}, signal };
    await expect(git.run(['status'], { ...wish, deadlineMs: 200 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(git.run(['status'], { ...wish, signal: AbortSignal.timeout(200) })).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('S13 is none that lies in a project or in the working directory', async () => {
    await using world = await gitWorld();
    const trace = join(world.ws.outside, 'ran');
    mkdirSync(world.ws.path('bin'));
    for (const path of [world.ws.path('bin/git'), world.ws.path('git')]) {
      writeFileSync(path, `#!/bin/sh\ntouch '${trace}'\n`);
      chmodSync(path, 0o755);
    }
    const before = process.env['PATH'] ?? '';
    process.env['PATH'] = ['.', 'bin', world.ws.path('bin'), before].join(delimiter);
    try {
      await world.call('git_status', {});
      expect(existsSync(trace)).toBe(false);
      world.tried(['status']);
      expect(existsSync(trace), 'the canary itself').toBe(true);
      process.env['PATH'] = world.ws.path('bin');
      expect(await world.refusal(() => world.call('git_status', {}))).toMatchObject({ code: 'NOT_SUPPORTED' });
    } finally {
      process.env['PATH'] = before;
    }
  });

  it('that says no tells its words to us alone', async () => {
    await using world = await gitWorld();
    await expect(git.run(['log', 'nowhere'], { cwd: world.ws.root, env: {}, signal })).rejects.toBeInstanceOf(GitFailed);
    writeFileSync(world.ws.path('.git/index'), 'no index at all');
    const { failure } = await world.refusal(() => world.call('git_status', {}));
    expect(failure).toMatchObject({ code: 'NOT_SUPPORTED', message: expect.stringContaining('index') as string });
    expect(JSON.stringify(failure)).not.toContain(world.ws.root);
    writeFileSync(world.ws.path('.git/config'), '[core\n');
    expect(await world.refusal(() => world.call('git_log', {}))).toMatchObject({ code: 'NOT_SUPPORTED' });
    writeFileSync(world.ws.path('.git/config'), '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tnewThing = 1\n');
    expect((await world.refusal(() => world.call('git_log', {}))).message).toContain('extensions.newthing');
  });
});
