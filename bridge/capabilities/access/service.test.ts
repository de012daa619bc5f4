// Tokens: digests at rest, uniform refusals, and an end that holds from the next request on.
import { describe, expect, it } from 'vitest';
import { Failed } from '../../failed.ts';
import { testState, type TestState } from '../../testing/state.ts';
import { createEvents } from '../events/service.ts';
import { createAccess } from './service.ts';

const build = (state: TestState) => createAccess({ ...state, events: createEvents(state) });
const request = { name: 'script', scopes: ['read' as const], days: 1 };

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Failed) return `${thrown.code} ${thrown.message}`;
    throw thrown;
  }
  return 'accepted';
}

describe('access', () => {
  it('S05 a bearer has 256 random bits, and the store keeps only its digest', () => {
    using state = testState();
    const access = build(state);
    const bearers = Array.from({ length: 20 }, () => access.issue(request).bearer);
    expect(new Set(bearers).size).toBe(20);
    for (const bearer of bearers) expect(Buffer.from(bearer.slice('dbr_'.length), 'base64url')).toHaveLength(32);
    const everything = JSON.stringify([
      state.store.prepare('SELECT * FROM tokens').all(),
      state.store.prepare('SELECT * FROM events').all(),
    ]);
    for (const bearer of bearers) expect(everything).not.toContain(bearer);
  });

  it('S02 none, wrong, revoked and expired are refused alike', () => {
    using state = testState();
    const access = build(state);
    const { token, bearer } = access.issue(request);
    expect(access.callerOfBearer(bearer)).toMatchObject({ kind: 'client', name: 'script', principal: `token:${token.tokenId}` });
    const wrong = refusalOf(() => access.callerOfBearer(`${bearer}x`));
    access.revoke(token.tokenId);
    const revoked = refusalOf(() => access.callerOfBearer(bearer));
    const other = access.issue(request).bearer;
    state.clock.advance(24 * 60 * 60 * 1000);
    const expired = refusalOf(() => access.callerOfBearer(other));
    const none = refusalOf(() => access.callerOfBearer(''));
    expect(wrong).toMatch(/^AUTH_REQUIRED /);
    expect([revoked, expired, none]).toEqual([wrong, wrong, wrong]);
  });

  it('B38 an expired token stays expired when the wall clock steps back', () => {
    using state = testState();
    const access = build(state);
    const { bearer } = access.issue(request);
    state.clock.advance(24 * 60 * 60 * 1000);
    expect(refusalOf(() => access.callerOfBearer(bearer))).toMatch(/^AUTH_REQUIRED/);
    state.clock.advance(-24 * 60 * 60 * 1000);
    expect(refusalOf(() => access.callerOfBearer(bearer))).toMatch(/^AUTH_REQUIRED/);
  });

  it('tells listeners of a revocation so that streams can be ended', () => {
    using state = testState();
    const access = build(state);
    const { token } = access.issue(request);
    const heard: string[] = [];
    access.onRevoked((tokenId) => heard.push(tokenId));
    access.revoke(token.tokenId);
    expect(heard).toEqual([token.tokenId]);
  });
});
