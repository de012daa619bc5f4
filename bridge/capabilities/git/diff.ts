// A diff as git prints it, taken apart by file. A part whose file cannot be told for certain is never given.
import type { DiffFile } from '#shared/contracts/git.ts';
import { unquoted, type RawPath } from './names.ts';

export interface RawChange {
  path: RawPath;
  from: RawPath | null;
  status: DiffFile['status'];
  /** What is there afterwards is a file or link of the work tree, not of the repository. */
  isOnDisk: boolean;
}

export interface Section {
  path: RawPath;
  from: RawPath | null;
  text: string;
  added: number;
  removed: number;
  isBinary: boolean;
}

export interface RawDiff {
  changes: RawChange[];
  sections: Section[];
  /** Parts whose file could not be told. */
  unknown: number;
}

const words: Readonly<Record<string, DiffFile['status']>> = {
  A: 'added',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
  U: 'unmerged',
};

/** `text` is what `git diff --raw -p -z` prints, one character a byte; `isCut` when its end is missing: then it ends with the last whole line. */
export function parseDiff(text: string, isCut: boolean): RawDiff {
  const { changes, end } = parseRaw(text);
  // A list that was cut off is followed by no patch.
  const patch = end === null ? '' : text.slice(end, isCut ? text.lastIndexOf('\n') + 1 : undefined);
  const parsed = splitPatch(patch).map(parseSection);
  const known = parsed.filter((section) => section !== null);
  return { changes, sections: known, unknown: parsed.length - known.length };
}

/** The list before the patch: `:modes ids letter` NUL name NUL, and an empty record at its end. */
function parseRaw(text: string): { changes: RawChange[]; end: number | null } {
  const changes: RawChange[] = [];
  let at = 0;
  const next = (): string | null => {
    const end = text.indexOf('\0', at);
    if (end === -1) return null;
    const record = text.slice(at, end);
    at = end + 1;
    return record;
  };
  while (text[at] === ':') {
    const head = /^:(?:\d{6} ){2}(?:[0-9a-f]+(?:\.\.\.)? ){2}([A-Z])\d*$/.exec(next() ?? '');
    const letter = head?.[1] ?? '';
    const first = next();
    const second = letter === 'R' || letter === 'C' ? next() : first;
    if (first === null || second === null) return { changes, end: null };
    const status = words[letter];
    if (head === null || status === undefined) throw new Error('git diff printed a record of an unknown form.');
    const isOnDisk = / 0+(?:\.\.\.)? [A-Z]\d*$/.test(head[0]) && letter !== 'D';
    // An unmerged file has two records: that it is, and how it differs.
    if (!changes.some((change) => change.path === second && change.status === 'unmerged'))
      changes.push({ path: second, from: second === first ? null : first, status, isOnDisk: isOnDisk || status === 'unmerged' });
  }
  if (at === 0) return { changes, end: null };
  return { changes, end: text[at] === '\0' ? at + 1 : null };
}

/** Content always begins with one of " +-\@", so a line that begins with "diff --" or "* Unmerged" is git's own. The list tells of the latter. */
function splitPatch(patch: string): string[] {
  return patch.split(/^(?=diff --|\* Unmerged path )/m).filter((text) => text !== '' && !text.startsWith('* '));
}

function parseSection(text: string): Section | null {
  const names = namesOf(text);
  if (names === null) return null;
  let [added, removed, isBinary] = [0, 0, false];
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  if (first === -1) isBinary = lines.some((line) => line.startsWith('Binary files '));
  else
    for (const line of lines.slice(first)) {
      if (line.startsWith('+')) added += 1;
      else if (line.startsWith('-')) removed += 1;
    }
  return { ...names, text, added, removed, isBinary };
}

function namesOf(text: string): Pick<Section, 'path' | 'from'> | null {
  const [head = '', ...rest] = text.split('\n', 12);
  const line = /^diff --git (.*)$/.exec(head)?.[1];
  if (line === undefined) return null;
  const extended = rest.slice(
    0,
    Math.max(
      0,
      rest.findIndex((one) => /^(---|@@|Binary)/.test(one)),
    ) || rest.length,
  );
  const from = extended.map((one) => /^(?:rename|copy) from (.*)$/.exec(one)?.[1]).find((one) => one !== undefined);
  const to = extended.map((one) => /^(?:rename|copy) to (.*)$/.exec(one)?.[1]).find((one) => one !== undefined);
  if (from === undefined || to === undefined) return from === to ? twice(line) : null;
  const [old, path] = [single(from), single(to)];
  return old === null || path === null ? null : { path: path.path, from: old.path };
}

/** One name to the end of the line. */
function single(text: string): { path: RawPath; from: null } | null {
  if (!text.startsWith('"')) return text === '' ? null : { path: text, from: null };
  const name = unquoted(text);
  return name !== null && name.end === text.length ? { path: name.raw, from: null } : null;
}

/** `a/NAME b/NAME`: the same name twice, so that where the first one ends is certain. */
function twice(line: string): { path: RawPath; from: null } | null {
  if (line.startsWith('"')) {
    const first = unquoted(line);
    const second = first === null || line[first.end] !== ' ' ? null : unquoted(line.slice(first.end + 1));
    if (first === null || second === null || first.end + 1 + second.end !== line.length) return null;
    return paired(first.raw, second.raw);
  }
  const half = (line.length - 1) / 2;
  return Number.isInteger(half) && line[half] === ' ' ? paired(line.slice(0, half), line.slice(half + 1)) : null;
}

function paired(first: RawPath, second: RawPath): { path: RawPath; from: null } | null {
  const isSame = first.startsWith('a/') && second.startsWith('b/') && first.slice(2) === second.slice(2) && first.length > 2;
  return isSame ? { path: first.slice(2), from: null } : null;
}
