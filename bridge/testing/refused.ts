// A call that has to be refused, and the proof that nothing at all came of it.
import { expect } from 'vitest';
import type { Desk } from './desk.ts';

/** Runs a call that has to be refused, and proves that no byte, no name and no change came of it. */
export async function refused(at: Desk, operation: string, input: Record<string, unknown>) {
  const before = at.snapshot();
  const failure = await at.call(operation, input).then(
    () => {
      throw new Error('The call was not refused.');
    },
    (error: { failure?: { code: string; message: string; detail?: Record<string, unknown> } }) => error.failure,
  );
  if (failure === undefined) throw new Error('The refusal is not one of ours.');
  expect(at.snapshot()).toEqual(before);
  expect((await at.call('change_history', {})).data['changesets']).toEqual([]);
  expect(failure.message).not.toContain(at.ws.root);
  return failure;
}
