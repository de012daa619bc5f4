// Which deletions cannot be taken back, because their bytes find no room; and that none of them is done unless the owner was asked.
import type { Blobs, Free } from '../../base/blobs/blobs.ts';
import { Failed } from '../../failed.ts';
import type { Caller } from '../../operation.ts';
import { isUndoable, type Step } from './step.ts';

/** Judges the steps of one change in their order; each large deletion that can be kept takes its room from the next. */
export function createJudge(blobs: Blobs): (made: Step) => Step {
  let free: Free | null = null;
  return (made) => {
    const { action, before } = made;
    if (action !== 'delete' || before === null || before.bytes !== null || blobs.has(before.hash)) return made;
    free ??= { ...blobs.free() };
    if (before.size > free.bytes) return { ...made, loss: reasonOf(before.size, free.by, blobs.usage().capBytes) };
    free.bytes -= before.size;
    return made;
  };
}

/** Of the file and the cap alone, so that it is the same reason when it is asked about again. */
const reasonOf = (bytes: number, by: Free['by'], capBytes: number): string =>
  by === 'cap'
    ? `its ${bytes} bytes find no room among the ${capBytes} bytes that may be kept`
    : `the disk has no room to keep its ${bytes} bytes`;

/** The calls whose question named a loss, by their input itself: it is the same object when the call is carried out. */
export function createLosses() {
  const asked = new WeakSet<object>();
  return {
    /** To be called for every question, so that the last one counts. */
    note(input: object, steps: readonly Step[]): void {
      if (steps.every(isUndoable)) asked.delete(input);
      else asked.add(input);
    },
    /** The room may have gone while the call waited for its turn. The owner's own calls are the owner's decision already. */
    refuseUnasked(caller: Caller, input: object | null, steps: readonly Step[]): void {
      const lost = steps.find((made) => !isUndoable(made));
      if (lost === undefined || caller.kind === 'owner' || (input !== null && asked.has(input))) return;
      throw new Failed('RESOURCE_LIMIT', `${JSON.stringify(lost.path)} cannot be kept any more: ${lost.loss ?? ''}. Nothing was changed.`, {
        recovery: 'Send the call again; the owner is asked then.',
        retryable: true,
        detail: { path: lost.path, bytes: lost.before?.size ?? 0 },
      });
    },
  };
}
