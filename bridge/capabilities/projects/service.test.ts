// The registry: a project is its directory. What stands at the path later is never taken for it.
import { mkdirSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failed } from '../../failed.ts';
import type { Caller } from '../../operation.ts';
import { testState, type TestState } from '../../testing/state.ts';
import { createEvents } from '../events/service.ts';
import { createProjects } from './service.ts';

const build = (state: TestState) => {
  const home = join(state.home, 'own');
  mkdirSync(home, { recursive: true });
  return createProjects({ ...state, events: createEvents(state), home });
};
const anyone: Caller = { kind: 'client', principal: 'token:t', name: 'c', scopes: new Set(['read']), projectIds: null };

async function folder(state: TestState, name: string): Promise<string> {
  const path = join(state.home, name);
  await mkdir(path, { recursive: true });
  return path;
}

async function refusalOf(work: Promise<unknown>): Promise<Failed> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof Failed) return thrown;
    throw thrown;
  }
  throw new Error('It was not refused.');
}

describe('projects', () => {
  it('gives random opaque ids in the form of the contract, the same again for the same folder', async () => {
    using state = testState();
    const projects = build(state);
    const a = await projects.add(await folder(state, 'a'));
    const again = await projects.add(`${await folder(state, 'a')}/`);
    const b = await projects.add(await folder(state, 'b'));
    expect(a.project.projectId).toMatch(/^prj_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(again).toMatchObject({ created: false, project: { projectId: a.project.projectId } });
    expect(b.project.projectId).not.toBe(a.project.projectId);
  });

  it.each([
    ['missing', async (path: string) => rm(path, { recursive: true })],
    [
      'symlinked',
      async (path: string) => {
        await rename(path, `${path}-moved`);
        await symlink(`${path}-moved`, path);
      },
    ],
    [
      'replaced',
      async (path: string) => {
        await rename(path, `${path}-moved`);
        await mkdir(path);
      },
    ],
    [
      'invalid',
      async (path: string) => {
        await rm(path, { recursive: true });
        await writeFile(path, '');
      },
    ],
  ])('S08 a directory that is %s is not opened and is named as such', async (readiness, spoil) => {
    using state = testState();
    const projects = build(state);
    const path = await folder(state, 'p');
    const { project } = await projects.add(path);
    await spoil(path);
    expect((await projects.list())[0]?.readiness).toBe(readiness);
    const refused = await refusalOf(projects.open(project.projectId));
    expect(refused.failure.detail).toEqual({ readiness });
    expect(refused.message).not.toContain(state.home);
  });

  it('keeps the id when the proven directory was renamed, under another workspaceId', async () => {
    using state = testState();
    const projects = build(state);
    const path = await folder(state, 'p');
    const before = (await projects.add(path)).project;
    await rename(path, `${path}2`);
    const after = (await projects.add(`${path}2`)).project;
    expect(after.projectId).toBe(before.projectId);
    expect(after.workspaceId).not.toBe(before.workspaceId);
    expect(after.workspaceEpoch).not.toBe(before.workspaceEpoch);
  });

  it('removal is soft: the id comes back with the folder, under a fresh epoch', async () => {
    using state = testState();
    const projects = build(state);
    const path = await folder(state, 'p');
    const before = (await projects.add(path)).project;
    expect(await projects.remove(before.projectId)).toBe(true);
    expect(await projects.list()).toEqual([]);
    expect((await refusalOf(projects.open(before.projectId))).failure.detail).toEqual({ readiness: 'removed' });
    const after = (await projects.add(path)).project;
    expect(after.projectId).toBe(before.projectId);
    expect(after.workspaceEpoch).not.toBe(before.workspaceEpoch);
  });

  it('a folder that is a link or a file is not registered', async () => {
    using state = testState();
    const projects = build(state);
    await symlink(await folder(state, 'real'), join(state.home, 'link'));
    await writeFile(join(state.home, 'file'), '');
    expect((await refusalOf(projects.add(join(state.home, 'link')))).code).toBe('PATH_DENIED');
    expect((await refusalOf(projects.add(join(state.home, 'file')))).code).toBe('PATH_DENIED');
    expect((await refusalOf(projects.add(join(state.home, 'none')))).code).toBe('NOT_FOUND');
  });

  it('a relative path and the home folder are no projects', async () => {
    using state = testState();
    const projects = build(state);
    expect((await refusalOf(projects.add('some/folder'))).code).toBe('INVALID_INPUT');
    expect((await refusalOf(projects.add(homedir()))).code).toBe('PATH_DENIED');
  });

  it("S10 the bridge's own state, a folder in it and a folder around it are no projects", async () => {
    using state = testState();
    const projects = build(state);
    for (const path of ['own', 'own/blobs', '.']) {
      const refused = await refusalOf(projects.add(await folder(state, path)));
      expect(refused.code).toBe('PATH_DENIED');
    }
    expect((await projects.add(await folder(state, 'own-not'))).created).toBe(true);
  });

  it('chooses the target, then the session project, then the named workspace, then the only one', async () => {
    using state = testState();
    const projects = build(state);
    const a = (await projects.add(await folder(state, 'a'))).project;
    expect((await projects.choose({}, anyone, null))?.projectId).toBe(a.projectId);
    const b = (await projects.add(await folder(state, 'b'))).project;
    expect(await projects.choose({}, anyone, null)).toBeNull();
    expect((await projects.choose({ workspaceId: b.workspaceId }, anyone, null))?.projectId).toBe(b.projectId);
    expect((await projects.choose({}, anyone, b.projectId))?.projectId).toBe(b.projectId);
    expect((await projects.choose({ targetProjectId: a.projectId }, anyone, b.projectId))?.projectId).toBe(a.projectId);
  });

  it('S23 an id outside the grant looks the same as an unknown one', async () => {
    using state = testState();
    const projects = build(state);
    const a = (await projects.add(await folder(state, 'a'))).project;
    const narrow: Caller = { ...anyone, projectIds: new Set(['prj_00000000']) };
    const outside = await refusalOf(projects.choose({ targetProjectId: a.projectId }, narrow, null));
    const unknown = await refusalOf(projects.choose({ targetProjectId: 'prj_zzzzzzzz' }, narrow, null));
    expect(outside.failure).toEqual(unknown.failure);
    expect(outside.code).toBe('WORKSPACE_ACCESS_REQUIRED');
  });
});
