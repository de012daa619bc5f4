// The projects table: its statements and what a row means. A removed row stays, so that its id can come back.
import type { Store } from '../../base/store/store.ts';
import type { Identity } from './identity.ts';

export interface ProjectRow {
  project_id: string;
  name: string;
  root: string;
  workspace_id: string;
  device: string;
  inode: string;
  birth_ns: string | null;
  added_at: number;
  removed_at: number | null;
  last_call_at: number | null;
}

export const identityOf = (row: ProjectRow): Identity => ({ device: row.device, inode: row.inode, birthNs: row.birth_ns });

export const projectRows = (store: Store) => ({
  byId: store.prepare<[string], ProjectRow>('SELECT * FROM projects WHERE project_id = ?'),
  all: store.prepare<[], ProjectRow>('SELECT * FROM projects ORDER BY added_at, rowid'),
  active: store.prepare<[], ProjectRow>('SELECT * FROM projects WHERE removed_at IS NULL ORDER BY added_at, rowid'),
  insert: store.prepare('INSERT INTO projects VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)'),
  restore: store.prepare('UPDATE projects SET root = ?, name = ?, workspace_id = ?, device = ?, removed_at = NULL WHERE project_id = ?'),
  remove: store.prepare('UPDATE projects SET removed_at = ? WHERE project_id = ? AND removed_at IS NULL'),
  touch: store.prepare('UPDATE projects SET last_call_at = ? WHERE project_id = ?'),
});
