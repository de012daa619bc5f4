// Lines of raw bytes: where they begin, and as many of them as fit a budget, never cut through a character.

/** What was taken out of a file, before it is dressed up for the answer. */
export interface Lines {
  bytes: Buffer;
  startLine: number;
  endLine: number;
  truncated: boolean;
  warning: string | null;
}

const NEWLINE = 10;

/** Where each line begins. A final line ending opens no further line, so an empty text has none. */
export function lineStarts(bytes: Buffer): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length;) {
    starts.push(at);
    const end = bytes.indexOf(NEWLINE, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  return starts;
}

export interface Lined {
  bytes: Buffer;
  starts: readonly number[];
  /** Bytes that the answer adds to each line. */
  cost: number;
  budgetBytes: number;
}

const endOf = ({ bytes, starts }: Lined, line: number) => starts[line] ?? bytes.length;
const startOf = ({ bytes, starts }: Lined, line: number) => starts[line - 1] ?? bytes.length;

export function takeForward(text: Lined, first: number, last: number): Lines {
  if (first > last) return { bytes: Buffer.alloc(0), startLine: first, endLine: first - 1, truncated: false, warning: null };
  const start = startOf(text, first);
  const fits = (line: number) => endOf(text, line) - start + (line - first) * text.cost <= text.budgetBytes;
  let end = first - 1;
  while (end < last && fits(end + 1)) end += 1;
  if (end < first) return longLine(text, first, wholeCharacters(text.bytes.subarray(start, start + text.budgetBytes)));
  return { bytes: text.bytes.subarray(start, endOf(text, end)), startLine: first, endLine: end, truncated: end < last, warning: null };
}

/** The last lines are the ones that were asked for, so what does not fit is left out at the front. */
export function takeBackward(text: Lined, first: number, last: number): Lines {
  const end = endOf(text, last);
  const fits = (line: number) => end - startOf(text, line) + (last - line) * text.cost <= text.budgetBytes;
  let start = last + 1;
  while (start > first && fits(start - 1)) start -= 1;
  if (start > last && last >= first) {
    const bytes = text.bytes.subarray(startOf(text, last), end);
    return longLine(text, last, fromCharacter(bytes.subarray(-text.budgetBytes)));
  }
  const warning = start > first ? `only the last ${last - start + 1} of the lines asked for fit; read the earlier ones by range.` : null;
  return { bytes: text.bytes.subarray(startOf(text, start), end), startLine: start, endLine: last, truncated: start > first, warning };
}

function longLine(text: Lined, line: number, bytes: Buffer): Lines {
  const length = endOf(text, line) - startOf(text, line);
  const warning = `line ${line} alone has ${length} bytes and is cut to ${bytes.length}; search_code shows the part around a match.`;
  return { bytes, startLine: line, endLine: line, truncated: true, warning };
}

/** `bytes` without the character at its end of which only a part is there. */
export function wholeCharacters(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > 0 && isContinuation(bytes[lead])) lead -= 1;
  const first = bytes[lead] ?? 0;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead + size > bytes.length ? bytes.subarray(0, lead) : bytes;
}

/** `bytes` without the rest of a character that began before it. */
export function fromCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
