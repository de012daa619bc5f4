// The one place where anything thrown becomes a refusal. Our own faults never turn into a caller's code.
import { newId } from '#shared/ids.ts';
import type { Failure } from '#shared/failure.ts';
import type { z } from 'zod';
import type { Log } from '../base/log.ts';
import { Failed } from '../failed.ts';

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

/** INVALID_INPUT with the first five issues, at most 600 characters, without echoing values. */
export function invalidInput(operation: string, error: z.ZodError): Failed {
  const issues = error.issues.slice(0, ISSUES_MAX).map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
  const message = `${operation} does not take this input: ${issues.join('; ')}`;
  return new Failed('INVALID_INPUT', message.slice(0, MESSAGE_MAX), {
    recovery: 'Compare the call with the input schema of the tool.',
  });
}
