// What one committed change did at one path, told for those who compare the disk with the account.
import type { Store } from '../../base/store/store.ts';
import { afterOf, beforeOf, type Side, type TrailRow } from './rows.ts';

export interface Trace {
  changesetId: string;
  path: string;
  before: Side;
  after: Side;
}

const NOTHING: Side = { kind: null, hash: null, meta: null };

export const traceRows = (store: Store) => ({
  /** What committed changes after an ordinal did in a project, in the order they did it. */
  since: store.prepare<[string, number], TrailRow>(
    `SELECT changeset_files.*, changesets.ordinal FROM changeset_files JOIN changesets USING (changeset_id)
     WHERE changesets.project_id = ? AND changesets.status = 'committed' AND changesets.ordinal > ?
     ORDER BY changesets.ordinal, changeset_files.position`,
  ),
  last: store.prepare<[], { ordinal: number }>('SELECT COALESCE(MAX(ordinal), 0) AS ordinal FROM changesets'),
});

/** A move is one at both of its paths. */
export function tracesOf(row: TrailRow): Trace[] {
  const { changeset_id: changesetId, path } = row;
  if (row.action !== 'move') return [{ changesetId, path, before: beforeOf(row), after: afterOf(row) }];
  return [
    { changesetId, path, before: beforeOf(row), after: NOTHING },
    { changesetId, path: row.dest_path ?? '', before: NOTHING, after: { ...afterOf(row), meta: beforeOf(row).meta } },
  ];
}
