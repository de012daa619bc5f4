// A call that waits for the owner while its client waits for the call: it ends with the owner's answer, whatever that is.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalStatus } from '#shared/contracts/approvals.ts';
import { sha256 } from '../base/digest.ts';
import { productOver, type Product } from '../testing/product.ts';

let product: Product;
beforeEach(async () => {
  product = await productOver({ Makefile: 'all:\n' }, 'full');
  // Nobody listens here; a client is only told an address when there is one.
  product.app.address.consoleUrl = 'http://127.0.0.1:21731';
});
afterEach(() => product[Symbol.asyncDispose]());

const edit = () => ({
  ...product.context,
  path: 'Makefile',
  expectedHash: sha256('all:\n'),
  edits: [{ find: 'all', replace: 'every' }],
  idempotencyKey: 'edit-the-makefile',
});
const owner = async (operation: string, input: Record<string, unknown>) =>
  (
    await product.app.invoke({
      ...{ operation, input, context: {}, surface: 'test', session: 'owner' },
      caller: () => product.app.access.ownerCaller('owner'),
    })
  ).envelope;

interface Waiting {
  approvalId: string;
  argumentsHash: string;
  status: ApprovalStatus;
}

/** The request that waits, as soon as there is one. */
async function request(): Promise<Waiting> {
  for (;;) {
    const { data } = await owner('approval_list', { status: 'pending' });
    const [first] = data?.['approvals'] as Waiting[];
    if (first !== undefined) return first;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function decide(decision: 'approve' | 'deny', note?: string): Promise<void> {
  const { approvalId, argumentsHash } = await request();
  expect(
    (await owner('approval_decide', { approvalId, argumentsHash, decision, ...(note === undefined ? {} : { note }) })).error,
  ).toBeNull();
}

describe('a call whose client opened the page at once', () => {
  it.each([['legacy' as const], [{ pin: '2026-07-28' }]])('goes through when the owner allows it a moment later (%j)', async (mode) => {
    const client = await product.connect('opener', mode, { elicitation: { url: {} } });
    let opened: () => void = () => undefined;
    const atThePage = new Promise<void>((resolve) => (opened = resolve));
    client.setRequestHandler('elicitation/create', async () => {
      opened();
      return { action: 'accept' };
    });
    const done = product.call('edit_file', edit(), client);
    await atThePage;
    await decide('approve');
    expect((await done).error).toBeNull();
    expect(product.folder.bytes('Makefile').toString()).toBe('every:\n');
  });

  it('is refused with the words of the owner who denies it, and at once when its user turned away', async () => {
    const client = await product.connect('opener', 'legacy', { elicitation: { url: {} } });
    let action: 'accept' | 'decline' = 'decline';
    client.setRequestHandler('elicitation/create', async () => ({ action }));
    expect((await product.call('edit_file', edit(), client)).error?.code).toBe('APPROVAL_REQUIRED');
    action = 'accept';
    const refused = product.call('edit_file', edit(), client);
    await decide('deny', 'use the other file');
    expect((await refused).error).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('use the other file') as string });
  });
});

describe('approval_status', () => {
  it('waits for the answer as long as it was asked to', async () => {
    const asked = await product.call('edit_file', edit());
    const approvalId = asked.error?.detail?.['approvalId'];
    const look = (waitMs: number) => product.call('approval_status', { ...product.context, approvalId, waitMs });
    expect((await look(10)).data).toMatchObject({ status: 'pending' });
    const answer = look(20_000);
    await decide('approve');
    expect((await answer).data).toMatchObject({ status: 'approved' });
    expect((await look(20_000)).data).toMatchObject({ status: 'approved' });
  });
});
