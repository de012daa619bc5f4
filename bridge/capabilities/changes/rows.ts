// The tables of changes and their files: every statement, and what a row means. `ordinal` is the order of commits.
import type { FileAction } from '#shared/contracts/changes.ts';
import type { Meta } from '../../base/fs/meta.ts';
import type { Store } from '../../base/store/store.ts';
import { kindsOf, type Kind } from './step.ts';

export interface ChangeRow {
  changeset_id: string;
  project_id: string;
  principal: string;
  caller_name: string;
  operation: string;
  kind: 'apply' | 'undo';
  status: 'applying' | 'committed' | 'failed' | 'recovery_required';
  summary: string;
  plan_id: string | null;
  undoes: string | null;
  reservation: string | null;
  receipt: string | null;
  unrecovered: string | null;
  created_at: number;
  committed_at: number | null;
  ordinal: number | null;
}

export interface FileRow {
  changeset_id: string;
  position: number;
  action: FileAction;
  path: string;
  dest_path: string | null;
  before_hash: string | null;
  after_hash: string | null;
  before_meta: string | null;
  /** null: a regular file, or a directory where the action is about one. */
  before_kind: Kind | null;
  after_kind: Kind | null;
  /** null: kept from before, or what the system gives. */
  after_meta: string | null;
  temp_name: string | null;
}

/** A file of a committed change, with the place of that change in the order of commits. */
export interface TrailRow extends FileRow {
  ordinal: number;
}

export type ChangeRows = ReturnType<typeof changeRows>;

const CHANGE_COLUMNS = `changeset_id, project_id, principal, caller_name, operation, kind, status, summary, plan_id, undoes,
  reservation, receipt, unrecovered, created_at, committed_at, ordinal`;

