// Where the bytes of a blob are, a file of its own or a range of a pack, and what is said when they are not there any more.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { Failed } from '../../failed.ts';
import { piecesOf } from '../fs/pieces.ts';
import type { Place } from './place.ts';
import type { openRows, Row } from './rows.ts';

/** Of a blob in a pack that lies there whole; undefined when there is no such file. */
export function sizeAt(place: Place, row: Row | undefined): number | undefined {
  if (row === undefined) return undefined;
  const found = place.size(row.pack ?? row.hash);
  if (row.pack === null || found === undefined) return found;
  return found >= (row.at ?? 0) + row.bytes ? row.bytes : undefined;
}

export function readAt(place: Place, hash: string, row: Row | undefined): Buffer | null {
  return row === undefined || row.pack === null ? place.read(hash) : readRange(place.open(row.pack), row);
}

function readRange(file: number | null, row: Row): Buffer | null {
  if (file === null) return null;
  try {
    const bytes = Buffer.allocUnsafe(row.bytes);
    for (let filled = 0; filled < bytes.length;) {
      const count = readSync(file, bytes, filled, bytes.length - filled, (row.at ?? 0) + filled);
      if (count === 0) return null;
      filled += count;
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

export async function* piecesAt(place: Place, hash: string, row: Row | undefined): AsyncGenerator<Buffer, void> {
  const file = place.open(row?.pack ?? hash);
  if (file === null) throw damaged(hash, 'missing');
  try {
    if (row === undefined || row.pack === null) yield* piecesOf(file, fstatSync(file).size);
    else yield* piecesOf(file, row.bytes, row.at ?? 0);
  } finally {
    closeSync(file);
  }
}

export function missingBytes(hash: string, row: Row | undefined): Failed {
  if (row === undefined) return new Failed('NOT_FOUND', 'These earlier bytes were never kept. Nothing was changed.');
  if (row.dropped_at === null) return damaged(hash, 'missing');
  return new Failed(
    'NOT_FOUND',
    'These earlier bytes are no longer kept: they were dropped when the store reached its cap. Nothing was changed.',
  );
}

export const damaged = (hash: string, what: 'missing' | 'damaged' = 'damaged'): Failed =>
  new Failed('INTERNAL_ERROR', `The kept bytes ${hash.slice(0, 12)} are ${what}. Nothing was changed.`);

/** Asks the disk once for each file, however many blobs are in it. */
export function missingOf(place: Place, rows: Pick<ReturnType<typeof openRows>, 'find'>, hashes: Iterable<string>): string[] {
  const sizes = new Map<string, number | undefined>();
  const sizeOf = (name: string): number | undefined => {
    if (!sizes.has(name)) sizes.set(name, place.size(name));
    return sizes.get(name);
  };
  return [...hashes].filter((hash) => {
    const row = rows.find(hash);
    if (row === undefined || row.dropped_at !== null) return true;
    const size = sizeOf(row.pack ?? hash);
    return size === undefined || (row.pack === null ? size !== row.bytes : size < (row.at ?? 0) + row.bytes);
  });
}
