// Line numbers and short contexts of places in raw bytes. One-based, by the file's own line endings.
import { endsLinesWithCr } from './find.ts';

const CONTEXT_BYTES = 160;

/** The line each offset stands on; the offsets are in ascending order, so that the file is counted once. */
export function lineNumbers(bytes: Buffer, offsets: readonly number[]): number[] {
  const mark = endsLinesWithCr(bytes) ? 0x0d : 0x0a;
  let line = 1;
  let from = 0;
  return offsets.map((offset) => {
    for (let at = bytes.indexOf(mark, from); at >= 0 && at < offset; at = bytes.indexOf(mark, from)) {
      line += 1;
      from = at + 1;
    }
    return line;
  });
}

/** The start of the line `at` stands on. */
export function lineStart(bytes: Buffer, at: number): number {
  const mark = endsLinesWithCr(bytes) ? 0x0d : 0x0a;
  return at === 0 ? 0 : bytes.lastIndexOf(mark, at - 1) + 1;
}

/** The text of the line on which a match begins, cut to a readable length around the match. */
export function contextOf(bytes: Buffer, match: { start: number; end: number }): string {
  const start = Math.max(lineStart(bytes, match.start), match.start - CONTEXT_BYTES / 2);
  const stop = bytes.subarray(match.start, match.start + CONTEXT_BYTES).findIndex((byte) => byte === 0x0a || byte === 0x0d);
  const end = stop < 0 ? match.start + CONTEXT_BYTES : match.start + stop;
  return wholeCharacters(bytes, start, end).toString('utf8');
}

/** A range widened to character borders, so that its text is valid UTF-8 whenever the file is. */
export function wholeCharacters(bytes: Buffer, start: number, end: number): Buffer {
  let from = Math.max(0, start);
  let to = Math.min(bytes.length, end);
  while (from > 0 && isContinuation(bytes[from])) from -= 1;
  while (to < bytes.length && isContinuation(bytes[to])) to += 1;
  return bytes.subarray(from, to);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
