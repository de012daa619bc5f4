// Where a search goes on: each cursor is used once, soon, by the caller it was given to, for the very same question.
import { newId } from '#shared/ids.ts';
import type { Clock } from '../../base/clock.ts';
import { Failed } from '../../failed.ts';

/** The last result that was given; the next page begins after it. */
export interface Position {
  path: string;
  line: number;
}

export interface Cursors {
  give(binding: string, position: Position): string;
  /** Throws INVALID_INPUT for a cursor that is used, old, or someone else's. */
  take(cursor: string, binding: string): Position;
}

const KEPT_MS = 5 * 60 * 1000;
const KEPT_MAX = 500;

export function createCursors(clock: Clock): Cursors {
  const given = new Map<string, { binding: string; position: Position; expiresAt: number }>();
  return {
    give(binding, position) {
      const cursor = newId('cur');
      given.set(cursor, { binding, position, expiresAt: clock.monotonic() + KEPT_MS });
      const [oldest] = given.keys();
      if (given.size > KEPT_MAX && oldest !== undefined) given.delete(oldest);
      return cursor;
    },
    take(cursor, binding) {
      const found = given.get(cursor);
      // Another caller's cursor stays usable for the one it belongs to.
      if (found?.binding === binding) given.delete(cursor);
      if (found === undefined || found.binding !== binding || found.expiresAt <= clock.monotonic())
        throw new Failed('INVALID_INPUT', 'This cursor is used, expired, or belongs to another search.', {
          recovery: 'Repeat the search without a cursor.',
        });
      return found.position;
    },
  };
}
