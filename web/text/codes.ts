// Whether a code of a recorded call is one of the refusal codes.
import type { FailureCode } from '#shared/failure.ts';

export function failureCodeOf(code: string | undefined, known: Record<FailureCode, string>): FailureCode | null {
  return code !== undefined && Object.hasOwn(known, code) ? (code as FailureCode) : null;
}
