// Receipts for idempotency keys: kept 24 h, replayed for the same arguments, and never run again while the outcome is uncertain.
import { newId } from '#shared/ids.ts';
import type { Clock } from '../base/clock.ts';
import type { Store } from '../base/store/store.ts';
import { Failed } from '../failed.ts';

/** What a key is scoped to: the same key of another caller, project or operation is another key. */
export interface KeyScope {
  principal: string;
  workspace: string;
  operation: string;
  key: string;
}

export interface Receipt {
  data: Record<string, unknown>;
  warnings: string[];
}

interface Row {
  reservation: string;
  arguments_hash: string;
  state: 'reserved' | 'settled';
  receipt: string | null;
}

export interface Idempotency {
  /** The settled receipt of this key for these arguments, if there is one. Throws IDEMPOTENCY_CONFLICT or RECOVERY_REQUIRED. */
  replay(scope: KeyScope, argumentsHash: string): Receipt | null;
  /** Durably reserves the key before the handler runs. */
  reserve(scope: KeyScope, argumentsHash: string): string;
  /** Reservations that no receipt has settled. At boot no call runs, so each of them was cut off. */
  unsettled(): string[];
  settle(reservation: string, receipt: Receipt): void;
  /** Frees the key: nothing was done under it. */
  release(reservation: string): void;
}

export const RETENTION_MS = 24 * 60 * 60 * 1000;

export function createIdempotency(store: Store, clock: Clock): Idempotency {
  const find = store.prepare<[string, string, string, string, number], Row>(
    'SELECT reservation, arguments_hash, state, receipt FROM idempotency WHERE principal = ? AND workspace = ? AND operation = ? AND key = ? AND expires_at > ?',
  );
  const purge = store.prepare('DELETE FROM idempotency WHERE expires_at <= ?');
  const insert = store.prepare(
    "INSERT INTO idempotency (reservation, principal, workspace, operation, key, arguments_hash, state, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, 'reserved', ?, ?)",
  );
  const settle = store.prepare("UPDATE idempotency SET state = 'settled', receipt = ? WHERE reservation = ?");
  const unsettled = store.prepare<[], { reservation: string }>("SELECT reservation FROM idempotency WHERE state = 'reserved'");
  const release = store.prepare("DELETE FROM idempotency WHERE reservation = ? AND state = 'reserved'");

  return {
    replay(scope, argumentsHash) {
      const row = find.get(scope.principal, scope.workspace, scope.operation, scope.key, clock.now());
      if (row === undefined) return null;
      if (row.arguments_hash !== argumentsHash)
        throw new Failed('IDEMPOTENCY_CONFLICT', 'This idempotency key was used with other arguments. Nothing was done.', {
          recovery: 'Use a fresh key for a new intent.',
        });
      if (row.state === 'reserved' || row.receipt === null)
        throw new Failed(
          'RECOVERY_REQUIRED',
          'A call with this key is still running, or how it ended is not known; it was not run again.',
          {
            recovery: 'Read the files it would have changed, or ask again later with the same key.',
          },
        );
      return JSON.parse(row.receipt) as Receipt;
    },
    reserve(scope, argumentsHash) {
      const reservation = newId('idm');
      const now = clock.now();
      store.transaction(() => {
        purge.run(now);
        insert.run(reservation, scope.principal, scope.workspace, scope.operation, scope.key, argumentsHash, now, now + RETENTION_MS);
      })();
      return reservation;
    },
    unsettled: () => unsettled.all().map((row) => row.reservation),
    settle: (reservation, receipt) => void settle.run(JSON.stringify(receipt), reservation),
    release: (reservation) => void release.run(reservation),
  };
}
