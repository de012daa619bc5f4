// The closed list of codes a refused call can answer, and the shape a refusal has on every wire.
import { z } from 'zod';

/** The 29 wire codes, in the contract's order (behaviour 0). Nothing else ever crosses a surface. */
export const failureCodes = [
  'AUTH_REQUIRED',
  'WORKSPACE_ACCESS_REQUIRED',
  'FORBIDDEN',
  'WORKSPACE_MISMATCH',
  'STALE_WORKSPACE',
  'PATH_DENIED',
  'SECRET_PATH_DENIED',
  'NOT_FOUND',
  'UNSUPPORTED_ENCODING',
  'UNSUPPORTED_LANGUAGE',
  'FILE_TOO_LARGE',
  'FILE_CHANGED',
  'AMBIGUOUS_EDIT',
  'PLAN_EXPIRED',
  'PLAN_HASH_MISMATCH',
  'APPROVAL_REQUIRED',
  'APPROVAL_EXPIRED',
  'IDEMPOTENCY_CONFLICT',
  'RESOURCE_LIMIT',
  'JOB_NOT_FOUND',
  'JOB_NOT_RUNNING',
  'TIMEOUT',
  'RECOVERY_REQUIRED',
  'PARTIAL_RECOVERY_REQUIRED',
  'MIGRATION_REVIEW_REQUIRED',
  'INVALID_INPUT',
  'NOT_SUPPORTED',
  'CONFLICT',
  'INTERNAL_ERROR',
] as const;

export type FailureCode = (typeof failureCodes)[number];

export const Failure = z.object({
  code: z.enum(failureCodes),
  message: z.string().describe('One plain sentence: what happened and what was not touched.'),
  retryable: z.boolean().describe('True when the same call can succeed later without a change to it.'),
  recovery: z.string().optional().describe('The next step, when there is one.'),
  detail: z.record(z.string(), z.unknown()).optional().describe('Facts a caller can act on, by code.'),
});
export type Failure = z.infer<typeof Failure>;
