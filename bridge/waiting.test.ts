// What the owner changes while a call waits in the queue counts for that call: rights are resolved again after every wait.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from './operation.ts';
import { eventually } from './testing/eventually.ts';
import { rightsWorld, type RightsWorld } from './testing/rights-world.ts';

const input = { path: 'a.txt', content: 'x', expectedHash: 'absent' };

let here: RightsWorld;
beforeEach(async () => void (here = await rightsWorld()));
afterEach(() => here[Symbol.asyncDispose]());

/** One call holds the project's turn, a second one waits for it; `meanwhile` happens; both go on. Answers with the second's code. */
async function whileQueued(caller: () => Caller, meanwhile: () => unknown): Promise<string> {
  const { projectId: targetProjectId, workspaceId, epoch: workspaceEpoch } = here.project;
  const context = { targetProjectId, workspaceId, workspaceEpoch };
  let release: () => void = () => undefined;
  here.hold = { until: new Promise((resolve) => (release = resolve)) };
  const first = here.call('write_file', { input, caller: () => here.access.ownerCaller('owner'), context });
  await eventually(() => here.reached).toEqual(['write_file']);
  const second = here.call('write_file', { input, caller, context });
  await eventually(() => here.phases().sort()).toEqual(['queued', 'running']);
  await meanwhile();
  release();
  await first;
  return second;
}

const issue = (projectIds?: string[]) => {
  const { token, bearer } = here.access.issue({ name: 'c', scopes: ['read', 'write'], projectIds, days: 1 });
  return { ...token, caller: () => here.access.callerOfBearer(bearer) };
};

describe('a call that waited', () => {
  it('goes on when nothing changed', async () => {
    expect(await whileQueued(issue().caller, () => undefined)).toBe('NOT_SUPPORTED');
    expect(here.reached).toHaveLength(2);
  });

  it.each([
    [
      'the ceiling of the project was lowered',
      'FORBIDDEN',
      () => here.change({ projects: [{ projectId: here.project.projectId, ceiling: 'read' }] }),
    ],
    ['the mode was switched and the client has no list', 'WORKSPACE_ACCESS_REQUIRED', () => here.change({ accessMode: 'managed' })],
  ])('is refused when %s', async (_what, code, meanwhile) => {
    expect(await whileQueued(issue().caller, meanwhile)).toBe(code);
    expect(here.reached).toHaveLength(1);
  });

  it('is asked about when the trust of the project was lowered', async () => {
    await here.choose({ mode: 'managed', trust: 'edit', ceiling: 'full' });
    const { caller } = issue([here.project.projectId]);
    const lower = () => here.change({ projects: [{ projectId: here.project.projectId, trust: 'inspect' }] });
    expect(await whileQueued(caller, lower)).toBe('APPROVAL_REQUIRED');
    expect(here.reached).toHaveLength(1);
  });

  it('is refused when its token was revoked, or the project was taken off its list', async () => {
    const revoked = issue();
    expect(await whileQueued(revoked.caller, () => here.access.revoke(revoked.tokenId))).toBe('AUTH_REQUIRED');
    here.reached.length = 0;
    const narrowed = issue();
    expect(await whileQueued(narrowed.caller, () => here.access.setProjects(narrowed.tokenId, ['prj_00000000']))).toBe(
      'WORKSPACE_ACCESS_REQUIRED',
    );
  });

  it('does not run on a grant that was revoked meanwhile, and asks the next time', async () => {
    await here.choose({ mode: 'managed', trust: 'inspect', ceiling: 'full' });
    const { tokenId, caller } = issue([here.project.projectId]);
    const pins = Object.entries(input).map(([name, equals]) => ({ name, equals }));
    const scope = {
      operation: 'write_file',
      arguments: [...pins, { name: 'createParents', equals: true }],
      paths: [],
      program: null,
      host: null,
    };
    const who = { principal: `token:${tokenId}`, callerName: 'c', project: here.project, by: 'owner' };
    const one = () => here.grants.create({ ...scope, ...who, reasons: null, approvalId: null, minutes: 5, usesMax: null });
    const grant = one();
    expect(await whileQueued(caller, () => here.grants.revoke(grant.grantId, 'owner'))).toBe('APPROVAL_EXPIRED');
    expect([here.reached.length, here.grants.look(grant.grantId)?.uses]).toEqual([1, 0]);
    expect(await here.call('write_file', { input, caller })).toBe('APPROVAL_REQUIRED');
    const again = one();
    expect(await here.call('write_file', { input, caller })).toBe('NOT_SUPPORTED');
    expect(here.grants.look(again.grantId)).toMatchObject({ uses: 1, status: 'active', lastUsedAt: expect.any(Number) as number });
  });
});
