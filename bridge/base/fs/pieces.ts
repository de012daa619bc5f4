// Bytes too many to hold at once: one piece after another is read, proven and written, and other work gets its turn in between.
import { createHash } from 'node:crypto';
import { read, write } from 'node:fs';
import { promisify } from 'node:util';

/** Each piece is good only until the next one is asked for. */
export type Pieces = AsyncIterable<Buffer>;

const PIECE_BYTES = 256 * 1024;
const readLater = promisify(read);
const writeLater = promisify(write);

/** `size` bytes of an open file from `start` on; fewer when it ends before. */
export async function* piecesOf(fd: number, size: number, start = 0): AsyncGenerator<Buffer, void> {
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size));
  for (let at = 0; at < size;) {
    const { bytesRead } = await readLater(fd, piece, 0, Math.min(piece.length, size - at), start + at);
    if (bytesRead === 0) return;
    yield piece.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Passes the pieces on and hashes them; throws `unlike(hash)` after the last one when they have another hash. */
export async function* proven(
  pieces: Pieces,
  { hash, unlike }: { hash: string; unlike: (found: string) => Error },
): AsyncGenerator<Buffer, void> {
  const digest = createHash('sha256');
  for await (const piece of pieces) {
    digest.update(piece);
    yield piece;
  }
  const found = digest.digest('hex');
  if (found !== hash) throw unlike(found);
}

/** Appends the pieces to an open file. */
export async function writePieces(fd: number, pieces: Pieces): Promise<void> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) at += (await writeLater(fd, piece, at)).bytesWritten;
  }
}
