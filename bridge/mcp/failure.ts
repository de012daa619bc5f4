// How every failure code looks on this surface. Total by type: a new code does not compile until it is given a look.
import type { FailureCode } from '#shared/failure.ts';

/** JSON-RPC's own codes, and the first of the range it leaves to servers. */
export const rpc = { parseError: -32700, invalidRequest: -32600, internalError: -32603, refused: -32001 } as const;

/**
 * What a request is answered with when it is refused before it becomes a call. Once a call has begun, every code is an
 * `isError` result that the model can read, because a protocol error would hide the recovery from it.
 */
export interface Look {
  httpStatus: number;
  rpcCode: number;
}

const asResult: Look = { httpStatus: 400, rpcCode: rpc.invalidRequest };

export const looks: Record<FailureCode, Look> = {
  AUTH_REQUIRED: { httpStatus: 401, rpcCode: rpc.refused },
  FORBIDDEN: { httpStatus: 403, rpcCode: rpc.refused },
  WORKSPACE_ACCESS_REQUIRED: { httpStatus: 403, rpcCode: rpc.refused },
  INVALID_INPUT: { httpStatus: 400, rpcCode: rpc.parseError },
  RESOURCE_LIMIT: { httpStatus: 413, rpcCode: rpc.invalidRequest },
  INTERNAL_ERROR: { httpStatus: 500, rpcCode: rpc.internalError },
  WORKSPACE_MISMATCH: asResult,
  STALE_WORKSPACE: asResult,
  PATH_DENIED: asResult,
  SECRET_PATH_DENIED: asResult,
  NOT_FOUND: asResult,
  UNSUPPORTED_ENCODING: asResult,
  UNSUPPORTED_LANGUAGE: asResult,
  FILE_TOO_LARGE: asResult,
  FILE_CHANGED: asResult,
  AMBIGUOUS_EDIT: asResult,
  PLAN_EXPIRED: asResult,
  PLAN_HASH_MISMATCH: asResult,
  APPROVAL_REQUIRED: asResult,
  APPROVAL_EXPIRED: asResult,
  IDEMPOTENCY_CONFLICT: asResult,
  JOB_NOT_FOUND: asResult,
  JOB_NOT_RUNNING: asResult,
  TIMEOUT: asResult,
  RECOVERY_REQUIRED: asResult,
  PARTIAL_RECOVERY_REQUIRED: asResult,
  MIGRATION_REVIEW_REQUIRED: asResult,
  NOT_SUPPORTED: asResult,
  CONFLICT: asResult,
};

/** The JSON-RPC error of a request that was refused before it became a call. `id` is null when none could be read. */
export const rpcError = (code: number, message: string, id: string | number | null = null) => ({
  jsonrpc: '2.0' as const,
  id,
  error: { code, message },
});
