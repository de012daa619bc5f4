// Where a text occurs in raw bytes, with "\n" standing for the file's own line ending. Every occurrence counts, overlapping ones too.
import { occurrences } from './occurrences.ts';

export interface Match {
  start: number;
  end: number;
}

const LF = 0x0a;
const CR = 0x0d;
export const LINE_FEED = Buffer.from('\n');
const CARRIAGE_RETURN = Buffer.from('\r');
const BOTH = Buffer.from('\r\n');

/** A lone CR ends a line only in a file that has no LF at all; elsewhere it is an ordinary byte. */
export const endsLinesWithCr = (bytes: Buffer): boolean => !bytes.includes(LF) && bytes.includes(CR);

/** All matches in order of their start, `limit` at most; a second one may begin inside the first. */
export function findAll(bytes: Buffer, text: string, limit: number): Match[] {
  const needle = Buffer.from(text.replaceAll('\r\n', '\n'), 'utf8');
  const view = needle.includes(LF) ? withLineFeeds(bytes) : { bytes, original: (at: number) => at };
  const found: Match[] = [];
  for (const at of occurrences(view.bytes, needle)) {
    if (found.length >= limit) break;
    found.push({ start: view.original(at), end: view.original(at + needle.length) });
  }
  return found;
}

interface View {
  bytes: Buffer;
  /** The offset in the file of an offset in the view; a line ending begins where its CR stands. */
  original(at: number): number;
}

/** The file as it would be with LF alone between its lines. */
function withLineFeeds(bytes: Buffer): View {
  if (!bytes.includes(CR)) return { bytes, original: (at) => at };
  if (!bytes.includes(LF)) return { bytes: Buffer.from(bytes.map((byte) => (byte === CR ? LF : byte))), original: (at) => at };
  const parts: Buffer[] = [];
  const joints: number[] = [];
  let from = 0;
  for (let at = bytes.indexOf(BOTH); at >= 0; at = bytes.indexOf(BOTH, at + 2)) {
    parts.push(bytes.subarray(from, at));
    joints.push(at - joints.length);
    from = at + 1;
  }
  parts.push(bytes.subarray(from));
  return { bytes: Buffer.concat(parts), original: (at) => at + below(joints, at) };
}

/** How many of the ascending numbers are smaller. */
function below(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The bytes of each line ending in a range, in order. */
export function endingsIn(bytes: Buffer, range: Match, isCrFile: boolean): Buffer[] {
  const mark = isCrFile ? CR : LF;
  const endings: Buffer[] = [];
  for (let at = bytes.indexOf(mark, range.start); at >= 0 && at < range.end; at = bytes.indexOf(mark, at + 1))
    endings.push(endingOf(bytes, at, isCrFile));
  return endings;
}

/** The ending of the line that `range` stands on, else of the line before it; null in a file of one line. */
export function endingNear(bytes: Buffer, range: Match, isCrFile: boolean): Buffer | null {
  const mark = isCrFile ? CR : LF;
  const after = bytes.indexOf(mark, range.end);
  const at = after >= 0 || range.start === 0 ? after : bytes.lastIndexOf(mark, range.start - 1);
  return at < 0 ? null : endingOf(bytes, at, isCrFile);
}

function endingOf(bytes: Buffer, at: number, isCrFile: boolean): Buffer {
  if (isCrFile) return CARRIAGE_RETURN;
  return at > 0 && bytes[at - 1] === CR ? BOTH : LINE_FEED;
}
