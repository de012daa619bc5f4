// Exact replacement as splices on raw bytes: nothing outside a match changes, and a wrong number of matches changes nothing.
import type { Edit } from '#shared/contracts/edits.ts';
import { sha256 } from '../../base/digest.ts';
import { Failed } from '../../failed.ts';
import { endingNear, endingsIn, endsLinesWithCr, findAll, LINE_FEED, type Match } from './find.ts';
import { contextOf, lineNumbers } from './lines.ts';
import { nearest } from './nearest.ts';

export interface Spliced {
  bytes: Buffer;
  /** How many matches were replaced, over all edits. */
  replacements: number;
}

/** More matches than this in one file are refused rather than listed. */
export const MAX_MATCHES = 1_000_000;
const MAX_LINES_LISTED = 1000;
const MAX_CONTEXTS_LISTED = 100;

/** Applies the edits in order, each to the result of the one before it. `path` is for the message only. */
export function splice(original: Buffer, edits: readonly Edit[], path: string): Spliced {
  let bytes = original;
  let replacements = 0;
  edits.forEach((edit, index) => {
    const matches = choose(bytes, edit, { path, index, original, hash: () => sha256(original) });
    bytes = replaced(bytes, edit, matches);
    replacements += matches.length;
  });
  return { bytes, replacements };
}

/** Every occurrence replaced, or null when there is none. Overlapping occurrences are refused. */
export function spliceAll(bytes: Buffer, edit: { find: string; replace: string }, path: string): Spliced | null {
  wellFormed(edit);
  const matches = findAll(bytes, edit.find, MAX_MATCHES + 1);
  if (matches.length === 0) return null;
  refuseTooMany(matches, path);
  if (hasOverlap(matches)) throw ambiguous(bytes, matches, { path, index: 0, expected: 'every one, without overlap' });
  return { bytes: replaced(bytes, edit, matches), replacements: matches.length };
}

interface Asking {
  path: string;
  index: number;
  /** The file as it is on the disk, before any of the edits. */
  original: Buffer;
  hash: () => string;
}

function choose(bytes: Buffer, edit: Edit, asking: Asking): Match[] {
  wellFormed(edit);
  const all = findAll(bytes, edit.find, MAX_MATCHES + 1);
  if (all.length === 0) throw missed(bytes, edit, asking);
  refuseTooMany(all, asking.path);
  const chosen = edit.line === undefined ? all : onLine(bytes, all, edit.line);
  const expected = edit.expectedCount ?? (edit.replaceAll === true ? chosen.length : 1);
  if (chosen.length === 0 || chosen.length !== expected || hasOverlap(chosen))
    throw ambiguous(bytes, all, { ...asking, expected: expectation(edit, chosen, expected) });
  return chosen;
}

function expectation(edit: Edit, chosen: readonly Match[], count: number): string {
  if (chosen.length === count && hasOverlap(chosen)) return `${count} that do not overlap`;
  return edit.line === undefined ? String(count) : `${count} on line ${edit.line}`;
}

const hasOverlap = (matches: readonly Match[]): boolean =>
  matches.some((match, index) => index > 0 && match.start < (matches[index - 1]?.end ?? 0));

function onLine(bytes: Buffer, matches: Match[], line: number): Match[] {
  const lines = lineNumbers(
    bytes,
    matches.map((match) => match.start),
  );
  return matches.filter((_match, index) => lines[index] === line);
}

function replaced(bytes: Buffer, edit: { find: string; replace: string }, matches: readonly Match[]): Buffer {
  const find = segmentsOf(edit.find);
  const replace = segmentsOf(edit.replace);
  const texts = replace.map((segment) => Buffer.from(segment, 'utf8'));
  const isCrFile = replace.length > 1 && endsLinesWithCr(bytes);
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of matches) {
    parts.push(bytes.subarray(from, match.start));
    const endings = replace.length > 1 ? endingsFor(bytes, match, { find, replace, given: edit.replace, isCrFile }) : [];
    texts.forEach((text, index) => parts.push(text, ...(index < texts.length - 1 ? [endings[index] ?? LINE_FEED] : [])));
    from = match.end;
  }
  parts.push(bytes.subarray(from));
  return Buffer.concat(parts);
}

interface Lines {
  find: string[];
  replace: string[];
  /** The replacement as it was sent, for a file that has no line ending of its own. */
  given: string;
  isCrFile: boolean;
}

/**
 * The line ending of each break in the replacement. Lines that the edit leaves as they were keep theirs, counted from both
 * ends; a line that takes another's place takes its ending; an added line takes the neighbour's.
 */
