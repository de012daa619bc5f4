// One page of matches, its text read by us from proven files: what ripgrep saw is only believed where the disk still says the same.
import { comparePaths } from '#shared/paths.ts';
import type { z } from 'zod';
import type { SearchMatch } from '#shared/contracts/files.ts';
import { Failed } from '../../failed.ts';
import { readBytes } from './bytes.ts';
import type { Position } from './cursors.ts';
import type { FileHits, Hit } from './hits.ts';
import { lineStarts } from './lines.ts';
import { hasWideMark } from './text.ts';

export type Match = z.input<typeof SearchMatch>;

export interface PageRequest {
  root: string;
  files: ReadonlyMap<string, FileHits>;
  after: Position | null;
  maxResults: number;
  before: number;
  behind: number;
  budgetBytes: number;
  limitBytes: number;
  isOver(): boolean;
}

export interface Page {
  matches: Match[];
  /** The last match given, when more follow. */
  next: Position | null;
  /** Files that could not be read as text any more; nothing of them is told. */
  dropped: { path: string; code: string }[];
  /** Hits that the disk no longer bears out. */
  stale: number;
}

/** Lines beyond this are shown in part. */
export const LINE_CHARACTERS = 500;

export async function pageOf(request: PageRequest): Promise<Page> {
  const page: Page = { matches: [], next: null, dropped: [], stale: 0 };
  const room: Room = { left: request.budgetBytes };
  const { after } = request;
  const paths = [...request.files.keys()].sort(comparePaths);
  for (const path of paths) {
    if (after !== null && comparePaths(path, after.path) < 0) continue;
    const hits = (request.files.get(path)?.hits ?? []).filter((hit) => after === null || path !== after.path || hit.line > after.line);
    if (hits.length === 0) continue;
    if (page.matches.length >= request.maxResults || room.left <= 0) return withNext(page);
    // Even when the time is up, a page holds what there is of one file.
    if (request.isOver() && page.matches.length + page.dropped.length > 0) return withNext(page);
    const text = await textOf(request, path);
    if (text instanceof Failed) page.dropped.push({ path, code: text.code });
    else if (!addMatches(page, room, { request, path, hits, text })) return withNext(page);
  }
  return page;
}

interface Room {
  left: number;
}

function withNext(page: Page): Page {
  const last = page.matches.at(-1);
  return { ...page, next: last === undefined ? null : { path: last.path, line: last.line } };
}

async function textOf({ root, limitBytes }: PageRequest, path: string): Promise<Text | Failed> {
  try {
    const { bytes } = await readBytes(root, path, limitBytes);
    if (bytes.includes(0) || hasWideMark(bytes)) return new Failed('UNSUPPORTED_ENCODING', 'This file is binary.');
    return { bytes, starts: lineStarts(bytes) };
  } catch (error) {
    if (error instanceof Failed) return error;
    throw error;
  }
}

interface Text {
  bytes: Buffer;
  starts: readonly number[];
}

/** False when the page is full before the hits are at an end. */
function addMatches(page: Page, room: Room, from: { request: PageRequest; path: string; hits: readonly Hit[]; text: Text }): boolean {
  const { request, path, hits, text } = from;
  for (const hit of hits) {
    if (page.matches.length >= request.maxResults || room.left <= 0) return false;
    const line = lineAt(text, hit.line);
    if (line === null || !bearsOut(line, hit.text)) {
      page.stale += 1;
      continue;
    }
    const match = matchOf(request, { path, hit, text, line });
    page.matches.push(match);
    room.left -= sizeOf(match);
  }
  return true;
}

function matchOf(request: PageRequest, from: { path: string; hit: Hit; text: Text; line: Buffer }): Match {
  const { path, hit, text, line } = from;
  const column = line.subarray(0, hit.column - 1).toString('utf8').length + 1;
  const around = (first: number, last: number) => {
    const lines: string[] = [];
    for (let number = Math.max(1, first); number <= Math.min(last, text.starts.length); number += 1)
      lines.push(shown(lineAt(text, number)?.toString('utf8') ?? '', 1));
    return lines;
  };
  return {
    path,
    line: hit.line,
    column,
    lineText: shown(line.toString('utf8'), column),
    before: around(hit.line - request.before, hit.line - 1),
    after: around(hit.line + 1, hit.line + request.behind),
  };
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A line without its ending, and the first one without a byte order mark, as ripgrep counts columns. */
function lineAt({ bytes, starts }: Text, number: number): Buffer | null {
  const start = starts[number - 1];
  if (start === undefined) return null;
  let end = starts[number] ?? bytes.length;
  if (bytes[end - 1] === 10) end -= 1;
  if (bytes[end - 1] === 13 && end > start) end -= 1;
  const line = bytes.subarray(start, end);
  return number === 1 && line.subarray(0, 3).equals(MARK) ? line.subarray(3) : line;
}

/** Whether the line is the one ripgrep printed. A line too long to print is told by a notice instead of its text. */
function bearsOut(line: Buffer, printed: Buffer): boolean {
  let end = printed.length;
  while (end > 0 && printed[end - 1] === 13) end -= 1;
  let lineEnd = line.length;
  while (lineEnd > 0 && line[lineEnd - 1] === 13) lineEnd -= 1;
  return line.subarray(0, lineEnd).equals(printed.subarray(0, end)) || printed.subarray(0, NOTICE.length).equals(NOTICE);
}
const NOTICE = Buffer.from('[Omitted long ');

/** At most 500 characters, around the column when the line is longer; "…" stands where something is left out. */
function shown(line: string, column: number): string {
  if (line.length <= LINE_CHARACTERS) return line;
  const room = LINE_CHARACTERS - 2;
  const start = Math.max(0, Math.min(column - 1 - 100, line.length - room));
  const part = line.slice(start, start + room).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '…' : ''}${part}${start + room < line.length ? '…' : ''}`;
}

const sizeOf = (match: Match) =>
  [match.path, match.lineText, ...match.before, ...match.after].reduce((sum, text) => sum + Buffer.byteLength(text) + 8, 40);
