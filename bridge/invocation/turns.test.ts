// Changes in one project through the pipeline: one at a time, and what a wait can have changed counts.
import { describe, expect, it } from 'vitest';
import { client, codeOf, newGate, world } from '../testing/pipeline.ts';
import { testState } from '../testing/state.ts';

describe('the queue', () => {
  it('runs one change at a time, in order, and refuses a line that is too long or too slow', async () => {
    using state = testState();
    const gate = newGate();
    const order: number[] = [];
    const run = async (input: Record<string, unknown>) => {
      order.push(input['x'] as number);
      if (input['x'] === 1) await gate.promise;
      return { data: { doubled: 0 } };
    };
    const here = world(state, { run });
    const first = here.call();
    const second = codeOf(here.call({ input: { x: 2 } }));
    const third = codeOf(here.call({ input: { x: 3 } }));
    expect(await codeOf(here.call({ input: { x: 4 } }))).toBe('RESOURCE_LIMIT');
    expect(await second).toBe('TIMEOUT');
    expect(await third).toBe('TIMEOUT');
    const fifth = codeOf(here.call({ input: { x: 5 } }));
    gate.resolve();
    expect([await codeOf(first), await fifth]).toEqual(['OK', 'OK']);
    expect(order).toEqual([1, 5]);
  });

  it('S05 a right that was revoked during the wait is gone when the turn comes', async () => {
    using state = testState();
    const gate = newGate();
    const ran: number[] = [];
    const run = async (input: Record<string, unknown>) => {
      ran.push(input['x'] as number);
      if (input['x'] === 1) await gate.promise;
      return { data: { doubled: 0 } };
    };
    const here = world(state, { run });
    let isRevoked = false;
    const first = here.call();
    const second = here.call({ input: { x: 2 }, caller: () => client(isRevoked ? { scopes: new Set() } : {}) });
    await new Promise((resolve) => setImmediate(resolve));
    isRevoked = true;
    gate.resolve();
    await first;
    expect(await codeOf(second)).toBe('FORBIDDEN');
    expect(ran).toEqual([1]);
  });

  it('a receipt is read beside a change that is under way', async () => {
    using state = testState();
    const gate = newGate();
    const run = async (input: Record<string, unknown>) => {
      if (input['x'] === 2) await gate.promise;
      return { data: { doubled: 0 } };
    };
    const here = world(state, { run });
    const input = { x: 1, idempotencyKey: 'key-00001' };
    expect(await codeOf(here.call({ input }))).toBe('OK');
    const under = here.call({ input: { x: 2 } });
    const { envelope } = await here.call({ input });
    expect(envelope.warnings.join()).toMatch(/replayed/);
    gate.resolve();
    expect(await codeOf(under)).toBe('OK');
  });

  it('a cancelled wait does nothing', async () => {
    using state = testState();
    const gate = newGate();
    const run = async () => (await gate.promise, { data: { doubled: 0 } });
    const here = world(state, { run });
    const first = here.call();
    const controller = new AbortController();
    const second = here.call({ input: { x: 2 }, signal: controller.signal });
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await codeOf(second)).toBe('CONFLICT');
    gate.resolve();
    expect(await codeOf(first)).toBe('OK');
  });
});
