// Takes one change out of a file that later changes touched too: three-way by line on raw bytes, and a conflict is never guessed at.
import { diffIndices } from 'node-diff3';
import { endsLinesWithCr } from './find.ts';

export interface Sides {
  /** What the change that is taken back had left. */
  base: Buffer;
  /** What is there now. */
  ours: Buffer;
  /** What was there before that change. */
  theirs: Buffer;
}

export type Merged = { bytes: Buffer } | { conflict: 'overlap'; line: number } | { conflict: 'binary' | 'large' };

/** The comparison takes time with the square of the differing lines, so beyond this only a whole file can be put back. */
const MAX_WINDOW_LINES = 12_000;

/** `line` of a conflict is one-based in `ours`. */
export function merge({ base, ours, theirs }: Sides): Merged {
  if (ours.equals(theirs) || base.equals(theirs)) return { bytes: ours };
  if (base.equals(ours)) return { bytes: theirs };
  if ([base, ours, theirs].some((bytes) => bytes.includes(0))) return { conflict: 'binary' };
  const [o, a, b] = [linesOf(base), linesOf(ours), linesOf(theirs)];
  const head = commonHead(o, a, b);
  const tail = commonHead(o.slice(head).toReversed(), a.slice(head).toReversed(), b.slice(head).toReversed());
  const inner = [o, a, b].map((lines) => lines.slice(head, lines.length - tail)) as [string[], string[], string[]];
  if (Math.max(...inner.map((lines) => lines.length)) > MAX_WINDOW_LINES) return { conflict: 'large' };
  const middle = mergeLines(...inner);
  if (!Array.isArray(middle)) return { conflict: 'overlap', line: middle.line + head };
  const lines = [...a.slice(0, head), ...middle, ...a.slice(a.length - tail)];
  return { bytes: Buffer.from(lines.join(''), 'latin1') };
}

interface Hunk {
  start: number;
  end: number;
  lines: string[];
  /** Where it stands in the other text, for the message. */
  at: number;
}

/** Both sides' changes of `o` in order. They may touch; they conflict where they overlap or insert at one point. */
function mergeLines(o: string[], a: string[], b: string[]): string[] | { line: number } {
  const ours = hunksOf(o, a);
  const theirs = hunksOf(o, b).filter((hunk) => !ours.some((other) => isSame(hunk, other)));
  for (const hunk of ours) {
    if (theirs.some((other) => collide(hunk, other))) return { line: hunk.at + 1 };
  }
  const merged: string[][] = [];
  let from = 0;
  for (const hunk of [...ours, ...theirs].sort((x, y) => x.start - y.start || x.end - y.end)) {
    merged.push(o.slice(from, hunk.start), hunk.lines);
    from = hunk.end;
  }
  return [...merged, o.slice(from)].flat();
}

const hunksOf = (o: string[], other: string[]): Hunk[] =>
  diffIndices(o, other).map((hunk) => ({
    start: hunk.buffer1[0],
    end: hunk.buffer1[0] + hunk.buffer1[1],
    lines: hunk.buffer2Content,
    at: hunk.buffer2[0],
  }));

function collide(a: Hunk, b: Hunk): boolean {
  const bothInsert = a.start === a.end && b.start === b.end;
  return bothInsert ? a.start === b.start : a.start < b.end && b.start < a.end;
}

const isSame = (a: Hunk, b: Hunk): boolean =>
  a.start === b.start && a.end === b.end && a.lines.length === b.lines.length && a.lines.every((line, index) => line === b.lines[index]);

/** Lines with their endings, one byte a character, so that joining them gives exactly the bytes back. */
function linesOf(bytes: Buffer): string[] {
  const text = bytes.toString('latin1');
  return text.match(endsLinesWithCr(bytes) ? /[^\r]*\r|[^\r]+$/g : /[^\n]*\n|[^\n]+$/g) ?? [];
}

function commonHead(a: readonly string[], b: readonly string[], c: readonly string[]): number {
  const limit = Math.min(a.length, b.length, c.length);
  let count = 0;
  while (count < limit && a[count] === b[count] && a[count] === c[count]) count += 1;
  return count;
}
