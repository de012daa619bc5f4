// The rows of the blob store: how large each blob is, when it was last used, and when it was dropped.
import type { Store } from '../store/store.ts';

export interface Row {
  hash: string;
  bytes: number;
  dropped_at: number | null;
}

export interface Totals {
  blobs: number;
  bytes: number;
  /** What was dropped so far to stay under the cap. */
  droppedBlobs: number;
  droppedBytes: number;
}

export function openRows(store: Store) {
  const find = store.prepare<[string], Row>('SELECT hash, bytes, dropped_at FROM blobs WHERE hash = ?');
  const totals = store.prepare<[], Totals>(
    `SELECT COUNT(*) FILTER (WHERE dropped_at IS NULL) AS blobs, COALESCE(SUM(bytes) FILTER (WHERE dropped_at IS NULL), 0) AS bytes,
     COUNT(*) FILTER (WHERE dropped_at IS NOT NULL) AS droppedBlobs, COALESCE(SUM(bytes) FILTER (WHERE dropped_at IS NOT NULL), 0) AS droppedBytes
     FROM blobs`,
  );
  const upsert = store.prepare<[string, number, number]>(
    'INSERT INTO blobs (hash, bytes, used_at) VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at, dropped_at = NULL',
  );
  const byAge = store.prepare<[], Row>('SELECT hash, bytes, dropped_at FROM blobs WHERE dropped_at IS NULL ORDER BY used_at, hash');
  const drop = store.prepare<[number, string]>('UPDATE blobs SET dropped_at = ? WHERE hash = ?');

  return {
    isKept: (hash: string): boolean => find.get(hash)?.dropped_at === null,
    isKnown: (hash: string): boolean => find.get(hash) !== undefined,
    isDropped: (hash: string): boolean => typeof find.get(hash)?.dropped_at === 'number',
    totals: (): Totals => totals.get() ?? { blobs: 0, bytes: 0, droppedBlobs: 0, droppedBytes: 0 },
    record: (hash: string, use: { bytes: number; at: number }) => void upsert.run(hash, use.bytes, use.at),
    /** The blobs that were used longest ago and nobody needs, until they make up `bytes`. */
    oldest(bytes: number, needed: ReadonlySet<string>): Row[] {
      const doomed: Row[] = [];
      let room = 0;
      for (const row of byAge.iterate()) {
        if (room >= bytes) break;
        if (needed.has(row.hash)) continue;
        doomed.push(row);
        room += row.bytes;
      }
      return doomed;
    },
    drop: store.transaction((rows: readonly Row[], at: number) => {
      for (const row of rows) drop.run(at, row.hash);
    }),
  };
}
