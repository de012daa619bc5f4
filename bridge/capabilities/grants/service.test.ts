// Grants over a real store: who, where and until when; each use counted as it is taken; ended is ended.
import { describe, expect, it } from 'vitest';
import type { Asked, AskContext, Caller } from '../../operation.ts';
import { testState, type TestState } from '../../testing/state.ts';
import { createEvents } from '../events/service.ts';
import { createGrants, type Grants, type GrantWish } from './service.ts';

const project = { projectId: 'prj_00000001', workspaceId: 'ws_1', name: 'p', root: '/nowhere', epoch: 'ep' };
const caller: Caller = { kind: 'client', principal: 'token:t1', name: 'C', scopes: new Set(['write']), projectIds: null };
const context: AskContext = { caller, project, session: 's', operation: 'edit_file', argumentsText: '{"a":1}', argumentsHash: 'h' };
const asked: Asked = { summary: 'edit', reasons: ['r'], files: [], touches: { paths: ['Makefile'] } };
const wish: GrantWish = {
  ...{
    principal: 'token:t1',
    callerName: 'C',
    project,
    operation: 'edit_file',
    arguments: [],
    paths: ['Makefile'],
    program: null,
    host: null,
  },
  ...{ reasons: null, approvalId: null, minutes: 60, usesMax: null, by: 'desk' },
};
const HOUR_MS = 60 * 60_000;

const build = (state: TestState): Grants => createGrants({ ...state, events: createEvents(state) });

describe('grants', () => {
  it('are counted with their last use, and told in the account when made and ended', () => {
    using state = testState();
    const grants = build(state);
    const { grantId } = grants.create(wish);
    expect(grants.find(context, asked)).toBe(grantId);
    grants.spend(grantId);
    grants.spend(grantId);
    expect(grants.look(grantId)).toMatchObject({ uses: 2, lastUsedAt: expect.any(Number) as number, status: 'active', usesMax: null });
    grants.revoke(grantId, 'phone');
    const told = createEvents(state).list({ limit: 2 });
    expect(told.map(({ kind, body }) => [kind, body['by'], body['summary']])).toEqual([
      ['grant.revoked', 'phone', 'C: edit_file Makefile'],
      ['grant.created', 'desk', 'C: edit_file Makefile'],
    ]);
  });

  it.each<[string, Partial<AskContext>]>([
    ['another caller (S23)', { caller: { ...caller, principal: 'token:t2' } }],
    ['another project', { project: { ...project, projectId: 'prj_00000002' } }],
    ['the same project in another place', { project: { ...project, workspaceId: 'ws_2' } }],
    ['another operation', { operation: 'write_file' }],
    ['a call without a project', { project: null }],
  ])('do not answer %s', (_what, over) => {
    using state = testState();
    const grants = build(state);
    grants.create(wish);
    expect(grants.find({ ...context, ...over }, asked)).toBeNull();
  });

  it('a revoked one answers and is spent no more, and stays revoked', () => {
    using state = testState();
    const grants = build(state);
    const { grantId } = grants.create(wish);
    grants.revoke(grantId, 'desk');
    const { revokedAt } = grants.revoke(grantId, 'desk');
    expect([grants.find(context, asked), grants.look(grantId)?.status]).toEqual([null, 'revoked']);
    expect(() => grants.spend(grantId)).toThrow('ended in the meantime');
    state.clock.advance(2 * HOUR_MS);
    expect(grants.look(grantId)).toMatchObject({ status: 'revoked', revokedAt, uses: 0 });
  });

  it('B38 an expired one never becomes fresh again, also after a restart with the clock set back', () => {
    using state = testState();
    const grants = build(state);
    const { grantId } = grants.create(wish);
    state.clock.advance(HOUR_MS);
    expect(() => grants.spend(grantId)).toThrow('ended in the meantime');
    expect(grants.find(context, asked)).toBeNull();
    let now = 0;
    const back = createGrants({ ...state, clock: { now: () => now, monotonic: () => 0 }, events: createEvents(state) });
    now = state.clock.now() - 2 * HOUR_MS;
    expect([back.find(context, asked), back.look(grantId)?.status]).toEqual([null, 'expired']);
  });

  it('a counted one is had by exactly as many calls as it says', () => {
    using state = testState();
    const grants = build(state);
    const { grantId } = grants.create({ ...wish, usesMax: 2 });
    const found = [grants.find(context, asked), grants.find(context, asked), grants.find(context, asked)];
    expect(found).toEqual([grantId, grantId, grantId]);
    grants.spend(grantId);
    grants.spend(grantId);
    expect(() => grants.spend(grantId)).toThrow('ended in the meantime');
    expect(grants.list({ limit: 10 })).toMatchObject([{ uses: 2, usesMax: 2, status: 'used_up' }]);
    expect(grants.find(context, asked)).toBeNull();
  });

  it.each(['../x', 'a/../b', '/etc', 'a\\b', './a', 'a/'])('refuse the path %j instead of reading it kindly', (path) => {
    using state = testState();
    const grants = build(state);
    expect(() => grants.create({ ...wish, paths: ['ok', path] })).toThrow('plain form');
    expect(grants.list({ limit: 10 })).toEqual([]);
  });
});
