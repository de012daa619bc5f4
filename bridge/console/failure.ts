// What a refusal is over the console's HTTP: one status for each of the codes, so that the table cannot lag behind them.
import type { Envelope } from '#shared/envelope.ts';
import type { Failure, FailureCode } from '#shared/failure.ts';
import { jsonAnswer } from '../base/http/headers.ts';

const statusOf: Record<FailureCode, number> = {
  AUTH_REQUIRED: 401,
  WORKSPACE_ACCESS_REQUIRED: 403,
  FORBIDDEN: 403,
  WORKSPACE_MISMATCH: 409,
  STALE_WORKSPACE: 409,
  PATH_DENIED: 403,
  SECRET_PATH_DENIED: 403,
  NOT_FOUND: 404,
  UNSUPPORTED_ENCODING: 415,
  UNSUPPORTED_LANGUAGE: 415,
  FILE_TOO_LARGE: 413,
  FILE_CHANGED: 409,
  AMBIGUOUS_EDIT: 409,
  PLAN_EXPIRED: 410,
  PLAN_HASH_MISMATCH: 409,
  APPROVAL_REQUIRED: 409,
  APPROVAL_EXPIRED: 410,
  IDEMPOTENCY_CONFLICT: 409,
  RESOURCE_LIMIT: 429,
  JOB_NOT_FOUND: 404,
  JOB_NOT_RUNNING: 409,
  TIMEOUT: 504,
  RECOVERY_REQUIRED: 409,
  PARTIAL_RECOVERY_REQUIRED: 409,
  MIGRATION_REVIEW_REQUIRED: 409,
  INVALID_INPUT: 400,
  NOT_SUPPORTED: 501,
  CONFLICT: 409,
  INTERNAL_ERROR: 500,
};

/** An envelope as an HTTP answer. */
export const envelopeAnswer = (envelope: Envelope, headers: Record<string, string> = {}): Response =>
  jsonAnswer(envelope.error === null ? 200 : statusOf[envelope.error.code], envelope, headers);

/** A refusal that never reached an operation, in the same envelope as one that did. */
export const failureAnswer = (failure: Failure, headers: Record<string, string> = {}): Response =>
  envelopeAnswer(
    { ok: false, workspaceId: null, workspaceEpoch: null, data: null, error: failure, warnings: [], truncated: false, nextCursor: null },
    headers,
  );
