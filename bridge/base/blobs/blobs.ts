// Bytes by their SHA-256, durable before they are named. The store has a cap: the oldest that nobody needs go first, and it is said.
import { closeSync, fstatSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import { sha256 } from '../digest.ts';
import { piecesOf, proven, type Pieces } from '../fs/pieces.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import { Failed } from '../../failed.ts';
import { createFlights, type Flight } from './flights.ts';
import { openPlace, type Place } from './place.ts';
import { createRoom, type Free, type Hold } from './room.ts';
import { openRows, type Totals } from './rows.ts';

export type { Free } from './room.ts';

/** Bytes too many to hold, under the hash that they are known by. */
export interface Stream {
  hash: string;
  size: number;
  /** From the first byte on, each time it is called. */
  pieces(): Pieces;
  /** What is thrown when they turn out to have another hash. */
  unlike(found: string): Error;
}

export interface Blobs {
  /** Durable and recorded when it resolves; nothing is written when the bytes are kept already. */
  put(bytes: Buffer): Promise<string>;
  /**
   * The bytes are durable when it resolves, and are kept once `keep` and then `record` were called. Of a stream a few
   * pieces are held at a time; nothing of it is left when its bytes are not those of its hash.
   */
  stage(list: readonly (Buffer | Stream)[]): Promise<Staged>;
  has(hash: string): boolean;
  /** The bytes, verified. NOT_FOUND when they were dropped or never kept, INTERNAL_ERROR when they are missing or damaged. */
  get(hash: string): Buffer;
  /** The same bytes piece by piece. Damage shows after the last piece: what was made of them until then is worth nothing. */
  stream(hash: string): Stream;
  /** An owner of blobs says which it cannot do without. Everything else is dropped, oldest use first, to stay under the cap. */
  protect(owner: () => ReadonlySet<string>): void;
  usage(): Totals & { capBytes: number };
  /** What may still be brought without dropping anything. */
  free(): Free;
}

export interface Staged {
  hashes: string[];
  /** Puts the bytes under their names, durable when it resolves. Apart from staging, so that flushes can go beside others. */
  keep(): Promise<void>;
  /** Belongs into the caller's own transaction, after `keep`: what is not recorded may be dropped. */
  record(): void;
}

export interface BlobParts {
  dir: string;
  store: Store;
  capBytes: number;
  clock: Clock;
  log?: Log;
}

type Content = Buffer | Stream;
const sizeOf = (content: Content): number => (Buffer.isBuffer(content) ? content.length : content.size);
const bytesOf = (content: Content): Buffer | Pieces => (Buffer.isBuffer(content) ? content : proven(content.pieces(), content));

/** Opens the store; what an interrupted put left in staging is removed. One process at a time may hold it. */
export function createBlobs(parts: BlobParts): Blobs {
  const { store, clock, capBytes } = parts;
  const place = openPlace(parts.dir);
  const rows = openRows(store);
  const room = createRoom({ ...parts, place, rows });
  const flights = createFlights(place);

  async function stage(list: readonly Content[]): Promise<Staged> {
    const hashes = list.map((content) => (Buffer.isBuffer(content) ? sha256(content) : content.hash));
    const named = new Map(hashes.map((hash, index) => [hash, list[index] as Content]));
    const missing = [...named].filter(([hash, content]) => !rows.isKept(hash) || place.size(hash) !== sizeOf(content));
    const added = new Map(missing.map(([hash, content]) => [hash, sizeOf(content)]));
    const hold = room.hold(new Map(hashes.map((hash) => [hash, added.get(hash) ?? 0])));
    const coming = missing.map(([hash, content]) => ({
      isStream: !Buffer.isBuffer(content),
      stage: () => flights.stage(hash, bytesOf(content)),
    }));
    const staged = await stageAll(coming, hold);
    const record = () => {
      for (const [hash, content] of named) rows.record(hash, { bytes: sizeOf(content), at: clock.now() });
      hold.isRecorded();
    };
    return { hashes, keep: async () => void (await Promise.all(staged.map((flight) => flight.keep()))), record };
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
      if (bytes === null) throw missingBytes(hash, rows);
      if (sha256(bytes) !== hash) throw damaged(hash);
      return bytes;
    },
    stream(hash) {
      const size = place.size(hash);
      if (size === undefined) throw missingBytes(hash, rows);
      const unlike = () => damaged(hash);
      return { hash, size, unlike, pieces: () => proven(piecesAt(place, hash), { hash, unlike }) };
    },
    protect: room.protect,
    usage: () => ({ ...rows.totals(), capBytes }),
    free: room.free,
  };
}

interface Coming {
  isStream: boolean;
  stage(): Promise<Flight>;
}

/** All of them, or, once the last writer has ended, none. Streams come one after another, so that few pieces are held. */
async function stageAll(coming: readonly Coming[], hold: Hold): Promise<Flight[]> {
  const ends = await Promise.allSettled(coming.filter((one) => !one.isStream).map((one) => one.stage()));
  for (const one of coming) {
    if (!one.isStream) continue;
    if (ends.some((end) => end.status === 'rejected')) break;
    ends.push(...(await Promise.allSettled([one.stage()])));
  }
  const flights = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed === undefined) {
    hold.isStaged();
    return flights;
  }
  for (const flight of flights) flight.abandon();
  hold.isGivenUp();
  throw inOurWords(failed.reason);
}

async function* piecesAt(place: Place, hash: string): AsyncGenerator<Buffer, void> {
  const file = place.open(hash);
  if (file === null) throw damaged(hash, 'missing');
  try {
    yield* piecesOf(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

function missingBytes(hash: string, rows: ReturnType<typeof openRows>): Failed {
  if (rows.isDropped(hash))
    return new Failed(
      'NOT_FOUND',
      'These earlier bytes are no longer kept: they were dropped when the store reached its cap. Nothing was changed.',
    );
  if (!rows.isKnown(hash)) return new Failed('NOT_FOUND', 'These earlier bytes were never kept. Nothing was changed.');
  return damaged(hash, 'missing');
}

const damaged = (hash: string, what: 'missing' | 'damaged' = 'damaged'): Failed =>
  new Failed('INTERNAL_ERROR', `The kept bytes ${hash.slice(0, 12)} are ${what}. Nothing was changed.`);

function inOurWords(cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return cause;
  return new Failed('RESOURCE_LIMIT', 'The disk is full, so the bytes could not be kept. Nothing was changed.', { cause });
}
