// The pipeline over a real store: each step refuses with its own code, and no step is passed by.
import { describe, expect, it } from 'vitest';
import { Failed } from '../failed.ts';
import type { Asked } from '../operation.ts';
import { client, codeOf, context, world } from '../testing/pipeline.ts';
import { testState } from '../testing/state.ts';
import type { Invocation } from './invoke.ts';
import type { ApprovalPort } from './ports.ts';

describe('refusals before the handler', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown;
  const rows: [string, string, Partial<Invocation>][] = [
    ['a missing scope', 'FORBIDDEN', { caller: () => client({ scopes: new Set(['read']) }) }],
    ['a project outside the grant', 'WORKSPACE_ACCESS_REQUIRED', { caller: () => client({ projectIds: new Set(['prj_x']) }) }],
    ['no context', 'WORKSPACE_MISMATCH', { context: {} }],
    ['another workspace', 'WORKSPACE_MISMATCH', { context: { ...context, workspaceId: 'ws_2' } }],
    ['an old epoch', 'STALE_WORKSPACE', { context: { ...context, workspaceEpoch: 'ep_0' } }],
    ['too much input', 'RESOURCE_LIMIT', { input: { x: 'a'.repeat(1001) } }],
    ['an unknown member', 'INVALID_INPUT', { input: { x: 1, y: 2 } }],
    ['S24 __proto__', 'INVALID_INPUT', { input: JSON.parse('{"x":1,"__proto__":{"a":1}}') }],
    ['S24 deep nesting', 'RESOURCE_LIMIT', { input: { x: deep } }],
    ['S24 a huge exponent', 'INVALID_INPUT', { input: JSON.parse('{"x":1e999}') }],
    ['B06 half of a character', 'INVALID_INPUT', { input: { x: 1, idempotencyKey: 'half \ud83d of it' } }],
    ['an unknown operation', 'INVALID_INPUT', { operation: 'nope' }],
  ];
  it.each(rows)('%s -> %s', async (_what, code, over) => {
    using state = testState();
    const here = world(state);
    expect(await codeOf(here.call(over))).toBe(code);
    expect(here.ran).toEqual([]);
  });

  it('B06 takes a backslash before "ud83d", and whole characters', async () => {
    using state = testState();
    const here = world(state);
    for (const idempotencyKey of ['a\\ud83d path', 'a \\\\ud83d path', 'whole 😀 character'])
      expect(await codeOf(here.call({ input: { x: 1, idempotencyKey } }))).toBe('OK');
  });

  it('an unauthenticated caller learns no workspace id', async () => {
    using state = testState();
    const nobody = () => {
      throw new Failed('AUTH_REQUIRED', 'no');
    };
    const { envelope } = await world(state).call({ caller: nobody });
    expect(envelope).toMatchObject({ ok: false, workspaceId: null, workspaceEpoch: null, error: { code: 'AUTH_REQUIRED' } });
  });
});

describe('the account', () => {
  it('holds who, what and how it ended, for refusals too', async () => {
    using state = testState();
    const here = world(state);
    await here.call();
    await here.call({ input: {} });
    expect(here.events.map(({ body }) => [body['operation'], body['code'], body['arguments']])).toEqual([
      ['double', 'OK', { x: 1 }],
      ['double', 'INVALID_INPUT', {}],
    ]);
  });

  it('holds what was refused before it was read, as it was sent', async () => {
    using state = testState();
    const here = world(state);
    const stale = { ...context, workspaceEpoch: 'ep_0' };
    await here.call({ input: { x: 7, idempotencyKey: 'key-00001' }, context: stale });
    await here.call({ input: { x: 'seven', path: 'a.txt' } });
    await here.call({ input: ['x'] });
    await here.call({ input: { x: 'a'.repeat(1001) } });
    await here.call({ input: { x: JSON.parse(`${'['.repeat(400)}${']'.repeat(400)}`) as unknown } });
    const { x } = (here.events.at(-1)?.body['arguments'] ?? {}) as { x?: unknown };
    expect(JSON.stringify(x)).toHaveLength(800);
    expect(here.events.slice(0, 4).map(({ body }) => [body['code'], body['arguments']])).toEqual([
      ['STALE_WORKSPACE', { x: 7, idempotencyKey: 'key-00001' }],
      ['INVALID_INPUT', { x: 'seven', path: 'a.txt' }],
      ['INVALID_INPUT', {}],
      ['RESOURCE_LIMIT', {}],
    ]);
    await here.call({ input: { x: 7 } });
    expect(here.events.at(-1)?.body['argumentsHash']).toBe(here.events[0]?.body['argumentsHash']);
  });

  it('S05 says of a change whose right ended while it was made that it was carried out, also to the same key again', async () => {
    using state = testState();
    let isRevoked = false;
    const run = async () => ((isRevoked = true), { data: { doubled: 2 } });
    const here = world(state, { run });
    const input = { x: 1, idempotencyKey: 'key-00001' };
    const caller = () => client(isRevoked ? { scopes: new Set(['read']) } : {});
    const { envelope } = await here.call({ input, caller });
    expect(envelope).toMatchObject({
      data: null,
      error: { code: 'FORBIDDEN', message: expect.stringMatching(/was carried out.*withheld/) as string },
    });
    const again = await here.call({ input });
    expect([again.envelope.data, again.envelope.warnings.join().includes('replayed')]).toEqual([{ doubled: 2 }, true]);
  });

  it('leaves out what the owner only looks at, and nothing else', async () => {
    using state = testState();
    const here = world(state, { over: { action: 'read' } });
    await here.call({ caller: () => client({ kind: 'owner' }) });
    expect(here.events).toEqual([]);
    await here.call();
    const changing = world(state);
    await changing.call({ caller: () => client({ kind: 'owner' }) });
    expect([here.events.length, changing.events.length]).toEqual([1, 1]);
  });

  it('no account, no result', async () => {
    using state = testState();
    const here = world(state);
    here.isDiskFull = true;
    const { envelope } = await here.call();
    expect(envelope).toMatchObject({ ok: false, data: null, error: { code: 'INTERNAL_ERROR', retryable: true } });
  });

  it('an answer outside the contract is withheld', async () => {
    using state = testState();
    const here = world(state, { run: async () => ({ data: { doubled: 'two' } }) });
    const { envelope } = await here.call();
    expect(envelope).toMatchObject({ ok: false, data: null, error: { code: 'INTERNAL_ERROR' } });
    expect(JSON.stringify(envelope)).not.toContain('two');
  });

  it('an unknown throw tells an incident and nothing else', async () => {
    using state = testState();
    const run = async () => {
      throw new Error('secret path /home/me');
    };
    const { envelope } = await world(state, { run }).call();
    expect(envelope.error?.code).toBe('INTERNAL_ERROR');
    expect(JSON.stringify(envelope)).not.toContain('secret');
  });
});

