// A client's notes to its own next session, by project: no other client's are read, and no secret that can be told by its shape is kept.
import { canonicalJson } from '#shared/canonical.ts';
import { Handoff, Todo } from '#shared/contracts/notes.ts';
import { newId } from '#shared/ids.ts';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { redactAll } from '../../base/redact.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';

/** Whose notes, and about which project. */
export interface Desk {
  principal: string;
  projectId: string;
}

export interface Kept {
  handoffId: string;
  createdAt: number;
  handoff: Handoff;
}

export interface Notes {
  todos(desk: Desk): { todos: Todo[]; updatedAt: number | null };
  /** Tells when, and how many texts were masked. */
  putTodos(desk: Desk, todos: readonly Todo[]): { updatedAt: number; isMasked: boolean };
  handoffs(desk: Desk, limit: number): Kept[];
  handoff(desk: Desk, handoffId: string): Kept;
  putHandoff(desk: Desk, handoff: Handoff): { handoffId: string; savedAt: number; isMasked: boolean };
}

const HANDOFF_BYTES = 64 * 1024;
const HANDOFFS_KEPT = 100;

interface HandoffRow {
  handoff_id: string;
  body: string;
  created_at: number;
}

const toKept = ({ handoff_id, body, created_at }: HandoffRow): Kept => ({
  handoffId: handoff_id,
  createdAt: created_at,
  handoff: Handoff.parse(JSON.parse(body)),
});

export function createNotes({ store, clock }: { store: Store; clock: Clock }): Notes {
  const rows = noteRows(store);

  return {
    todos({ projectId, principal }) {
      const row = rows.todos.get(projectId, principal);
      return row === undefined
        ? { todos: [], updatedAt: null }
        : { todos: z.array(Todo).parse(JSON.parse(row.items)), updatedAt: row.updated_at };
    },
    putTodos({ projectId, principal }, todos) {
      const masked = redactAll(todos);
      const updatedAt = clock.now();
      rows.putTodos.run(projectId, principal, JSON.stringify(masked), updatedAt);
      return { updatedAt, isMasked: canonicalJson(masked) !== canonicalJson(todos) };
    },
    handoffs: ({ projectId, principal }, limit) => rows.list.all(projectId, principal, limit).map(toKept),
    handoff({ projectId, principal }, handoffId) {
      const row = rows.byId.get(projectId, principal, handoffId);
      if (row === undefined) throw new Failed('NOT_FOUND', 'You have no hand-off of that id in this project.');
      return toKept(row);
    },
    putHandoff({ projectId, principal }, handoff) {
      const masked = redactAll(handoff);
      const body = JSON.stringify(masked);
      if (Buffer.byteLength(body) > HANDOFF_BYTES)
        throw new Failed('RESOURCE_LIMIT', `A hand-off has at most ${HANDOFF_BYTES} bytes. Nothing was kept.`);
      const [handoffId, savedAt] = [newId('hnd'), clock.now()];
      store.transaction(() => {
        rows.insert.run(handoffId, projectId, principal, body, savedAt);
        rows.trim.run({ projectId, principal, kept: HANDOFFS_KEPT });
      })();
      return { handoffId, savedAt, isMasked: canonicalJson(masked) !== canonicalJson(handoff) };
    },
  };
}

const noteRows = (store: Store) => ({
  todos: store.prepare<[string, string], { items: string; updated_at: number }>(
    'SELECT items, updated_at FROM todo_lists WHERE project_id = ? AND principal = ?',
  ),
  putTodos: store.prepare(
    `INSERT INTO todo_lists VALUES (?, ?, ?, ?)
     ON CONFLICT (project_id, principal) DO UPDATE SET items = excluded.items, updated_at = excluded.updated_at`,
  ),
  list: store.prepare<[string, string, number], HandoffRow>(
    'SELECT * FROM handoffs WHERE project_id = ? AND principal = ? ORDER BY created_at DESC, rowid DESC LIMIT ?',
  ),
  byId: store.prepare<[string, string, string], HandoffRow>(
    'SELECT * FROM handoffs WHERE project_id = ? AND principal = ? AND handoff_id = ?',
  ),
  insert: store.prepare('INSERT INTO handoffs VALUES (?, ?, ?, ?, ?)'),
  trim: store.prepare(
    `DELETE FROM handoffs WHERE project_id = @projectId AND principal = @principal AND rowid NOT IN (
       SELECT rowid FROM handoffs WHERE project_id = @projectId AND principal = @principal ORDER BY created_at DESC, rowid DESC LIMIT @kept)`,
  ),
});
