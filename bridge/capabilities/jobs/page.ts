// A page of a program's output as text: no character is cut in two between pages, and where it can be told no line is either.
import { terminalText } from '#shared/terminal.ts';
import type { Spool } from './spool.ts';

export interface PageWish {
  offset: number;
  maxBytes: number;
  /** As a terminal would show it; else as it was written, with what is no UTF-8 replaced. */
  isClean: boolean;
  /** Nothing more will be written. */
  isEnded: boolean;
}

export interface Page {
  content: string;
  /** Where the page begins: later than what was asked for when those bytes are not kept any more. */
  offset: number;
  nextOffset: number;
  truncatedBeforeOffset: number;
  endOfStream: boolean;
}

const NEWLINE = 0x0a;
const CHARACTER_BYTES_MAX = 4;

export function pageOf(spool: Spool, { offset, maxBytes, isClean, isEnded }: PageWish): Page {
  const from = Math.min(Math.max(offset, spool.from()), spool.size());
  const raw = spool.read(from, maxBytes);
  const isLast = from + raw.length >= spool.size();
  const kept = isLast && isEnded ? raw : raw.subarray(0, wholeLength(raw, { isClean, isLast }));
  const text = kept.toString('utf8');
  return {
    content: isClean ? terminalText(text) : text,
    offset: from,
    nextOffset: from + kept.length,
    truncatedBeforeOffset: spool.from(),
    endOfStream: isEnded && from + kept.length >= spool.size(),
  };
}

/** What of the bytes stands for whole characters, and in a clean page that is not the last for whole lines, where it has any. */
function wholeLength(raw: Buffer, { isClean, isLast }: { isClean: boolean; isLast: boolean }): number {
  const line = isClean && !isLast ? raw.lastIndexOf(NEWLINE) + 1 : 0;
  return line > 0 ? line : raw.length - unfinished(raw);
}

/** How many bytes at the end begin a character that is not whole. */
function unfinished(raw: Buffer): number {
  for (let back = 1; back <= Math.min(CHARACTER_BYTES_MAX, raw.length); back += 1) {
    const byte = raw[raw.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < bytesOf(byte) && back < raw.length ? back : 0;
  }
  return 0;
}

const bytesOf = (first: number): number => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2);
