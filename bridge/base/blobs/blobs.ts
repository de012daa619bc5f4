// Bytes by their SHA-256, durable before they are named. The store has a cap: the oldest that nobody needs go first, and it is said.
import type { Clock } from '../clock.ts';
import { sha256 } from '../digest.ts';
import { proven } from '../fs/pieces.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import { openPlace } from './place.ts';
import { damaged, missingBytes, missingOf, piecesAt, readAt, sizeAt } from './ranges.ts';
import { createRoom, type Free } from './room.ts';
import { openRows, type Totals } from './rows.ts';
import { createStaging, type Staged, type Stream } from './staging.ts';

export type { Free } from './room.ts';
export type { Staged, Stream } from './staging.ts';

export interface Blobs {
  /** Durable and recorded when it resolves; nothing is written when the bytes are kept already. */
  put(bytes: Buffer): Promise<string>;
  /**
   * The bytes are durable when it resolves, and are kept once `keep` and then `record` were called. Of a stream a few
   * pieces are held at a time; nothing of it is left when its bytes are not those of its hash.
   */
  stage(list: readonly (Buffer | Stream)[]): Promise<Staged>;
  /** The same for many small ones: they are written and flushed as one file, and dropped together. Bounded by the caller. */
  pack(list: readonly Buffer[]): Promise<Staged>;
  has(hash: string): boolean;
  /** The bytes, verified. NOT_FOUND when they were dropped or never kept, INTERNAL_ERROR when they are missing or damaged. */
  get(hash: string): Buffer;
  /** The same bytes piece by piece. Damage shows after the last piece: what was made of them until then is worth nothing. */
  stream(hash: string): Stream;
  /** An owner of blobs says which it cannot do without. Everything else is dropped, oldest use first, to stay under the cap. */
  protect(owner: () => ReadonlySet<string>): void;
  usage(): Totals & { capBytes: number };
  /** Those whose bytes are not there any more, of a great many. */
  missing(hashes: Iterable<string>): string[];
  /** They are used again now, so that others are dropped before them. */
  use(hashes: Iterable<string>): void;
  /** How often something was dropped since the store was opened: as long as it stays, what was there still is. */
  drops(): number;
  /** What may still be brought without dropping anything. */
  free(): Free;
}

export interface BlobParts {
  dir: string;
  store: Store;
  capBytes: number;
  clock: Clock;
  log?: Log;
}

/** Opens the store; what an interrupted put left in staging is removed. One process at a time may hold it. */
export function createBlobs(parts: BlobParts): Blobs {
  const { store, clock, capBytes } = parts;
  const place = openPlace(parts.dir);
  const rows = openRows(store);
  const room = createRoom({ ...parts, place, rows });

  const { stage, pack } = createStaging({ ...parts, place, rows, room });

  return {
    stage,
    pack,
    async put(bytes) {
      const staged = await stage([bytes]);
      await staged.keep();
      store.transaction(staged.record)();
      return staged.hashes[0] as string;
    },
    has: (hash) => rows.isKept(hash) && sizeAt(place, rows.find(hash)) !== undefined,
    get(hash) {
      const bytes = readAt(place, hash, rows.find(hash));
      if (bytes === null) throw missingBytes(hash, rows.find(hash));
      if (sha256(bytes) !== hash) throw damaged(hash);
      return bytes;
    },
    stream(hash) {
      const size = sizeAt(place, rows.find(hash));
      if (size === undefined) throw missingBytes(hash, rows.find(hash));
      const unlike = () => damaged(hash);
      return { hash, size, unlike, pieces: () => proven(piecesAt(place, hash, rows.find(hash)), { hash, unlike }) };
    },
    missing: (hashes) => missingOf(place, rows, hashes),
    use: store.transaction((hashes: Iterable<string>) => {
      const files = new Set([...hashes].map((hash) => rows.find(hash)?.pack ?? hash));
      for (const file of files) rows.use(file, clock.now());
    }),
    drops: room.drops,
    protect: room.protect,
    usage: () => ({ ...rows.totals(), capBytes }),
    free: room.free,
  };
}
