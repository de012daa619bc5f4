// The one place where anything thrown becomes a refusal. Our own faults never turn into a caller's code.
import { newId } from '#shared/ids.ts';
import type { Failure } from '#shared/failure.ts';
import type { z } from 'zod';
import type { Log } from '../base/log.ts';
import { Failed } from '../failed.ts';
import { complaintOf } from './complaints.ts';

/** A refusal as it goes on the wire. An unknown throw is logged under an incident id and told nothing about. */
export function normalise(thrown: unknown, log: Log): Failure {
  if (thrown instanceof Failed) return thrown.failure;
  const incident = newId('inc');
  log.error({ incident, err: thrown }, 'internal error');
  return {
    code: 'INTERNAL_ERROR',
    message: 'Drawbridge met a fault of its own; look at the receipt before you repeat a change.',
    retryable: false,
    detail: { incident },
  };
}

const ISSUES_MAX = 5;
const MESSAGE_MAX = 600;

/** INVALID_INPUT with the first few of what does not fit, in our words and bounded; the rest is counted. */
export function invalidInput(operation: string, error: z.ZodError, raw: unknown): Failed {
  let message = `${operation} does not take this input`;
  let told = 0;
  for (const issue of error.issues.slice(0, ISSUES_MAX)) {
    const sentence = complaintOf(issue, raw);
    if (message.length + sentence.length > MESSAGE_MAX) break;
    message += `${told === 0 ? ': ' : '; '}${sentence}`;
    told += 1;
  }
  const more = error.issues.length - told;
  return new Failed('INVALID_INPUT', `${message}${more > 0 ? ` (and ${more} more)` : ''}. Nothing was done.`, {
    recovery: 'Compare the call with the input schema of the operation.',
  });
}
