// Why a call has no result: the bridge refused it, or no answer came. The second kind is local and never travels.
import type { Failure } from '#shared/failure.ts';

/** The bridge answered, and the answer is no. */
export class Refused extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'Refused';
    this.failure = failure;
  }
}

/** No answer came, or none that can be read: whether the call was carried out is not known. */
export class LinkLost extends Error {
  constructor(cause: unknown) {
    super('The bridge did not answer.', { cause });
    this.name = 'LinkLost';
  }
}

export type Problem = { kind: 'refused'; failure: Failure } | { kind: 'lost' };

/** What to show of a thrown value. Anything that is neither of the two is our own fault and goes on. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Refused) return { kind: 'refused', failure: thrown.failure };
  if (thrown instanceof LinkLost) return { kind: 'lost' };
  throw thrown;
}
