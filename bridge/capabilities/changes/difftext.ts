// A unified diff to look at, never to apply: bounded in size and time, and it says when it is cut.
import { isUtf8 } from 'node:buffer';
import { structuredPatch } from 'diff';
import type { Meta } from '../../base/fs/meta.ts';
import { endsLinesWithCr } from './find.ts';
import { lineStart } from './lines.ts';

export interface DiffText {
  diff: string;
  truncated: boolean;
}

export interface Sides {
  path: string;
  destPath?: string | null;
  /** null: nothing is there. */
  before: Buffer | null;
  after: Buffer | null;
}

const LIMIT_BYTES = 16 * 1024;
const ANSWER_BYTES = 48 * 1024;
const WINDOW_BYTES = 2 * 1024 * 1024;
const MAX_EDIT_LINES = 2000;
/** Of one comparison, and of all that belong to one answer: they hold up every other caller. */
const TIMEOUT_MS = 100;
const ANSWER_MS = 300;
const CONTEXT_LINES = 3;
const NOTHING = Buffer.alloc(0);

/** The time that the comparisons of one answer still have together. */
export interface DiffBudget {
  leftMs: number;
}

export const diffBudget = (): DiffBudget => ({ leftMs: ANSWER_MS });

/** The diff of one file, 16 KiB at most. Files of one answer share a budget. */
export function diffText({ path, destPath, before, after }: Sides, budget: DiffBudget = diffBudget()): DiffText {
  const header = `--- ${before === null ? '/dev/null' : `a/${path}`}\n+++ ${after === null ? '/dev/null' : `b/${destPath ?? path}`}\n`;
  if (before !== null && after !== null && before.equals(after)) return { diff: header, truncated: false };
  const sides = { before: before ?? NOTHING, after: after ?? NOTHING };
  if (!isText(sides.before) || !isText(sides.after)) {
    return { diff: `${header}Binary: ${sides.before.length} bytes before, ${sides.after.length} bytes after\n`, truncated: false };
  }
  const body = hunks(sides, budget);
  if (body === null) {
    return {
      diff: `${header}Too much to compare here: ${sides.before.length} bytes before, ${sides.after.length} bytes after\n`,
      truncated: true,
    };
  }
  return cut(header + body);
}

/** What stands for the diff of bytes too many to be held; null for a side that is not there. */
export function tooLargeToShow(path: string, sizes: { before: number | null; after: number | null }): DiffText {
  const header = `--- ${sizes.before === null ? '/dev/null' : `a/${path}`}\n+++ ${sizes.after === null ? '/dev/null' : `b/${path}`}\n`;
  return { diff: `${header}Too large to show: ${sizes.before ?? 0} bytes before, ${sizes.after ?? 0} bytes after\n`, truncated: true };
}

/** The words that git has for it. */
export const modeDiff = (before: Pick<Meta, 'mode'> | null, after: Pick<Meta, 'mode'> | null): string =>
  before === null || after === null || before.mode === after.mode ? '' : `old mode ${octal(before.mode)}\nnew mode ${octal(after.mode)}\n`;

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');

const isText = (bytes: Buffer): boolean => !bytes.includes(0) && isUtf8(bytes);

/** The diffs of one answer, together no larger than is readable: what comes too late is cut, and says so. */
export function boundDiffs(diffs: readonly DiffText[]): DiffText[] {
  let leftBytes = ANSWER_BYTES;
  return diffs.map((one) => {
    const bounded = cut(one.diff, leftBytes);
    leftBytes -= Buffer.byteLength(bounded.diff);
    return { diff: bounded.diff, truncated: bounded.truncated || one.truncated };
  });
}

/** The diffs of several files in one text, bounded as one. */
export function joinDiffs(diffs: readonly DiffText[]): DiffText {
  const joined = cut(diffs.map((one) => one.diff).join(''));
  return { diff: joined.diff, truncated: joined.truncated || diffs.some((one) => one.truncated) };
}

/** Only what lies between the common beginning and the common end is compared, with a few lines of it for context. */
function hunks({ before, after }: { before: Buffer; after: Buffer }, budget: DiffBudget): string | null {
  const head = linesUp(before, commonHead(before, after), CONTEXT_LINES + 1);
  const tail = commonTail(before.subarray(head), after.subarray(head));
  const ends = { before: linesDown(before, before.length - tail), after: linesDown(after, after.length - tail) };
  if (ends.before - head + ends.after - head > WINDOW_BYTES) return null;
  if (before.length === 0 || after.length === 0) return oneSided({ before, after });
  const texts = [windowText(before, head, ends.before), windowText(after, head, ends.after)] as const;
  const patch = compare(...texts, budget);
  if (patch === undefined) return null;
  const linesAbove = countLines(before, head);
  return patch.hunks.map((hunk) => hunkText(hunk, linesAbove)).join('');
}

