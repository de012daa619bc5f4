// Consents run out and are spent once; what nobody consented to is forgotten; secrets of the installation stay.
import { describe, expect, it } from 'vitest';
import { Failed } from '../../failed.ts';
import { testState, type TestState } from '../../testing/state.ts';
import { createEvents } from '../events/service.ts';
import { createClients } from './service.ts';

const build = (state: TestState) => createClients({ ...state, events: createEvents(state), audience: () => 'http://127.0.0.1:1/mcp' });
const request = {
  consentId: 'consent-1',
  clientId: 'c1',
  name: 'One',
  redirectHost: '127.0.0.1',
  scopes: ['read' as const, 'write' as const],
};
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Failed) return thrown.code;
    throw thrown;
  }
  return 'done';
}

describe('a consent', () => {
  it('is decided once, spent once, and only with its own proof', () => {
    using state = testState();
    const clients = build(state);
    clients.ask(request);
    clients.ask({ ...request, consentId: 'consent-2', clientId: 'c2' });
    expect(clients.finish('consent-1', '')).toBeNull();
    const { proof } = clients.decide({ consentId: 'consent-1', allow: true, scopes: ['read'] });
    const other = clients.decide({ consentId: 'consent-2', allow: true }).proof;
    expect(clients.show('consent-1').status).toBe('allowed');
    expect(codeOf(() => clients.decide({ consentId: 'consent-1', allow: false }))).toBe('CONFLICT');
    expect([clients.finish('consent-1', other), clients.finish('consent-1', `${proof}x`), clients.list()]).toEqual([null, null, []]);
    expect(clients.finish('consent-1', proof)).toEqual({ allowed: true, scopes: ['read'] });
    expect(clients.finish('consent-1', proof)).toBeNull();
    expect(clients.list()).toMatchObject([{ clientId: 'c1', scopes: ['read'] }]);
    expect(codeOf(() => clients.show('consent-1'))).toBe('NOT_FOUND');
  });

  it('runs out after ten minutes, decided or not', () => {
    using state = testState();
    const clients = build(state);
    clients.ask(request);
    clients.ask({ ...request, consentId: 'consent-2' });
    const { proof } = clients.decide({ consentId: 'consent-2', allow: true });
    state.clock.advance(10 * MINUTE_MS);
    expect(codeOf(() => clients.decide({ consentId: 'consent-1', allow: true }))).toBe('APPROVAL_EXPIRED');
    expect(clients.finish('consent-2', proof)).toBeNull();
  });

  it('given again takes the place of the one before, and shows what that was', () => {
    using state = testState();
    const clients = build(state);
    for (const [consentId, scopes] of [
      ['a', ['read', 'write']],
      ['b', ['read']],
    ] as const) {
      clients.ask({ ...request, consentId });
      clients.finish(consentId, clients.decide({ consentId, allow: true, scopes: [...scopes] }).proof);
    }
    clients.ask({ ...request, consentId: 'c' });
    expect(clients.show('c').known).toMatchObject({ clientId: 'c1', scopes: ['read'] });
    expect(clients.list()).toHaveLength(1);
    expect(clients.revoke('c1').revokedAt).toBe(state.clock.now());
    expect([clients.callers(), codeOf(() => clients.revoke('nobody'))]).toEqual([[], 'NOT_FOUND']);
  });
});

describe('what the authorization server keeps', () => {
  it('forgets a registration that no one consented to after a day, and keeps at most the newest 500 of them', async () => {
    using state = testState();
    const clients = build(state);
    const shelf = clients.shelf('Client');
    for (const id of ['c1', 'lost']) await shelf.upsert(id, { client_id: id });
    clients.ask(request);
    clients.finish('consent-1', clients.decide({ consentId: 'consent-1', allow: true }).proof);
    state.clock.advance(25 * HOUR_MS);
    expect([await shelf.find('c1'), await shelf.find('lost')]).toEqual([{ client_id: 'c1' }, undefined]);
    for (let n = 0; n < 510; n += 1) await shelf.upsert(`many-${n}`, { client_id: `many-${n}` });
    const found = await Promise.all(['c1', 'many-0', 'many-9', 'many-10', 'many-509'].map((id) => shelf.find(id)));
    expect(found.map((payload) => payload !== undefined)).toEqual([true, false, false, true, true]);
  });

  it('S05 finds a token by its text, keeps the digest alone, and makes a secret only once', async () => {
    using state = testState();
    const clients = build(state);
    const shelf = clients.shelf('RefreshToken');
    await shelf.upsert('the-secret', { jti: 'the-secret', clientId: 'c1', grantId: 'g' }, 60);
    await shelf.consume('the-secret');
    expect(await shelf.find('the-secret')).toMatchObject({ jti: 'the-secret', clientId: 'c1', consumed: expect.any(Number) as number });
    expect(JSON.stringify(state.store.prepare('SELECT * FROM oauth_artifacts').all())).not.toContain('the-secret');
    await shelf.revokeByGrantId('g');
    expect(await shelf.find('the-secret')).toBeUndefined();
    expect([clients.secret('k', () => 'first'), build(state).secret('k', () => 'second')]).toEqual(['first', 'first']);
  });
});
