// What the journal last left of a file: followed from one change through every later one, over moves, to where it has to be now.
import { afterOf, type ChangeRows, type FileRow } from './rows.ts';

export type Left = { kind: 'file' | 'link'; hash: string } | { kind: 'directory' } | { kind: 'absent' };

export interface Trail {
  /** Where the file is by now. */
  path: string;
  left: Left;
  /** The committed later changes that touched it, in order. */
  later: string[];
}

export interface TrailStart {
  projectId: string;
  path: string;
  left: Left;
  /** Changes up to and with this one are not looked at. */
  ordinal: number;
}

const ABSENT: Left = { kind: 'absent' };

export function follow(rows: ChangeRows, start: TrailStart): Trail {
  let { path, left, ordinal } = start;
  const later = new Set<string>();
  for (let moved = true; moved;) {
    moved = false;
    for (const row of rows.after.all(start.projectId, path, path, ordinal)) {
      later.add(row.changeset_id);
      ordinal = row.ordinal;
      left = leftBy(row);
      if (row.action === 'move' && row.path === path && row.dest_path !== null) {
        path = row.dest_path;
        moved = true;
        break;
      }
    }
  }
  return { path, left, later: [...later] };
}

/** What a row leaves of its file; a move leaves it at its destination. */
export function leftBy(row: FileRow): Left {
  const { kind, hash } = afterOf(row);
  if (kind === 'directory') return { kind };
  return kind === null || hash === null ? ABSENT : { kind, hash };
}
