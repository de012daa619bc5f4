// Bytes on their way into the store: durable beside the kept ones first, under their names next, and recorded by the caller at the end.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { sha256 } from '../digest.ts';
import { proven, type Pieces } from '../fs/pieces.ts';
import { Failed } from '../../failed.ts';
import { createFlights, type Flight } from './flights.ts';
import type { Place } from './place.ts';
import { sizeAt } from './ranges.ts';
import type { Hold, Room } from './room.ts';
import type { openRows } from './rows.ts';

/** Bytes too many to hold, under the hash that they are known by. */
export interface Stream {
  hash: string;
  size: number;
  /** From the first byte on, each time it is called. */
  pieces(): Pieces;
  /** What is thrown when they turn out to have another hash. */
  unlike(found: string): Error;
}

export interface Staged {
  hashes: string[];
  /** Puts the bytes under their names, durable when it resolves. Apart from staging, so that flushes can go beside others. */
  keep(): Promise<void>;
  /** Belongs into the caller's own transaction, after `keep`: what is not recorded may be dropped. */
  record(): void;
}

interface StagingParts {
  clock: Clock;
  place: Place;
  rows: ReturnType<typeof openRows>;
  room: Room;
}

type Content = Buffer | Stream;
const sizeOf = (content: Content): number => (Buffer.isBuffer(content) ? content.length : content.size);
const NOTHING = Buffer.alloc(0);
/** With random bytes after it, so that a pack is never the same as what somebody wants to keep. */
const PACK_MARK = Buffer.from('drawbridge pack\n');
/** In a file of its own. */
const ALONE = { pack: null, at: null, isPack: false };
const bytesOf = (content: Content): Buffer | Pieces => (Buffer.isBuffer(content) ? content : proven(content.pieces(), content));

export function createStaging({ clock, place, rows, room }: StagingParts) {
  const flights = createFlights(place);
  const isThere = (hash: string, bytes: number): boolean => rows.isKept(hash) && sizeAt(place, rows.find(hash)) === bytes;
  const missingOf = (named: ReadonlyMap<string, Content>) => [...named].filter(([hash, content]) => !isThere(hash, sizeOf(content)));

  async function stage(list: readonly Content[]): Promise<Staged> {
    const hashes = list.map((content) => (Buffer.isBuffer(content) ? sha256(content) : content.hash));
    const named = new Map(hashes.map((hash, index) => [hash, list[index] as Content]));
    const missing = new Map(missingOf(named));
    const hold = room.hold(new Map(hashes.map((hash) => [hash, sizeOf(missing.get(hash) ?? NOTHING)])));
    const coming = [...missing].map(([hash, content]) => ({
      isStream: !Buffer.isBuffer(content),
      stage: () => flights.stage(hash, bytesOf(content)),
    }));
    const staged = await stageAll(coming, hold);
    const record = () => {
      for (const hash of named.keys()) if (!missing.has(hash)) rows.use(hash, clock.now());
      for (const [hash, content] of missing) rows.place(hash, { ...ALONE, bytes: sizeOf(content) }, clock.now());
      hold.isRecorded();
    };
    return { hashes, keep: async () => void (await Promise.all(staged.map((flight) => flight.keep()))), record };
  }

  async function pack(list: readonly Buffer[]): Promise<Staged> {
    const hashes = list.map((bytes) => sha256(bytes));
    const missing = missingOf(new Map(hashes.map((hash, index) => [hash, list[index] as Buffer]))) as [string, Buffer][];
    if (missing.length < 2) return stage(list);
    const head = Buffer.concat([PACK_MARK, randomBytes(16)]);
    const whole = Buffer.concat([head, ...missing.map(([, bytes]) => bytes)]);
    const packHash = sha256(whole);
    const hold = room.hold(new Map([...hashes.map((hash): [string, number] => [hash, 0]), [packHash, whole.length]]));
    const [flight] = await stageAll([{ isStream: false, stage: () => flights.stage(packHash, whole) }], hold);
    const record = () => {
      for (const hash of hashes) rows.use(hash, clock.now());
      rows.place(packHash, { ...ALONE, bytes: whole.length, isPack: true }, clock.now());
      let at = head.length;
      for (const [hash, bytes] of missing) {
        rows.place(hash, { bytes: bytes.length, pack: packHash, at, isPack: false }, clock.now());
        at += bytes.length;
      }
      hold.isRecorded();
    };
    return { hashes, keep: async () => flight?.keep(), record };
  }

  return { stage, pack };
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

function inOurWords(cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return cause;
  return new Failed('RESOURCE_LIMIT', 'The disk is full, so the bytes could not be kept. Nothing was changed.', { cause });
}