export const changeRows = (store: Store) => ({
  insert: store.prepare<[ChangeRow]>(
    `INSERT INTO changesets (${CHANGE_COLUMNS}) VALUES (@changeset_id, @project_id, @principal, @caller_name, @operation, @kind, @status,
       @summary, @plan_id, @undoes, @reservation, @receipt, @unrecovered, @created_at, @committed_at, @ordinal)`,
  ),
  insertFile: store.prepare<[FileRow]>(
    `INSERT INTO changeset_files (changeset_id, position, action, path, dest_path, before_hash, after_hash, before_meta, temp_name,
       before_kind, after_kind, after_meta)
     VALUES (@changeset_id, @position, @action, @path, @dest_path, @before_hash, @after_hash, @before_meta, @temp_name,
       @before_kind, @after_kind, @after_meta)`,
  ),
  commit: store.prepare<[number, string]>(
    `UPDATE changesets SET status = 'committed', committed_at = ?, ordinal = (SELECT COALESCE(MAX(ordinal), 0) + 1 FROM changesets)
     WHERE changeset_id = ? AND status IN ('applying', 'recovery_required')`,
  ),
  usePlan: store.prepare<[string, string]>('UPDATE plans SET used_by = ? WHERE plan_id = ?'),
  end: store.prepare<['failed' | 'recovery_required', string | null, string]>(
    "UPDATE changesets SET status = ?, unrecovered = ? WHERE changeset_id = ? AND status IN ('applying', 'recovery_required')",
  ),
  byReservation: store.prepare<[string], { changeset_id: string }>('SELECT changeset_id FROM changesets WHERE reservation = ?'),
  byId: store.prepare<[string], ChangeRow>('SELECT * FROM changesets WHERE changeset_id = ?'),
  files: store.prepare<[string], FileRow>('SELECT * FROM changeset_files WHERE changeset_id = ? ORDER BY position'),
  firstFiles: store.prepare<[string, number], FileRow>('SELECT * FROM changeset_files WHERE changeset_id = ? ORDER BY position LIMIT ?'),
  fileCount: store.prepare<[string], { count: number }>('SELECT count(*) AS count FROM changeset_files WHERE changeset_id = ?'),
  open: store.prepare<[string], ChangeRow>(
    "SELECT * FROM changesets WHERE status IN ('applying', 'recovery_required') AND project_id = ? ORDER BY created_at, rowid",
  ),
  unfinished: store.prepare<[], ChangeRow>(
    "SELECT * FROM changesets WHERE status IN ('applying', 'recovery_required') ORDER BY created_at, rowid",
  ),
  /** Ended, but the call that made it never learnt so: its reservation is still open. */
  untold: store.prepare<[], ChangeRow>(
    `SELECT changesets.* FROM changesets JOIN idempotency USING (reservation)
     WHERE changesets.status IN ('committed', 'failed') AND changesets.unrecovered IS NULL AND idempotency.state = 'reserved' ORDER BY changesets.created_at, changesets.rowid`,
  ),
  forgetReceipts: store.prepare<[number]>(
    'UPDATE changesets SET receipt = NULL WHERE receipt IS NOT NULL AND committed_at IS NOT NULL AND committed_at < ?',
  ),
  latest: store.prepare<[string, number], ChangeRow>(
    'SELECT * FROM changesets WHERE project_id = ? ORDER BY created_at DESC, rowid DESC LIMIT ?',
  ),
  latestOf: store.prepare<[string, string, number], ChangeRow>(
    'SELECT * FROM changesets WHERE project_id = ? AND principal = ? ORDER BY created_at DESC, rowid DESC LIMIT ?',
  ),
  undosOf: store.prepare<[string], ChangeRow>("SELECT * FROM changesets WHERE undoes = ? AND status = 'committed' ORDER BY ordinal"),
  /** What committed changes after `ordinal` did to one path, in the order they did it. */
  after: store.prepare<[string, string, string, number], TrailRow>(
    `SELECT changeset_files.*, changesets.ordinal FROM changeset_files JOIN changesets USING (changeset_id)
     WHERE changesets.project_id = ? AND changesets.status = 'committed'
       AND (path = ? OR dest_path = ?)
       AND changesets.ordinal > ? ORDER BY changesets.ordinal, changeset_files.position`,
  ),
  /** Images a change cannot do without until it has ended. */
  neededImages: store.prepare<[], { hash: string }>(
    `SELECT before_hash AS hash FROM changeset_files JOIN changesets USING (changeset_id)
       WHERE changesets.status IN ('applying', 'recovery_required') AND before_hash IS NOT NULL
     UNION SELECT after_hash FROM changeset_files JOIN changesets USING (changeset_id)
       WHERE changesets.status IN ('applying', 'recovery_required') AND after_hash IS NOT NULL`,
  ),
});

/** What stands at the path of a row on one side of the change. */
export interface Side {
  /** null: nothing. */
  kind: Kind | null;
  hash: string | null;
  meta: Meta | null;
}

const parsed = (text: string | null): Meta | null => (text === null ? null : (JSON.parse(text) as Meta));

export const beforeOf = (row: FileRow): Side => ({
  kind: row.before_kind ?? kindsOf[row.action].before,
  hash: row.before_hash,
  meta: parsed(row.before_meta),
});

/** Of a move: at its destination. */
export const afterOf = (row: FileRow): Side => ({
  kind: row.after_kind ?? kindsOf[row.action].after,
  hash: row.after_hash,
  meta: parsed(row.after_meta),
});

/** Whether the change set another mode than there was; otherwise a mode is nobody's business. */
export function setsMode(row: FileRow): boolean {
  const [before, after] = [parsed(row.before_meta), parsed(row.after_meta)];
  return row.action === 'replace' && before !== null && after !== null && before.mode !== after.mode;
}

/** Whether a folder gave its place to something else, or took the place of something else. */
export const exchangesFolder = (row: FileRow): boolean =>
  row.action === 'replace' && (beforeOf(row).kind === 'directory') !== (afterOf(row).kind === 'directory');

export const metaOf = (row: FileRow): Meta | null => parsed(row.before_meta);

/** A name no file of a project has by chance, so that what a crash leaves can be told and removed. */
export const tempName = (changesetId: string, position: number): string => `.drawbridge-${changesetId}-${position}.tmp`;
