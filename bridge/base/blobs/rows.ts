// The rows of the blob store: how large each blob is, where its bytes lie, when it was last used, and when it was dropped.
import type { Store } from '../store/store.ts';

export interface Row {
  hash: string;
  bytes: number;
  dropped_at: number | null;
  /** The blob whose file holds these bytes; null: a file of its own. */
  pack: string | null;
  /** From which byte on. */
  at: number | null;
  is_pack: 0 | 1;
}

export interface Totals {
  blobs: number;
  bytes: number;
  /** What was dropped so far to stay under the cap. */
  droppedBlobs: number;
  droppedBytes: number;
}

/** Where bytes were just put. */
export interface Placing {
  bytes: number;
  pack: string | null;
  at: number | null;
  isPack: boolean;
}

const COLUMNS = 'hash, bytes, dropped_at, pack, at, is_pack';

export function openRows(store: Store) {
  const find = store.prepare<[string], Row>(`SELECT ${COLUMNS} FROM blobs WHERE hash = ?`);
  // The bytes of a packed blob are counted with its pack, because they go only together.
  const totals = store.prepare<[], Totals>(
    `SELECT COUNT(*) FILTER (WHERE dropped_at IS NULL AND is_pack = 0) AS blobs,
     COALESCE(SUM(bytes) FILTER (WHERE dropped_at IS NULL AND pack IS NULL), 0) AS bytes,
     COUNT(*) FILTER (WHERE dropped_at IS NOT NULL AND is_pack = 0) AS droppedBlobs,
     COALESCE(SUM(bytes) FILTER (WHERE dropped_at IS NOT NULL AND pack IS NULL), 0) AS droppedBytes FROM blobs`,
  );
  const place = store.prepare<Placing & { hash: string; usedAt: number; packed: 0 | 1 }>(
    `INSERT INTO blobs (hash, bytes, used_at, pack, at, is_pack) VALUES (@hash, @bytes, @usedAt, @pack, @at, @packed)
     ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at, dropped_at = NULL, pack = excluded.pack, at = excluded.at,
     is_pack = MAX(is_pack, excluded.is_pack)`,
  );
  const use = store.prepare<[number, string, string]>(
    'UPDATE blobs SET used_at = ? WHERE hash = COALESCE((SELECT pack FROM blobs WHERE hash = ?), ?)',
  );
  const byAge = store.prepare<[], Row>(`SELECT ${COLUMNS} FROM blobs WHERE dropped_at IS NULL AND pack IS NULL ORDER BY used_at, hash`);
  const members = store.prepare<[string], { hash: string }>('SELECT hash FROM blobs WHERE pack = ? AND dropped_at IS NULL');
  const drop = store.prepare<[number, string, string]>(
    'UPDATE blobs SET dropped_at = ? WHERE dropped_at IS NULL AND (hash = ? OR pack = ?)',
  );

  const isNeeded = (row: Row, needed: ReadonlySet<string>): boolean =>
    needed.has(row.hash) || (row.is_pack === 1 && members.all(row.hash).some(({ hash }) => needed.has(hash)));

  return {
    find: (hash: string): Row | undefined => find.get(hash),
    isKept: (hash: string): boolean => find.get(hash)?.dropped_at === null,
    totals: (): Totals => totals.get() ?? { blobs: 0, bytes: 0, droppedBlobs: 0, droppedBytes: 0 },
    /** Its bytes are there now. */
    place: (hash: string, placing: Placing, usedAt: number) => void place.run({ ...placing, hash, usedAt, packed: placing.isPack ? 1 : 0 }),
    use: (hash: string, usedAt: number) => void use.run(usedAt, hash, hash),
    /** The files that were used longest ago and hold nothing that anybody needs, until they make up `bytes`. */
    oldest(bytes: number, needed: ReadonlySet<string>): Row[] {
      const doomed: Row[] = [];
      let room = 0;
      for (const row of byAge.iterate()) {
        if (room >= bytes) break;
        if (isNeeded(row, needed)) continue;
        doomed.push(row);
        room += row.bytes;
      }
      return doomed;
    },
    drop: store.transaction((rows: readonly Row[], at: number) => {
      for (const row of rows) drop.run(at, row.hash, row.hash);
    }),
  };
}