function endingsFor(bytes: Buffer, match: Match, edit: Lines): Buffer[] {
  const endings = endingsIn(bytes, match, edit.isCrFile);
  const wanted = edit.replace.length - 1;
  if (endings.length === wanted) return endings;
  const neighbour = endings[0] ?? endingNear(bytes, match, edit.isCrFile);
  if (neighbour === null) return breaksAsGiven(edit.given);
  const head = commonHead(edit.find, edit.replace);
  const tail = Math.min(commonTail(edit.find, edit.replace), endings.length - Math.min(head, endings.length));
  return Array.from({ length: wanted }, (_unused, index) => {
    if (index < head) return endings[index] ?? neighbour;
    const fromEnd = wanted - index;
    if (fromEnd <= tail) return endings[endings.length - fromEnd] ?? neighbour;
    return endings[Math.min(index, endings.length - tail - 1)] ?? endings[index - 1] ?? neighbour;
  });
}

/** Lines that both texts begin with, not counting the last of either, which has no line ending. */
function commonHead(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) - 1 && a[count] === b[count]) count += 1;
  return count;
}

const commonTail = (a: readonly string[], b: readonly string[]): number => commonHead(a.toReversed(), b.toReversed());

const segmentsOf = (text: string): string[] => text.split(/\r\n|\n/);
const breaksAsGiven = (text: string): Buffer[] => (text.match(/\r\n|\n/g) ?? []).map((ending) => Buffer.from(ending));

function wellFormed(edit: { find: string; replace: string }): void {
  if (edit.find === '') throw new Failed('INVALID_INPUT', 'An edit has to name the text it finds. Nothing was written.');
  if (!edit.find.isWellFormed() || !edit.replace.isWellFormed())
    throw new Failed(
      'INVALID_INPUT',
      'The text of an edit holds half of a character pair, which no UTF-8 file can hold. Nothing was written.',
    );
}

function refuseTooMany(matches: readonly Match[], path: string): void {
  if (matches.length > MAX_MATCHES)
    throw new Failed('RESOURCE_LIMIT', `The text occurs more than ${MAX_MATCHES} times in ${JSON.stringify(path)}. Nothing was written.`);
}

function ambiguous(bytes: Buffer, matches: readonly Match[], asking: { path: string; index: number; expected: string }): Failed {
  const listed = matches.slice(0, MAX_LINES_LISTED);
  const lines = lineNumbers(
    bytes,
    listed.map((match) => match.start),
  );
  const overlap = hasOverlap(matches) ? ', some inside one another' : '';
  return new Failed(
    'AMBIGUOUS_EDIT',
    `The text of edit ${asking.index + 1} occurs ${matches.length} times in ${JSON.stringify(asking.path)}${overlap}; expected ${asking.expected}. Nothing was written.`,
    {
      recovery: 'Make the text longer so that it is unique, name the line, or say how many are expected.',
      detail: {
        path: asking.path,
        edit: asking.index,
        count: matches.length,
        overlapping: overlap !== '',
        lines,
        linesLeftOut: matches.length - lines.length,
        contexts: listed.slice(0, MAX_CONTEXTS_LISTED).map((match, index) => ({ line: lines[index], text: contextOf(bytes, match) })),
      },
    },
  );
}

function missed(bytes: Buffer, edit: Edit, asking: Asking): Failed {
  const before = asking.index === 0 ? [] : findAll(asking.original, edit.find, MAX_LINES_LISTED);
  if (before.length > 0) throw changedBefore(before, asking);
  const near = nearest(bytes, edit.find);
  const where = near === null ? 'nothing like it was found' : `the nearest text is on line ${near.startLine}`;
  return new Failed(
    'AMBIGUOUS_EDIT',
    `The text of edit ${asking.index + 1} does not occur in ${JSON.stringify(asking.path)}; ${where}. Nothing was written.`,
    {
      recovery: near === null ? 'Read the file again.' : 'Compare detail.nearest with your text and send the edit again.',
      detail: { path: asking.path, edit: asking.index, count: 0, lines: [], contexts: [], currentHash: asking.hash(), nearest: near },
    },
  );
}

/** Each edit meets what the ones in front of it left: what they changed is not there any more. */
function changedBefore(before: readonly Match[], { path, index, original, hash }: Asking): Failed {
  const lines = lineNumbers(
    original,
    before.map((match) => match.start),
  );
  return new Failed(
    'AMBIGUOUS_EDIT',
    `The text of edit ${index + 1} stands in ${JSON.stringify(path)}, but the edits in front of it change it first. Nothing was written.`,
    {
      recovery: 'Edits are applied in order, each to what the one before left: join those that overlap into one.',
      detail: { path, edit: index, count: 0, overlapping: true, lines, contexts: [], currentHash: hash(), nearest: null },
    },
  );
}
