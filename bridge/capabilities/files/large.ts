// Head, range and tail of a file too large to hold: bounded memory, and no more of the file read than the answer needs.
import { readRange, type OpenFile } from '../../base/fs/read.ts';
import { Failed } from '../../failed.ts';
import { fromCharacter, lineStarts, wholeCharacters, type Lines } from './lines.ts';

const CHUNK_BYTES = 1024 * 1024;
/** How far a range may lie from the beginning: lines are found by counting them. */
const SCAN_BYTES = 1024 * 1024 * 1024;
const NEWLINE = 10;

export interface Range {
  first: number;
  /** Infinity: to the end, or as far as the budget goes. */
  last: number;
  budgetBytes: number;
  signal: AbortSignal;
}

/** Lines counted from the beginning. The file may grow meanwhile; no hash is claimed for it. */
export async function readLargeRange(file: OpenFile, { first, last, budgetBytes, signal }: Range): Promise<Lines> {
  const start = await startOfLine(file, first, signal);
  if (start >= file.size) return { bytes: Buffer.alloc(0), startLine: first, endLine: first - 1, truncated: false, warning: null };
  const window = await readRange(file, start, Math.min(budgetBytes, file.size - start));
  const isEnd = start + window.length >= file.size;
  const starts = lineStarts(window);
  const isLastWhole = isEnd || window.at(-1) === NEWLINE;
  const whole = isLastWhole ? starts.length : starts.length - 1;
  if (whole === 0) return cutLine(wholeCharacters(window), first);
  const taken = Math.min(whole, last - first + 1);
  const bytes = window.subarray(0, starts[taken] ?? window.length);
  const endLine = first + taken - 1;
  return { bytes, startLine: first, endLine, truncated: endLine < last && start + bytes.length < file.size, warning: null };
}

/**
 * The last lines, from one read at the end. How many lines come before them is not known, so they are numbered
 * from the end: -1 is the last line.
 */
export async function readLargeTail(file: OpenFile, count: number, budgetBytes: number): Promise<Lines> {
  const length = Math.min(budgetBytes, file.size);
  const window = await readRange(file, file.size - length, length);
  const starts = lineStarts(window);
  // What comes first in the window is the rest of a line that began before it, unless the byte before says otherwise.
  const before = length < file.size ? await readRange(file, file.size - length - 1, 1) : null;
  if (before !== null && before[0] !== NEWLINE) starts.shift();
  if (starts.length === 0) return cutLine(fromCharacter(window), -1);
  const kept = starts.slice(-count);
  const warning = kept.length < count && length < file.size ? `only the last ${kept.length} of the lines asked for fit.` : null;
  return { bytes: window.subarray(kept[0]), startLine: -kept.length, endLine: -1, truncated: warning !== null, warning };
}

async function startOfLine(file: OpenFile, wanted: number, signal: AbortSignal): Promise<number> {
  let line = 1;
  for (let at = 0; line < wanted && at < file.size; at += CHUNK_BYTES) {
    if (at >= SCAN_BYTES) throw tooFar(wanted);
    if (signal.aborted) throw new Failed('TIMEOUT', 'The read was cancelled.');
    const chunk = await readRange(file, at, Math.min(CHUNK_BYTES, file.size - at));
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, end + 1)) {
      line += 1;
      if (line === wanted) return at + end + 1;
    }
  }
  return wanted === 1 ? 0 : file.size;
}

function tooFar(line: number): Failed {
  return new Failed(
    'FILE_TOO_LARGE',
    `Line ${line} is more than ${SCAN_BYTES / 1024 ** 3} GiB into this file, which is further than lines are counted.`,
    {
      recovery: 'Use tailLines for its end.',
    },
  );
}

function cutLine(bytes: Buffer, line: number): Lines {
  const warning = `one line is longer than an answer may be; ${bytes.length} bytes of it are shown.`;
  return { bytes, startLine: line, endLine: line, truncated: true, warning };
}