/** undefined when they differ in too much, or when there is no time left to find out. */
function compare(before: string, after: string, budget: DiffBudget) {
  if (budget.leftMs <= 0) return undefined;
  const begun = performance.now();
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LINES,
    timeout: Math.min(TIMEOUT_MS, budget.leftMs),
  });
  budget.leftMs -= performance.now() - begun;
  return patch;
}

/** All lines of a file that is new or gone; comparing them with nothing would only take time. */
function oneSided({ before, after }: { before: Buffer; after: Buffer }): string {
  const bytes = before.length === 0 ? after : before;
  const text = windowText(bytes, 0, bytes.length);
  const lines = text.replace(/\n$/, '').split('\n');
  const ended = text.endsWith('\n') ? [] : ['\\ No newline at end of file'];
  const [kind, old, fresh] = before.length === 0 ? ['+', '0,0', `1,${lines.length}`] : ['-', `1,${lines.length}`, '0,0'];
  return [`@@ -${old} +${fresh} @@`, ...lines.map((line) => kind + line), ...ended, ''].join('\n');
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** A range of no lines is counted from the line before it. */
function hunkText(hunk: Hunk, linesAbove: number): string {
  const range = (start: number, lines: number) => `${start + linesAbove - (lines === 0 ? 1 : 0)},${lines}`;
  return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@\n${hunk.lines.join('\n')}\n`;
}

function windowText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  return endsLinesWithCr(bytes) ? text.replaceAll('\r', '\n') : text;
}

const BLOCK_BYTES = 64 * 1024;

/** How many bytes both begin with; whole blocks are compared natively. */
function commonHead(a: Buffer, b: Buffer): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at + BLOCK_BYTES <= limit && a.compare(b, at, at + BLOCK_BYTES, at, at + BLOCK_BYTES) === 0) at += BLOCK_BYTES;
  while (at < limit && a[at] === b[at]) at += 1;
  return at;
}

function commonTail(a: Buffer, b: Buffer): number {
  const limit = Math.min(a.length, b.length);
  let count = 0;
  const isSame = (size: number) => a.compare(b, b.length - count - size, b.length - count, a.length - count - size, a.length - count) === 0;
  while (count + BLOCK_BYTES <= limit && isSame(BLOCK_BYTES)) count += BLOCK_BYTES;
  while (count < limit && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}

function linesUp(bytes: Buffer, at: number, lines: number): number {
  let start = lineStart(bytes, at);
  for (let count = 1; count < lines && start > 0; count += 1) start = lineStart(bytes, start - 1);
  return start;
}

/** The end of the line `at` is in, and of a few more. */
function linesDown(bytes: Buffer, at: number): number {
  const mark = endsLinesWithCr(bytes) ? 0x0d : 0x0a;
  let end = at;
  for (let count = 0; count <= CONTEXT_LINES && end < bytes.length; count += 1) {
    const next = bytes.indexOf(mark, end);
    end = next < 0 ? bytes.length : next + 1;
  }
  return end;
}

function countLines(bytes: Buffer, end: number): number {
  const mark = endsLinesWithCr(bytes) ? 0x0d : 0x0a;
  let count = 0;
  for (let at = bytes.indexOf(mark); at >= 0 && at < end; at = bytes.indexOf(mark, at + 1)) count += 1;
  return count;
}

/** Cut at the end of a line where there is one, so that what is shown is whole. */
function cut(text: string, limitBytes = LIMIT_BYTES): DiffText {
  const bytes = Buffer.from(text);
  if (bytes.length <= limitBytes) return { diff: text, truncated: false };
  const line = limitBytes === 0 ? -1 : bytes.lastIndexOf(0x0a, limitBytes - 1);
  const end = line > limitBytes / 2 ? line + 1 : characterStart(bytes, Math.max(0, limitBytes - 1));
  const kept = bytes.toString('utf8', 0, end);
  return { diff: kept === '' || kept.endsWith('\n') ? kept : `${kept}\n`, truncated: true };
}

function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
