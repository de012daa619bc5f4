// Repositories that name programs in every place git runs one from: each is shown to run under plain git, and never in a read.
import { readFileSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitWorld, mark, type GitWorld } from '../../testing/git.ts';
import { vectors } from '../../testing/hostile-git.ts';

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
    const canary = world.program('canary', `touch '${trace.path}'\n[ -n "$1" ] || cat`);
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
    expect(readdirSync(join(world.ws.outside, 'scratch')), 'no stand-in is left').toEqual(['begun']);
  });

  it('names what was set aside, and nothing secret that stands in a name or a value', async () => {
    await using world = await gitWorld();
    world.plain('config', 'url.https://user:hunter2@example.org/.insteadOf', 'gh:');
    world.plain('config', 'uploadpack.packObjectsHook', '/bin/hunter2');
    world.plain('config', 'safe.directory', '*');
    world.plain('config', 'remote.origin.url', 'https://hunter2@example.org/x.git');
    const { warnings } = await world.call('git_status', {});
    expect(warnings).toEqual([expect.stringContaining('url.*.insteadof, uploadpack.packobjectshook, safe.directory')]);
    expect(warnings?.join()).not.toContain('hunter2');
    expect(warnings?.join()).not.toContain('remote');
  });
});
