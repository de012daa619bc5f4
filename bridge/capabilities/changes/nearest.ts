// The text most like one that was not found, to read and never to write: bounded work, whatever the size of the file.
import { diffChars } from 'diff';
import { lineNumbers, lineStart, wholeCharacters } from './lines.ts';

export interface Difference {
  /** The line in the file. */
  line: number;
  /** Of a long line, the part that begins shortly before the first difference. */
  wanted: string;
  found: string;
  /** The characters that differ, in order: "-" is in the text that was asked for only, "+" in the file only. */
  characters: string[];
}

export interface Nearest {
  startLine: number;
  endLine: number;
  /** The bytes that are there now, cut to a readable length. */
  text: string;
  isTextCut: boolean;
  differences: Difference[];
}

const MAX_ANCHORS = 12;
const ANCHOR_CHARS = 64;
const MAX_HITS = 24;
const MAX_CANDIDATES = 40;
const MAX_TEXT_BYTES = 4096;
const MAX_DIFFERENCES = 8;
const MAX_LINE_CHARS = 400;
/** How much of a line is compared to choose the place, and how much before a difference is shown with it. */
const SCORED_CHARS = 2048;
const LEAD_CHARS = 60;
/** One scan of 8 MiB takes a few milliseconds; no further one is begun after this, so an answer stays under 50 ms. */
const SCAN_TIME_MS = 20;
/** The likeliest places are looked at first, and no further one after this. */
const SCORE_TIME_MS = 10;

/** null when no part of the text occurs in the file. */
export function nearest(bytes: Buffer, find: string): Nearest | null {
  const wanted = find.split(/\r\n|\n/).slice(0, 200);
  const starts = candidates(bytes, find, wanted);
  const beginnings = wanted.map((line) => line.slice(0, SCORED_CHARS));
  const startedMs = performance.now();
  let best: { start: number; score: number } | null = null;
  for (const start of starts) {
    const score = likeness(beginnings, linesFrom(bytes, start, beginnings));
    if (best === null || score > best.score) best = { start, score };
    if (performance.now() - startedMs > SCORE_TIME_MS) break;
  }
  return best === null ? null : describe(bytes, best.start, wanted);
}

interface Anchor {
  text: Buffer;
  /** Where the anchor stands in the text that was asked for. */
  line: number;
  column: number;
}

/** Offsets at which the wanted text might begin, from the places where parts of it occur exactly; a rare part says more. */
function candidates(bytes: Buffer, find: string, wanted: readonly string[]): number[] {
  const weights = new Map<number, number>();
  const startedMs = performance.now();
  for (const anchor of anchorsOf(find, wanted)) {
    const starts = hitsOf(bytes, anchor).map((at) => lineUp(bytes, at - anchor.column, anchor.line));
    for (const start of starts) weights.set(start, (weights.get(start) ?? 0) + 1 / starts.length);
    if (performance.now() - startedMs > SCAN_TIME_MS) break;
  }
  return [...weights]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_CANDIDATES)
    .map(([start]) => start);
}

function hitsOf(bytes: Buffer, anchor: Anchor): number[] {
  const hits: number[] = [];
  let at = bytes.indexOf(anchor.text);
  while (at >= 0 && hits.length < MAX_HITS) {
    hits.push(at);
    at = bytes.indexOf(anchor.text, at + anchor.text.length);
  }
  return hits;
}

/** The longest trimmed lines, then pieces of the longest line for a text that differs on every line. */
function anchorsOf(find: string, wanted: readonly string[]): Anchor[] {
  const lines = wanted
    .map((text, line) => ({
      text: text.trim().slice(0, ANCHOR_CHARS),
      line,
      column: byteColumn(text, text.length - text.trimStart().length),
    }))
    .filter((anchor) => anchor.text.length >= 3)
    .sort((a, b) => b.text.length - a.text.length)
    .slice(0, MAX_ANCHORS / 2);
  const longest = wanted.reduce((best, text, line) => (text.length > (wanted[best]?.length ?? 0) ? line : best), 0);
  return [...lines, ...piecesOf(wanted[longest] ?? find, longest)].map((anchor) => ({ ...anchor, text: Buffer.from(anchor.text) }));
}

function piecesOf(text: string, line: number): { text: string; line: number; column: number }[] {
  const size = Math.max(3, Math.ceil(Math.min(text.length, MAX_TEXT_BYTES) / (MAX_ANCHORS / 2)));
  const pieces = [];
  for (let at = 0; at < text.length && pieces.length < MAX_ANCHORS / 2; at += size) {
    const piece = text.slice(at, at + Math.min(size, ANCHOR_CHARS));
    if (piece.trim().length >= 3) pieces.push({ text: piece, line, column: byteColumn(text, at) });
  }
  return pieces;
}

