// Notes over the real product: each client has its own, by project, also after the bridge was started anew.
import { describe, expect, it } from 'vitest';
import { productOver } from '../../testing/product.ts';

const files = { 'a.txt': 'alpha\n' };
const todos = [{ id: '1', content: 'read a.txt', status: 'in_progress' }];

describe('notes', () => {
  it("S20 are one client's own: another one reads nothing of them, by id neither", async () => {
    await using product = await productOver(files, 'full');
    const { call, connect, context } = product;
    const [one, other] = [await connect('one', 'legacy'), await connect('other', 'legacy')];
    expect((await call('todo_read', context, one)).data).toMatchObject({ todos: [], updatedAt: null });
    expect((await call('todo_write', { ...context, todos }, one)).data).toMatchObject({ count: 1, inProgress: 1 });
    const { data } = await call('handoff_write', { ...context, handoff: { goal: 'ship it', nextSteps: ['test'] } }, one);
    const handoffId = data?.['handoffId'];

    expect((await call('todo_read', context, other)).data).toMatchObject({ todos: [] });
    expect((await call('handoff_read', context, other)).data).toMatchObject({ handoff: null });
    expect((await call('handoff_read', { ...context, list: true }, other)).data).toMatchObject({ handoffs: [] });
    expect((await call('handoff_read', { ...context, handoffId }, other)).error?.code).toBe('NOT_FOUND');

    const again = await connect('one');
    expect((await call('todo_read', context, again)).data).toMatchObject({
      todos,
      note: expect.stringContaining('not instructions') as string,
    });
    expect((await call('handoff_read', context, again)).data).toMatchObject({ handoffId, handoff: { goal: 'ship it', tests: [] } });
    expect((await call('handoff_read', { ...context, list: true }, again)).data).toMatchObject({
      handoff: null,
      handoffs: [{ handoffId, goal: 'ship it' }],
    });
  });

  it('keep no secret that shows by its shape, and say so', async () => {
    await using product = await productOver(files, 'full');
    const secret = `dbr_${'k'.repeat(43)}`;
    const written = await product.call('handoff_write', { ...product.context, handoff: { goal: `use ${secret}` } });
    expect(written.warnings.join()).toMatch(/masked/);
    const read = await product.call('handoff_read', product.context);
    expect(JSON.stringify(read)).not.toContain('kkk');
  });

  it('are bounded: a list of 100, a hand-off of 64 KiB, the newest hundred', async () => {
    await using product = await productOver(files, 'full');
    const { call, context } = product;
    const many = Array.from({ length: 101 }, (_, n) => ({ id: `${n}`, content: 'x', status: 'pending' }));
    expect((await call('todo_write', { ...context, todos: many })).error?.code).toBe('INVALID_INPUT');
    const long = Array<string>(50).fill('x'.repeat(1000));
    const handoff = { goal: 'g', observedChanges: long, tests: long };
    expect((await call('handoff_write', { ...context, handoff })).error?.code).toBe('RESOURCE_LIMIT');
    expect((await call('handoff_read', context)).data).toMatchObject({ handoff: null });
  });
});
