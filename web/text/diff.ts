// Reads unified diff text into lines with both numbers. Counts of the hunk header decide, never what a line happens to begin with.

export type DiffKind = 'context' | 'added' | 'removed' | 'note';

export interface DiffLine {
  kind: DiffKind;
  before: number | null;
  after: number | null;
  text: string;
}

export interface Hunk {
  /** What follows the second @@, usually the enclosing function. */
  heading: string;
  lines: DiffLine[];
}

export interface DiffCounts {
  added: number;
  removed: number;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

interface Cursor {
  before: number;
  after: number;
  beforeLeft: number;
  afterLeft: number;
}

export function parseDiff(text: string): Hunk[] {
  const hunks: Hunk[] = [];
  let cursor: Cursor = { before: 0, after: 0, beforeLeft: 0, afterLeft: 0 };
  for (const raw of text.split('\n')) {
    const hunk = hunks.at(-1);
    if (hunk !== undefined && (cursor.beforeLeft > 0 || cursor.afterLeft > 0)) {
      hunk.lines.push(bodyLine(raw, cursor));
      continue;
    }
    if (hunk !== undefined && raw.startsWith('\\ ')) {
      hunk.lines.push(note(raw));
      continue;
    }
    const match = header.exec(raw);
    if (match === null) continue;
    cursor = begin(match);
    hunks.push({ heading: match[5] ?? '', lines: [] });
  }
  return hunks;
}

/** The two modes that a diff begins with, when it is also about one. */
export function modesOf(text: string): { before: string; after: string } | null {
  const match = /^old mode (\d+)\nnew mode (\d+)\n/.exec(text);
  return match === null ? null : { before: match[1] ?? '', after: match[2] ?? '' };
}

export function countDiff(hunks: readonly Hunk[]): DiffCounts {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (kind: DiffKind) => lines.filter((line) => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}

function begin(match: RegExpExecArray): Cursor {
  const size = (text: string | undefined) => (text === undefined ? 1 : Number(text));
  return { before: Number(match[1]), after: Number(match[3]), beforeLeft: size(match[2]), afterLeft: size(match[4]) };
}

function bodyLine(raw: string, cursor: Cursor): DiffLine {
  const text = raw.slice(1);
  if (raw.startsWith('\\')) return note(raw);
  if (raw.startsWith('+')) {
    cursor.afterLeft -= 1;
    return { kind: 'added', before: null, after: cursor.after++, text };
  }
  cursor.beforeLeft -= 1;
  if (raw.startsWith('-')) return { kind: 'removed', before: cursor.before++, after: null, text };
  // Anything else is context: some tools drop the leading space of an empty line.
  cursor.afterLeft -= 1;
  return { kind: 'context', before: cursor.before++, after: cursor.after++, text };
}

const note = (raw: string): DiffLine => ({ kind: 'note', before: null, after: null, text: raw.replace(/^\\ ?/, '') });
