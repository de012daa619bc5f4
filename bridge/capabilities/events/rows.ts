// The events table: its statements and what a row means. Rows are only ever added.
import type { BridgeEvent, EventKind } from '#shared/events.ts';
import type { Store } from '../../base/store/store.ts';

export interface EventRow {
  position: number;
  session: string;
  generation: string;
  sequence: number;
  kind: string;
  project_id: string | null;
  run: string | null;
  at: number;
  body: string;
  hash: string;
}

interface Page {
  kind: string | null;
  projectId: string | null;
  after: number;
  before: number;
  limit: number;
}

const PAGE = `SELECT * FROM events WHERE position > @after AND position < @before
  AND (@kind IS NULL OR kind = @kind) AND (@projectId IS NULL OR project_id = @projectId)`;

export const toEvent = (row: EventRow): BridgeEvent => ({
  position: row.position,
  session: row.session,
  generation: row.generation,
  sequence: row.sequence,
  kind: row.kind as EventKind,
  projectId: row.project_id,
  run: row.run,
  at: row.at,
  body: JSON.parse(row.body) as Record<string, unknown>,
  hash: row.hash,
});

export const eventRows = (store: Store) => ({
  last: store.prepare<[], EventRow>('SELECT * FROM events ORDER BY position DESC LIMIT 1'),
  lastSequence: store.prepare<[string, string], { sequence: number }>(
    'SELECT sequence FROM events WHERE session = ? AND generation = ? ORDER BY sequence DESC LIMIT 1',
  ),
  at: store.prepare<[number], EventRow>('SELECT * FROM events WHERE position = ?'),
  from: store.prepare<[string, number], { position: number }>(
    'SELECT position FROM events WHERE generation = ? AND position >= ? ORDER BY position LIMIT 1',
  ),
  all: store.prepare<[], EventRow>('SELECT * FROM events ORDER BY position'),
  insert: store.prepare(
    'INSERT INTO events VALUES (@position, @session, @generation, @sequence, @kind, @project_id, @run, @at, @body, @hash)',
  ),
  oldestFirst: store.prepare<Page, EventRow>(`${PAGE} ORDER BY position LIMIT @limit`),
  newestFirst: store.prepare<Page, EventRow>(`${PAGE} ORDER BY position DESC LIMIT @limit`),
});
