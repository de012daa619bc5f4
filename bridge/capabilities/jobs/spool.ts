// The raw output of one stream on the disk, in segments: the newest bytes are kept, and how many were let go is always known.
import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

export type Stream = 'stdout' | 'stderr';

export interface SpoolLimits {
  segmentBytes: number;
  /** What is kept of a stream, a whole number of segments. */
  keptBytes: number;
}

export const SPOOL_LIMITS: SpoolLimits = { segmentBytes: 1 << 20, keptBytes: 20 << 20 };

export interface Spool {
  append(chunk: Buffer): void;
  /** How many bytes were ever written. */
  size(): number;
  /** The first offset that is still kept. */
  from(): number;
  /** At most so many bytes at the offset, or at the first that is kept when that is later. */
  read(offset: number, maxBytes: number): Buffer;
}

interface Segment {
  start: number;
  size: number;
}

/** Opens what is there of the stream, also after a restart. */
export function openSpool(folder: string, stream: Stream, { segmentBytes, keptBytes }: SpoolLimits = SPOOL_LIMITS): Spool {
  const segments = segmentsIn(folder, stream);
  const fileOf = ({ start }: Segment): string => join(folder, `${stream}.${start}`);
  const size = (): number => {
    const last = segments.at(-1);
    return last === undefined ? 0 : last.start + last.size;
  };

  function appendPiece(piece: Buffer): void {
    const last = segments.at(-1);
    const segment = last === undefined || last.size >= segmentBytes ? { start: size(), size: 0 } : last;
    if (segment !== last) segments.push(segment);
    appendFileSync(fileOf(segment), piece, { mode: 0o600 });
    segment.size += piece.length;
    while (segments.length > 1 && size() - (segments[1]?.start ?? 0) >= keptBytes) rmSync(fileOf(segments.shift() as Segment));
  }

  return {
    size,
    from: () => segments[0]?.start ?? 0,
    append(chunk) {
      if (segments.length === 0) mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (let rest = chunk; rest.length > 0;) {
        const room = segmentBytes - ((segments.at(-1)?.size ?? 0) % segmentBytes);
        appendPiece(rest.subarray(0, room));
        rest = rest.subarray(room);
      }
    },
    read(offset, maxBytes) {
      const pieces: Buffer[] = [];
      let at = Math.max(offset, segments[0]?.start ?? 0);
      let left = maxBytes;
      for (const segment of segments) {
        if (left <= 0 || at >= segment.start + segment.size) continue;
        const piece = readAt(fileOf(segment), at - segment.start, Math.min(left, segment.start + segment.size - at));
        pieces.push(piece);
        at += piece.length;
        left -= piece.length;
      }
      return Buffer.concat(pieces);
    },
  };
}

function segmentsIn(folder: string, stream: Stream): Segment[] {
  const starts = namesIn(folder).flatMap((name) => {
    const [, start] = /^(?:stdout|stderr)\.(\d+)$/.exec(name) ?? [];
    return start !== undefined && name.startsWith(`${stream}.`) ? [Number(start)] : [];
  });
  return starts.sort((a, b) => a - b).map((start) => ({ start, size: statSync(join(folder, `${stream}.${start}`)).size }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readAt(file: string, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const descriptor = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
  } finally {
    closeSync(descriptor);
  }
}
