// Addresses survive a reload, and nothing in one can point the console at another bridge.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRoute, linkCode, openKinds, parseRoute, screens } from './route.ts';

describe('parseRoute', () => {
  it.each([
    ['', 'now', null],
    ['#/', 'now', null],
    ['#/now', 'now', null],
    ['#/approvals/apr_1', 'approvals', { kind: 'approval', id: 'apr_1' }],
    ['#/approvals', 'approvals', null],
    ['#/now/approval/apr_1', 'now', { kind: 'approval', id: 'apr_1' }],
    ['#/projects/prj_1', 'projects', { kind: 'project', id: 'prj_1' }],
    ['#/activity/call/12', 'activity', { kind: 'call', id: '12' }],
    ['#/activity/change/chg_1?q=a%20b', 'activity', { kind: 'change', id: 'chg_1' }],
    ['#/connections/token/tok_1', 'connections', { kind: 'token', id: 'tok_1' }],
    ['#/nowhere', 'unknown', null],
    ['#/activity/12', 'unknown', null],
    ['#/now/call', 'unknown', null],
    ['#/%E0%A4%A', 'unknown', null],
  ])('reads %s', (hash, screen, open) => {
    expect(parseRoute(hash)).toMatchObject({ screen, open });
  });

  it('is the inverse of formatRoute', () => {
    const open = fc.option(fc.record({ kind: fc.constantFrom(...openKinds), id: fc.string({ minLength: 1 }) }));
    const query = fc.dictionary(fc.constantFrom('q', 'project', 'show'), fc.string());
    fc.assert(
      fc.property(fc.constantFrom(...screens), open, query, (screen, opened, search) => {
        const route = { screen, open: opened, query: { ...search } };
        expect(parseRoute(formatRoute(route))).toEqual(route);
      }),
    );
  });

  it.each(['#bridge=wss://evil.example', '#/now?bridge=wss://evil.example', '#/https://evil.example'])(
    'S03 finds no address to connect to in %s',
    (hash) => {
      expect(linkCode(hash)).toBeNull();
      expect(JSON.stringify({ ...parseRoute(hash), query: {} })).not.toContain('evil');
    },
  );
});

describe('linkCode', () => {
  it('takes the one-time code and nothing around it', () => {
    expect(linkCode('#link=abcDEF_12-34')).toBe('abcDEF_12-34');
    expect(linkCode('#link=abcdefgh&x=1')).toBeNull();
    expect(linkCode('#/now')).toBeNull();
  });
});
