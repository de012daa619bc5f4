// Who calls over stdio: each program by the name it gives itself, in both eras, the same one after it was started again.
import { describe, expect, it } from 'vitest';
import { productOver } from '../testing/product.ts';
import { sha256 } from '../base/digest.ts';

const files = { 'a.txt': 'alpha\n' };
const edit = { path: 'a.txt', expectedHash: sha256('alpha\n'), edits: [{ find: 'alpha', replace: 'beta' }] };

describe('stdio callers', () => {
  it.each([['legacy' as const], [{ pin: '2026-07-28' }]])('are told apart by what they call themselves (%j)', async (mode) => {
    await using product = await productOver(files, 'full');
    const { connect, call, context } = product;
    const [one, other] = [await connect('editor', mode), await connect('helper', mode)];
    const made = await call('edit_file', { ...context, ...edit, idempotencyKey: 'edit-of-one-program' }, one);
    expect(made.error).toBeNull();
    expect(product.calls().at(-1)?.caller).toEqual({ kind: 'stdio', name: 'editor', principal: 'stdio:editor' });

    const undo = { ...context, changesetId: made.data?.['changesetId'], idempotencyKey: 'undo-by-some-program' };
    expect((await call('rollback_changes', undo, other)).error?.code).toBe('FORBIDDEN');
    const again = await connect('editor', mode);
    expect((await call('edit_file', { ...context, ...edit, idempotencyKey: 'edit-of-one-program' }, again)).data).toEqual(made.data);
    expect((await call('rollback_changes', undo, again)).error).toBeNull();
  });

  it('have a bounded name, and one that says nothing is any program', async () => {
    await using product = await productOver(files, 'full');
    const { access } = product.app;
    expect(access.stdioCaller('p', 'x'.repeat(1000)).name).toHaveLength(64);
    expect(access.stdioCaller('p', '  ').principal).toBe(access.stdioCaller('p').principal);
  });
});
