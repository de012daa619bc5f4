// The room of the blob store: the sum stays under the cap, what anybody needs or is just bringing is never dropped, and a drop is said.
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { Failed } from '../../failed.ts';
import type { Place } from './place.ts';
import type { openRows, Row } from './rows.ts';

/** By hash, the bytes that come in addition to what is kept; 0 for what is kept already. */
export type Brought = ReadonlyMap<string, number>;

/** What one call brings, from before it is staged until it is recorded: no row and no owner speaks for it yet. */
export interface Hold {
  /** From now on it has ten minutes: what is not recorded by then belongs to a call that failed. */
  isStaged(): void;
  isRecorded(): void;
  isGivenUp(): void;
}

/** How much may still be brought without dropping anything, and what sets the limit. */
export interface Free {
  bytes: number;
  by: 'cap' | 'disk';
}

export interface RoomParts {
  capBytes: number;
  clock: Clock;
  log?: Log;
  place: Place;
  rows: ReturnType<typeof openRows>;
}

const PENDING_MS = 10 * 60 * 1000;
/** A full store is emptied down to this share of its cap, so that looking through it stays rare. */
const KEEP_SHARE = 0.95;
/** So much of the disk is left to everybody else. */
const DISK_SPARE_BYTES = 64 * 1024 * 1024;

export type Room = ReturnType<typeof createRoom>;

/** The running sum may be too large when bytes were brought twice, so it is counted anew before anything is dropped. */
export function createRoom(parts: RoomParts) {
  const { capBytes, clock, place, rows } = parts;
  const owners: (() => ReadonlySet<string>)[] = [];
  /** Each with the time at which it is given up. */
  const holds = new Map<Brought, number>();
  let recordedBytes = rows.totals().bytes;
  let drops = 0;

  const comingBytes = () => [...holds.keys()].reduce((sum, brought) => sum + sumOf(brought.values()), 0);

  /** What failed calls and crashes left goes; gives back the hashes that are on their way. */
  function tidy(): Set<string> {
    for (const [brought, until] of holds) if (until < clock.monotonic()) holds.delete(brought);
    const coming = new Set([...holds.keys()].flatMap((brought) => [...brought.keys()]));
    for (const hash of place.list()) if (!isFiled(rows.find(hash)) && !coming.has(hash)) place.remove(hash);
    return coming;
  }

  function make(addedBytes: number): void {
    const coming = tidy();
    recordedBytes = rows.totals().bytes;
    const needed = new Set([...owners.flatMap((owner) => [...owner()]), ...coming]);
    const doomed = rows.oldest(recordedBytes + comingBytes() - capBytes * KEEP_SHARE, needed);
    const keptBytes = recordedBytes - sizeOf(doomed);
    if (keptBytes + addedBytes > capBytes) throw full(capBytes, { keptBytes: recordedBytes, addedBytes });
    drop(parts, doomed);
    if (doomed.length > 0) drops += 1;
    recordedBytes = keptBytes;
  }

  return {
    drops: (): number => drops,
    protect: (owner: () => ReadonlySet<string>) => void owners.push(owner),

    /** RESOURCE_LIMIT when there is no room and none can be made. */
    hold(brought: Brought): Hold {
      const addedBytes = sumOf(brought.values());
      holds.set(brought, Infinity);
      try {
        if (addedBytes > 0 && recordedBytes + comingBytes() > capBytes) make(addedBytes);
      } catch (error) {
        holds.delete(brought);
        throw error;
      }
      return {
        isStaged: () => void holds.set(brought, clock.monotonic() + PENDING_MS),
        isRecorded() {
          holds.delete(brought);
          recordedBytes += addedBytes;
        },
        isGivenUp: () => void holds.delete(brought),
      };
    },

    free(): Free {
      tidy();
      const ofCap = capBytes - rows.totals().bytes - comingBytes();
      const ofDisk = place.freeBytes() - DISK_SPARE_BYTES;
      return ofDisk < ofCap ? { bytes: Math.max(0, ofDisk), by: 'disk' } : { bytes: Math.max(0, ofCap), by: 'cap' };
    },
  };
}

/** Its bytes are in the file of its own name. */
const isFiled = (row: Row | undefined): boolean => row !== undefined && row.dropped_at === null && row.pack === null;

const full = (capBytes: number, sums: { keptBytes: number; addedBytes: number }): Failed =>
  new Failed(
    'RESOURCE_LIMIT',
    `The store of kept bytes is full: its cap is ${capBytes} bytes and nothing in it may be dropped. Nothing was changed.`,
    { recovery: 'The owner settles open changes or raises the cap.', detail: { capBytes, ...sums } },
  );

function drop({ rows, clock, place, log, capBytes }: RoomParts, doomed: readonly Row[]): void {
  if (doomed.length === 0) return;
  rows.drop(doomed, clock.now());
  for (const row of doomed) place.remove(row.hash);
  log?.warn(
    { dropped: doomed.length, bytes: sizeOf(doomed), capBytes },
    'The oldest kept bytes were dropped to stay under the cap; changes that need them can no longer be undone.',
  );
}

const sumOf = (sizes: Iterable<number>): number => [...sizes].reduce((sum, bytes) => sum + bytes, 0);
const sizeOf = (rows: readonly Row[]): number => sumOf(rows.map((row) => row.bytes));
