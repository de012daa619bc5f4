// The tables of manifests: an entry holds from one generation until another, so that an old manifest stays whole while a newer one is made.
import type { Meta } from '../../base/fs/meta.ts';
import type { Store } from '../../base/store/store.ts';
import type { Kind } from '../changes/service.ts';
import type { Entry, Why } from './entry.ts';

export interface ObservationRow {
  observation_id: string;
  project_id: string;
  generation: number;
  /** Of the newest change of the journal when it was made. */
  ordinal: number;
  state: 'open' | 'settled';
  principal: string;
  caller_name: string;
  operation: string;
  label: string;
  changeset_id: string | null;
  created_at: number;
  settled_at: number | null;
}

interface EntryRow {
  project_id: string;
  path: string;
  since: number;
  kind: Kind | 'blind';
  why: Why | null;
  is_folder: 0 | 1;
  is_racy: 0 | 1;
  dev: number;
  ino: number;
  size: number;
  mtime_ms: number;
  ctime_ms: number;
  meta: string | null;
  hash: string | null;
}

/** An entry and the generation from which on it holds. */
export interface Dated {
  entry: Entry;
  since: number;
}

export type ManifestRows = ReturnType<typeof manifestRows>;

export function manifestRows(store: Store) {
  const insert = store.prepare<[EntryRow]>(
    `INSERT INTO manifest_entries
       (project_id, path, since, until, kind, why, is_folder, is_racy, dev, ino, size, mtime_ms, ctime_ms, meta, hash)
     VALUES (@project_id, @path, @since, NULL, @kind, @why, @is_folder, @is_racy, @dev, @ino, @size, @mtime_ms, @ctime_ms, @meta, @hash)`,
  );
  const latest = store.prepare<[string], EntryRow>('SELECT * FROM manifest_entries WHERE project_id = ? AND until IS NULL');
  const ended = store.prepare<[string, number, number], EntryRow>(
    'SELECT * FROM manifest_entries WHERE project_id = ? AND since <= ? AND until > ?',
  );
  return {
    add: (projectId: string, { entry, since }: Dated) => void insert.run(toRow(projectId, { entry, since })),
    end: store.prepare<[number, string, string]>(
      'UPDATE manifest_entries SET until = ? WHERE project_id = ? AND path = ? AND until IS NULL',
    ),
    latest: (projectId: string): Dated[] => latest.all(projectId).map(toDated),
    /** What held in a generation and was replaced since. */
    endedSince: (projectId: string, generation: number): Entry[] =>
      ended.all(projectId, generation, generation).map((row) => toDated(row).entry),
    newest: store.prepare<[string, string], { generation: number }>(
      `SELECT MAX(COALESCE((SELECT MAX(MAX(since), COALESCE(MAX(until), 0)) FROM manifest_entries WHERE project_id = ?), 0),
        COALESCE((SELECT MAX(generation) FROM observations WHERE project_id = ?), 0)) AS generation`,
    ),
    /** What no open observation needs any more. */
    purge: store.prepare<{ projectId: string }>(
      `DELETE FROM manifest_entries WHERE project_id = @projectId AND until IS NOT NULL AND until <=
         COALESCE((SELECT MIN(generation) FROM observations WHERE project_id = @projectId AND state = 'open'), 9223372036854775807)`,
    ),
    /** The bytes that open observations may have to put back. */
    needed: store.prepare<[], { hash: string }>(
      `SELECT DISTINCT hash FROM manifest_entries JOIN observations USING (project_id)
       WHERE observations.state = 'open' AND hash IS NOT NULL AND kind <> 'blind' AND since <= generation AND (until IS NULL OR until > generation)`,
    ),
    open: store.prepare<[], ObservationRow>("SELECT * FROM observations WHERE state = 'open' ORDER BY created_at, rowid"),
    byId: store.prepare<[string], ObservationRow>('SELECT * FROM observations WHERE observation_id = ?'),
    insertObservation: store.prepare<[ObservationRow]>(
      `INSERT INTO observations (observation_id, project_id, generation, ordinal, state, principal, caller_name, operation, label,
         changeset_id, created_at, settled_at)
       VALUES (@observation_id, @project_id, @generation, @ordinal, @state, @principal, @caller_name, @operation, @label,
         @changeset_id, @created_at, @settled_at)`,
    ),
    settle: store.prepare<[string | null, number, string]>(
      "UPDATE observations SET state = 'settled', changeset_id = ?, settled_at = ? WHERE observation_id = ? AND state = 'open'",
    ),
    forget: store.prepare<[number]>("DELETE FROM observations WHERE state = 'settled' AND settled_at < ?"),
  };
}

function toRow(projectId: string, { entry, since }: Dated): EntryRow {
  const { path, kind, why, dev, ino, size } = entry;
  return {
    ...{ project_id: projectId, path, since, kind, why, dev, ino, size },
    is_folder: entry.kind === 'blind' && entry.isFolder ? 1 : 0,
    is_racy: entry.isRacy ? 1 : 0,
    mtime_ms: entry.mtimeMs,
    ctime_ms: entry.ctimeMs,
    meta: entry.kind === 'blind' ? null : JSON.stringify(entry.meta),
    hash: entry.kind === 'blind' ? entry.skim : entry.hash,
  };
}

function toDated(row: EntryRow): Dated {
  const { path, since, dev, ino, size, hash } = row;
  const common = { path, dev, ino, size, mtimeMs: row.mtime_ms, ctimeMs: row.ctime_ms, isRacy: row.is_racy === 1 };
  if (row.kind === 'blind')
    return { since, entry: { ...common, kind: 'blind', why: row.why ?? 'unseen', isFolder: row.is_folder === 1, skim: hash ?? '' } };
  const why = row.why === 'too_large' ? row.why : null;
  return { since, entry: { ...common, kind: row.kind, why, hash, meta: JSON.parse(row.meta ?? 'null') as Meta } };
}
