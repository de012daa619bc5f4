// Bytes by their SHA-256, durable before they are named. The store has a cap: the oldest that nobody needs go first, and it is said.
import type { Clock } from '../clock.ts';
import { sha256 } from '../digest.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import { Failed } from '../../failed.ts';
import { openPlace, type Place } from './place.ts';
import { openRows, type Row, type Totals } from './rows.ts';

export interface Blobs {
  /** Durable and recorded when it resolves; nothing is written when the bytes are kept already. */
  put(bytes: Buffer): Promise<string>;
  /** The bytes are durable when it resolves, and are kept once `keep` and then `record` were called. */
  stage(list: readonly Buffer[]): Promise<Staged>;
  has(hash: string): boolean;
  /** The bytes, verified. NOT_FOUND when they were dropped or never kept, INTERNAL_ERROR when they are missing or damaged. */
  get(hash: string): Buffer;
  /** An owner of blobs says which it cannot do without. Everything else is dropped, oldest use first, to stay under the cap. */
  protect(owner: () => ReadonlySet<string>): void;
  usage(): Totals & { capBytes: number };
}

export interface Staged {
  hashes: string[];
  /** Puts the bytes under their names, durable when it resolves. Apart from staging, so that flushes can go beside others. */
  keep(): Promise<void>;
  /** Belongs into the caller's own transaction, after `keep`: what is not recorded may be dropped. */
  record(): void;
}

/** One hash on its way into the store, shared by everyone who brings the same bytes meanwhile. */
interface Flight {
  staged: Promise<void>;
  kept: Promise<void> | null;
}

export interface BlobParts {
  dir: string;
  store: Store;
  capBytes: number;
  clock: Clock;
  log?: Log;
}

/** A staged blob that was not recorded within this time belongs to a call that failed. */
const PENDING_MS = 10 * 60 * 1000;
/** A full store is emptied down to this share of its cap, so that looking through it stays rare. */
const KEEP_SHARE = 0.95;

/** Opens the store; what an interrupted put left in staging is removed. One process at a time may hold it. */
export function createBlobs(parts: BlobParts): Blobs {
  const { store, clock, capBytes } = parts;
  const place = openPlace(parts.dir);
  const rows = openRows(store);
  const room = createRoom(parts, place, rows);
  const flights = createFlights(place);

  async function stage(list: readonly Buffer[]): Promise<Staged> {
    const hashes = list.map((bytes) => sha256(bytes));
    const named = new Map(hashes.map((hash, index) => [hash, list[index] as Buffer]));
    for (const hash of hashes) room.pending.set(hash, clock.monotonic() + PENDING_MS);
    const missing = [...named].filter(([hash, bytes]) => !rows.isKept(hash) || place.size(hash) !== bytes.length);
    room.make(missing.reduce((sum, [, bytes]) => sum + bytes.length, 0));
    await Promise.all(missing.map(([hash, bytes]) => flights.stage(hash, bytes))).catch(fullDisk);
    const record = () => {
      for (const [hash, bytes] of named) {
        rows.record(hash, { bytes: bytes.length, at: clock.now() });
        room.pending.delete(hash);
      }
    };
    return { hashes, keep: async () => void (await Promise.all(missing.map(([hash]) => flights.keep(hash)))), record };
  }

  return {
    stage,
    async put(bytes) {
      const staged = await stage([bytes]);
      await staged.keep();
      store.transaction(staged.record)();
      return staged.hashes[0] as string;
    },
    has: (hash) => rows.isKept(hash) && place.size(hash) !== undefined,
    get(hash) {
      const bytes = place.read(hash);
      if (bytes !== null && sha256(bytes) === hash) return bytes;
      if (bytes === null && rows.isDropped(hash))
        throw new Failed(
          'NOT_FOUND',
          'These earlier bytes are no longer kept: they were dropped when the store reached its cap. Nothing was changed.',
        );
      if (bytes === null && !rows.isKnown(hash)) throw new Failed('NOT_FOUND', 'These earlier bytes were never kept. Nothing was changed.');
      throw new Failed(
        'INTERNAL_ERROR',
        `The kept bytes ${hash.slice(0, 12)} are ${bytes === null ? 'missing' : 'damaged'}. Nothing was changed.`,
      );
    },
    protect: room.protect,
    usage: () => ({ ...rows.totals(), capBytes }),
  };
}

/** Puts each hash into its place once, however many bring the same bytes at the same time. */
function createFlights(place: Place) {
  const flights = new Map<string, Flight>();

  async function stage(hash: string, bytes: Buffer): Promise<void> {
    const flight = flights.get(hash) ?? { staged: place.stage(hash, bytes), kept: null };
    flights.set(hash, flight);
    await flight.staged.catch((cause: unknown) => {
      flights.delete(hash);
      throw cause;
    });
  }

  async function keep(hash: string): Promise<void> {
    const flight = flights.get(hash);
    if (flight === undefined) return; // Somebody who brought the same bytes has kept them already.
    flight.kept ??= place.keep(hash).finally(() => flights.delete(hash));
    await flight.kept;
  }

  return { stage, keep };
}

/** Keeps the sum under the cap. The running sum may be too large after failed calls, so it is counted anew before anything is dropped. */
function createRoom({ capBytes, clock, log }: BlobParts, place: Place, rows: ReturnType<typeof openRows>) {
  const owners: (() => ReadonlySet<string>)[] = [];
  /** Staged and not recorded yet, so that no row and no owner speaks for them. */
  const pending = new Map<string, number>();
  let keptBytes = rows.totals().bytes;

  function drop(doomed: readonly Row[]): void {
    if (doomed.length === 0) return;
    rows.drop(doomed, clock.now());
    for (const row of doomed) place.remove(row.hash);
    keptBytes -= sizeOf(doomed);
    log?.warn(
      { dropped: doomed.length, bytes: sizeOf(doomed), capBytes },
      'The oldest kept bytes were dropped to stay under the cap; changes that need them can no longer be undone.',
    );
  }

  function makeRoom(addedBytes: number): void {
    for (const [hash, until] of pending) if (until < clock.monotonic()) pending.delete(hash);
    for (const hash of place.list()) if (!rows.isKept(hash) && !pending.has(hash)) place.remove(hash);
    keptBytes = rows.totals().bytes;
    const needed = new Set([...owners.flatMap((owner) => [...owner()]), ...pending.keys()]);
    const doomed = rows.oldest(keptBytes + addedBytes - capBytes * KEEP_SHARE, needed);
    if (keptBytes + addedBytes - sizeOf(doomed) > capBytes)
      throw new Failed(
        'RESOURCE_LIMIT',
        `The store of kept bytes is full: its cap is ${capBytes} bytes and nothing in it may be dropped. Nothing was changed.`,
        { recovery: 'The owner settles open changes or raises the cap.', detail: { capBytes, keptBytes, addedBytes } },
      );
    drop(doomed);
  }

  return {
    pending,
    protect: (owner: () => ReadonlySet<string>) => void owners.push(owner),
    make(addedBytes: number): void {
      if (addedBytes === 0) return;
      if (keptBytes + addedBytes > capBytes) makeRoom(addedBytes);
      keptBytes += addedBytes;
    },
  };
}

const sizeOf = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + row.bytes, 0);

function fullDisk(cause: NodeJS.ErrnoException): never {
  if (cause.code !== 'ENOSPC' && cause.code !== 'EDQUOT') throw cause;
  throw new Failed('RESOURCE_LIMIT', 'The disk is full, so the bytes could not be kept. Nothing was changed.', { cause });
}
