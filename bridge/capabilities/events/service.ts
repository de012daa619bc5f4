// The append-only, hash-chained account of what happened. Positions are gapless; a row is never changed.
import { canonicalJson } from '#shared/canonical.ts';
import type { BridgeEvent, EventKind } from '#shared/events.ts';
import { newId } from '#shared/ids.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/digest.ts';
import type { Store } from '../../base/store/store.ts';
import { eventRows, toEvent, type EventRow } from './rows.ts';

export interface NewEvent {
  session: string;
  kind: EventKind;
  projectId: string | null;
  body: Record<string, unknown>;
}

export interface EventQuery {
  after?: number | undefined;
  before?: number | undefined;
  limit: number;
  kind?: string | undefined;
  projectId?: string | undefined;
}

export interface Verdict {
  intact: boolean;
  checked: number;
  brokenAt: number | null;
  head: { position: number; hash: string };
  containsKnown: boolean | null;
}

export interface Events {
  /** Names this process's stretch of the log; a console that resumes with another one may have missed a restart. */
  readonly epoch: string;
  head(): number;
  append(event: NewEvent): void;
  list(query: EventQuery): BridgeEvent[];
  /**
   * Whether a reader at `after` cannot go on here: the log is shorter than what it saw, or is another one. A process's lines
   * stand together, so the process that the reader spoke to must have written the line at `after` or a later one.
   */
  hasGap(after: number, readerEpoch?: string): boolean;
  /** Hears each event after its transaction committed, in position order. */
  subscribe(listener: (event: BridgeEvent) => void): () => void;
  /** Hears of each event inside its own transaction: what follows from it stands or falls with it. */
  follow(follower: (event: NewEvent) => void): void;
  verify(known?: { position: number; hash: string }): Verdict;
}

export const GENESIS = '0'.repeat(64);

/** The hash of a row binds the previous one, so that a missing, changed or reordered row shows. */
const chain = (previous: string, row: Omit<EventRow, 'hash'>): string => sha256(previous + canonicalJson(row));

export function createEvents({ store, clock }: { store: Store; clock: Clock }): Events {
  const epoch = newId('ep');
  const listeners = new Set<(event: BridgeEvent) => void>();
  const rows = eventRows(store);
  const followers: ((event: NewEvent) => void)[] = [];
  const pending: BridgeEvent[] = [];

  /** Tells listeners once the outermost transaction is over; rows of a rolled-back one are dropped. */
  function announce(): void {
    for (const event of pending.splice(0)) {
      if (!store.open) return; // The bridge is closing: nobody is left to tell, and the row is on disk.
      if (rows.at.get(event.position)?.hash !== event.hash) continue;
      for (const listener of listeners) listener(event);
    }
  }

  return {
    epoch,
    head: () => rows.last.get()?.position ?? 0,
    append(event) {
      const previous = rows.last.get();
      const row: Omit<EventRow, 'hash'> = {
        position: (previous?.position ?? 0) + 1,
        session: event.session,
        generation: epoch,
        sequence: (rows.lastSequence.get(event.session, epoch)?.sequence ?? 0) + 1,
        kind: event.kind,
        project_id: event.projectId,
        run: null,
        at: clock.now(),
        body: JSON.stringify(event.body),
      };
      const full: EventRow = { ...row, hash: chain(previous?.hash ?? GENESIS, row) };
      rows.insert.run(full);
      if (listeners.size > 0 && pending.push(toEvent(full)) === 1) setImmediate(announce);
      for (const follower of followers) follower(event);
    },
    list(query) {
      const page = query.after === undefined ? rows.newestFirst : rows.oldestFirst;
      const { kind = null, projectId = null, after = 0, before = Number.MAX_SAFE_INTEGER, limit } = query;
      return page.all({ kind, projectId, after, before, limit }).map(toEvent);
    },
    hasGap(after, readerEpoch = epoch) {
      if (after > (rows.last.get()?.position ?? 0)) return true;
      return after > 0 && readerEpoch !== epoch && rows.from.get(readerEpoch, after) === undefined;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    follow: (follower) => void followers.push(follower),
    verify(known) {
      return walk(rows.all.iterate(), known);
    },
  };
}

function walk(rows: Iterable<EventRow>, known?: { position: number; hash: string }): Verdict {
  let previous = GENESIS;
  let checked = 0;
  let brokenAt: number | null = null;
  let containsKnown = known === undefined ? null : false;
  for (const { hash, ...row } of rows) {
    checked += 1;
    const isSound = row.position === checked && hash === chain(previous, row);
    if (!isSound && brokenAt === null) brokenAt = row.position;
    if (known !== undefined && row.position === known.position && hash === known.hash) containsKnown = true;
    previous = hash;
  }
  return { intact: brokenAt === null, checked, brokenAt, head: { position: checked, hash: previous }, containsKnown };
}