describe('idempotency keys', () => {
  const keyed = (x: number) => ({ input: { x, idempotencyKey: 'key-00001' } });

  it('replay the first receipt and run once', async () => {
    using state = testState();
    const here = world(state);
    const first = (await here.call(keyed(3))).envelope;
    const second = (await here.call(keyed(3))).envelope;
    expect(here.ran).toEqual([3]);
    expect(second.data).toEqual(first.data);
    expect(second.warnings.join()).toContain('replayed');
  });

  it('refuse other arguments, and stand apart for another caller', async () => {
    using state = testState();
    const here = world(state);
    await here.call(keyed(3));
    expect(await codeOf(here.call(keyed(4)))).toBe('IDEMPOTENCY_CONFLICT');
    expect(await codeOf(here.call({ ...keyed(4), caller: () => client({ principal: 'token:2' }) }))).toBe('OK');
  });

  it('are free again after a plain refusal', async () => {
    using state = testState();
    let isFirst = true;
    const run = async () => {
      if (!isFirst) return { data: { doubled: 1 } };
      isFirst = false;
      throw new Failed('FILE_CHANGED', 'changed');
    };
    const here = world(state, { run });
    expect(await codeOf(here.call(keyed(1)))).toBe('FILE_CHANGED');
    expect(await codeOf(here.call(keyed(1)))).toBe('OK');
  });

  it('are never run again while it is not known how the call ended', async () => {
    using state = testState();
    let runs = 0;
    const run = async () => {
      runs += 1;
      throw new Error('power cut');
    };
    const here = world(state, { run });
    await here.call(keyed(1));
    expect(await codeOf(here.call(keyed(1)))).toBe('RECOVERY_REQUIRED');
    expect(runs).toBe(1);
  });

  it('hold for 24 hours', async () => {
    using state = testState();
    const here = world(state);
    await here.call(keyed(3));
    state.clock.advance(24 * 60 * 60 * 1000 - 1000);
    await here.call(keyed(3));
    expect(here.ran).toEqual([3]);
    state.clock.advance(2000);
    await here.call(keyed(3));
    expect(here.ran).toEqual([3, 3]);
  });
});

describe('asking', () => {
  const question: Asked = { summary: 'edit Makefile', reasons: ['r'], files: [] };

  it('S10 does not run what needs the owner, and the owner is not asked about the own call', async () => {
    using state = testState();
    const here = world(state, { asks: async () => question });
    const { envelope } = await here.call();
    expect(envelope.error).toMatchObject({ code: 'APPROVAL_REQUIRED', detail: { approvalId: 'apr_1' } });
    expect(here.ran).toEqual([]);
    expect(await codeOf(here.call({ caller: () => client({ kind: 'owner' }) }))).toBe('OK');
  });

  it('spends an approval together with the key, and a replay needs no second one', async () => {
    using state = testState();
    let left = 1;
    const approvals: ApprovalPort = {
      find: () => null,
      require: () => 'apr_1',
      spend() {
        if (left-- === 0) throw new Failed('APPROVAL_EXPIRED', 'spent');
      },
    };
    const here = world(state, { asks: async () => question, approvals });
    const input = { x: 3, idempotencyKey: 'key-00001' };
    expect(await codeOf(here.call({ input }))).toBe('OK');
    expect(await codeOf(here.call({ input }))).toBe('OK');
    expect(await codeOf(here.call({ input: { x: 4 } }))).toBe('APPROVAL_EXPIRED');
    expect(here.ran).toEqual([3]);
  });
});