const byteColumn = (text: string, chars: number): number => Buffer.byteLength(text.slice(0, chars));

/** The offset `lines` lines above the line of `at`; on the first of them, for a very long line, the place itself. */
function lineUp(bytes: Buffer, at: number, lines: number): number {
  let start = lineStart(bytes, Math.max(0, Math.min(at, bytes.length)));
  if (lines === 0 && at - start > MAX_TEXT_BYTES) return at;
  for (let count = 0; count < lines && start > 0; count += 1) start = lineStart(bytes, start - 1);
  return start;
}

interface Found {
  text: string;
  start: number;
}

/** As many lines of the file as the wanted text has, none longer than is readable. */
function linesFrom(bytes: Buffer, start: number, wanted: readonly string[]): Found[] {
  const found: Found[] = [];
  let at = Math.max(0, start);
  for (const line of wanted) {
    if (at > bytes.length || (at === bytes.length && found.length > 0)) break;
    const limit = at + Math.max(MAX_LINE_CHARS, line.length * 2);
    const stop = lineEnd(bytes.subarray(at, limit));
    const end = stop < 0 ? Math.min(limit, bytes.length) : at + stop;
    found.push({
      text: wholeCharacters(bytes, at, stop < 0 ? Math.min(end, at + Buffer.byteLength(line) + 40) : end).toString('utf8'),
      start: at,
    });
    if (stop < 0) break;
    at = bytes[end] === 0x0d && bytes[end + 1] === 0x0a ? end + 2 : end + 1;
  }
  return found;
}

function lineEnd(window: Buffer): number {
  const [feed, carriage] = [window.indexOf(0x0a), window.indexOf(0x0d)];
  return feed < 0 || carriage < 0 ? Math.max(feed, carriage) : Math.min(feed, carriage);
}

/** How much of the wanted text is there, in characters: a line counts by its common beginning and end. */
function likeness(wanted: readonly string[], found: readonly Found[]): number {
  return wanted.reduce((sum, line, index) => {
    const other = found[index]?.text;
    if (other === undefined) return sum - 1;
    const same = line === other ? line.length + 1 : sharedEnds(line, other);
    return sum + same - Math.abs(line.length - other.length) / 1000;
  }, 0);
}

function sharedHead(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let head = 0;
  while (head < limit && a[head] === b[head]) head += 1;
  return head;
}

function sharedEnds(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  const head = sharedHead(a, b);
  let tail = 0;
  while (tail < limit - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return head + tail;
}

function describe(bytes: Buffer, start: number, wanted: readonly string[]): Nearest {
  const found = linesFrom(bytes, start, wanted);
  const last = found.at(-1);
  const end = last === undefined ? start : last.start + Buffer.byteLength(last.text);
  const [startLine = 1] = lineNumbers(bytes, [start]);
  const shown = wholeCharacters(bytes, start, Math.min(end, start + MAX_TEXT_BYTES));
  const differences: Difference[] = [];
  wanted.forEach((line, index) => {
    const other = found[index]?.text ?? '';
    if (line !== other && differences.length < MAX_DIFFERENCES) differences.push(difference(startLine + index, line, other));
  });
  return {
    startLine,
    endLine: startLine + Math.max(0, found.length - 1),
    text: shown.toString('utf8'),
    isTextCut: end - start > MAX_TEXT_BYTES,
    differences,
  };
}

function difference(line: number, wanted: string, found: string): Difference {
  const from = Math.max(0, sharedHead(wanted, found) - LEAD_CHARS);
  const cut = { wanted: excerpt(wanted, from), found: excerpt(found, from) };
  const parts = diffChars(cut.wanted, cut.found, { maxEditLength: 200 });
  const characters = parts
    ? parts.filter((part) => part.added || part.removed).map((part) => `${part.added ? '+' : '-'}${part.value}`)
    : [`-${cut.wanted}`, `+${cut.found}`];
  return { line, ...cut, characters };
}

/** Never half of a character that takes two units. */
function excerpt(line: string, from: number): string {
  const [begin, end] = [from, from + MAX_LINE_CHARS].map((at) => (/[\udc00-\udfff]/.test(line[at] ?? '') ? at + 1 : at));
  return line.slice(begin, end);
}
