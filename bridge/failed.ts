// The throwable form of a refusal. Nothing else is thrown on purpose; every other throw is our own fault.
import type { Failure, FailureCode } from '#shared/failure.ts';

/** Codes after which the same call may succeed unchanged. */
const retryable: ReadonlySet<FailureCode> = new Set(['TIMEOUT', 'APPROVAL_REQUIRED', 'RECOVERY_REQUIRED']);

export interface FailedMore {
  recovery?: string | undefined;
  detail?: Record<string, unknown> | undefined;
  retryable?: boolean;
  cause?: unknown;
}

export class Failed extends Error {
  readonly failure: Failure;

  constructor(code: FailureCode, message: string, more: FailedMore = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'Failed';
    this.failure = {
      code,
      message,
      retryable: more.retryable ?? retryable.has(code),
      ...(more.recovery === undefined ? {} : { recovery: more.recovery }),
      ...(more.detail === undefined ? {} : { detail: more.detail }),
    };
  }

  get code(): FailureCode {
    return this.failure.code;
  }
}

/** Ends the process at start-up with a documented exit code (handles: 1 failed, 2 usage, 3 owned, 4 port taken). */
export class Fatal extends Error {
  readonly exitCode: 1 | 2 | 3 | 4;

  constructor(exitCode: 1 | 2 | 3 | 4, message: string) {
    super(message);
    this.name = 'Fatal';
    this.exitCode = exitCode;
  }
}
