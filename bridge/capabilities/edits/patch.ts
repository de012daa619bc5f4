// Reads a unified diff without guessing: what is not a plain change of text is refused, and every line keeps its bytes.
// The `diff` package's parser is not used: it trims file names and steps over renames, modes and binary parts in silence.
import { Failed } from '../../failed.ts';
import { sideName, unprefixed } from './names.ts';

export interface HunkLine {
  kind: ' ' | '-' | '+';
  /** Without its line feed; a CR before it is part of the text. */
  text: string;
  /** Followed by "\ No newline at end of file". */
  isUnended: boolean;
}

export interface Hunk {
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
  lines: HunkLine[];
}

export interface PatchFile {
  path: string;
  action: 'create' | 'replace' | 'delete';
  isExecutable: boolean;
  hunks: Hunk[];
}

/** The lines of the patch and how far they are read. */
interface Reader {
  lines: string[];
  at: number;
}

/** What the lines between two files say. */
interface Header {
  git: boolean;
  isCreated: boolean;
  isDeleted: boolean;
  mode: string | null;
  oldName: string | null;
  newName: string | null;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** INVALID_INPUT when it is no unified diff, NOT_SUPPORTED when it is more than one. */
export function parsePatch(text: string): PatchFile[] {
  if (!text.isWellFormed()) throw unreadable('it holds half of a character pair', 0);
  const reader: Reader = { lines: text.split('\n'), at: 0 };
  const files: PatchFile[] = [];
  while (skipToFile(reader)) files.push(readFile(reader));
  if (files.length === 0) throw unreadable('it names no file', 0);
  return files;
}

/** Moves to the next line that begins a file. Prose between files is allowed, a stray hunk is not. */
function skipToFile(reader: Reader): boolean {
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const line = reader.lines[reader.at] ?? '';
    if (line.startsWith('diff --git ') || (line.startsWith('--- ') && reader.lines[reader.at + 1]?.startsWith('+++ '))) return true;
    if (HUNK.test(line)) throw unreadable('a hunk belongs to no file', reader.at);
    refuseUnsupported(line);
  }
  return false;
}

function readFile(reader: Reader): PatchFile {
  const startedAt = reader.at;
  const header = readHeader(reader);
  const hunks: Hunk[] = [];
  while (HUNK.test(reader.lines[reader.at] ?? '')) hunks.push(readHunk(reader));
  return toFile(header, hunks, startedAt);
}

function readHeader(reader: Reader): Header {
  const header: Header = { git: false, isCreated: false, isDeleted: false, mode: null, oldName: null, newName: null };
  let gitLine: string | null = null;
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const line = withoutCr(reader.lines[reader.at] ?? '');
    if (line.startsWith('diff --git ')) {
      if (header.git) break;
      header.git = true;
      gitLine = line;
    } else if (line.startsWith('--- ') && header.oldName === null) header.oldName = sideName(line.slice(4));
    else if (line.startsWith('+++ ') && header.oldName !== null) {
      header.newName = sideName(line.slice(4));
      reader.at += 1;
      break;
    } else if (!isExtended(line, header)) break;
  }
  if (header.newName === null && gitLine !== null) nameFromGit(gitLine, header);
  return header;
}

/** A git header of an empty file has no "---" lines; its two names are then equal halves. */
function nameFromGit(line: string, header: Header): void {
  const names = line.slice('diff --git '.length);
  const middle = (names.length - 1) / 2;
  if (!Number.isInteger(middle)) return;
  header.oldName = sideName(names.slice(0, middle));
  header.newName = sideName(names.slice(middle + 1));
}

/** Takes in git's lines between the names; false at the first line that is none of them. */
function isExtended(line: string, header: Header): boolean {
  refuseUnsupported(line);
  const [, kind, mode] = /^(new file|deleted file|old|new) mode (\d{6})$/.exec(line) ?? [];
  if (kind === 'new file') {
    header.isCreated = true;
    header.mode = mode ?? null;
  } else if (kind === 'deleted file') header.isDeleted = true;
  else if (kind !== undefined) throw unsupported('changes the mode of a file');
  else return /^index [0-9a-f]+\.\.[0-9a-f]+/.test(line);
  if (mode !== '100644' && mode !== '100755') throw unsupported('makes or removes something that is not a regular file');
  return true;
}

function refuseUnsupported(line: string): void {
  if (/^(rename|copy) (from|to) |^(dis)?similarity index /.test(line)) throw unsupported('renames or copies a file', 'Use move_path.');
  if (/^Binary files .* differ\r?$|^GIT binary patch/.test(line)) throw unsupported('changes a binary file');
  if (/^diff --(cc|combined) |^@@@/.test(line)) throw unsupported('is a combined diff of a merge');
}

function readHunk(reader: Reader): Hunk {
  const startedAt = reader.at;
  const [, oldStart, oldCount, newStart, newCount] = (HUNK.exec(reader.lines[reader.at] ?? '') ?? []).map((part) => part ?? '1');
  const hunk: Hunk = {
    oldStart: Number(oldStart),
    oldCount: Number(oldCount),
    newStart: Number(newStart),
    newCount: Number(newCount),
    lines: [],
  };
  reader.at += 1;
  let [oldLeft, newLeft] = [hunk.oldCount, hunk.newCount];
  while (oldLeft > 0 || newLeft > 0) {
    const line = readLine(reader, startedAt);
    if (line.kind !== '+') oldLeft -= 1;
    if (line.kind !== '-') newLeft -= 1;
    if (oldLeft < 0 || newLeft < 0) throw unreadable('a hunk has more lines than its header says', startedAt);
    hunk.lines.push(line);
  }
  if (/^[ +-]/.test(reader.lines[reader.at] ?? '') && !/^(--- |-- ?$)/.test(withoutCr(reader.lines[reader.at] ?? '')))
    throw unreadable('a hunk has more lines than its header says', startedAt);
  return hunk;
}

/** Editors that strip white space turn an empty context line into an empty line; it can mean nothing else. */
function readLine(reader: Reader, hunkAt: number): HunkLine {
  const line = reader.lines[reader.at];
  if (line === undefined || (line === '' && reader.at === reader.lines.length - 1))
    throw unreadable('a hunk has fewer lines than its header says', hunkAt);
  const kind = line === '' || line === '\r' ? ' ' : line[0];
  if (kind !== ' ' && kind !== '-' && kind !== '+')
    throw unreadable('a hunk has a line that is neither kept, removed nor added', reader.at);
  reader.at += 1;
  const isUnended = (reader.lines[reader.at] ?? '').startsWith('\\ ');
  if (isUnended) reader.at += 1;
  return { kind, text: line === '' || line === '\r' ? line : line.slice(1), isUnended };
}

function toFile(header: Header, hunks: Hunk[], startedAt: number): PatchFile {
  const { oldName, newName } = unprefixed(header);
  const isCreated = header.isCreated || oldName === '/dev/null';
  const isDeleted = header.isDeleted || newName === '/dev/null';
  const path = isCreated ? newName : oldName;
  if (path === null || path === '/dev/null' || newName === null || (isCreated && isDeleted))
    throw unreadable('a file has no name', startedAt);
  if (!isCreated && !isDeleted && oldName !== newName) throw unsupported('renames a file', 'Use move_path.');
  if (hunks.length === 0 && !isCreated && !isDeleted) throw unreadable(`it changes nothing in ${JSON.stringify(path)}`, startedAt);
  const action = isCreated ? 'create' : isDeleted ? 'delete' : 'replace';
  return { path, action, isExecutable: header.mode === '100755', hunks };
}

const withoutCr = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

const unreadable = (reason: string, at: number): Failed =>
  new Failed('INVALID_INPUT', `The patch cannot be read: ${reason} (near line ${at + 1}). Nothing was changed.`, {
    detail: { patchLine: at + 1 },
  });

const unsupported = (what: string, recovery?: string): Failed =>
  new Failed(
    'NOT_SUPPORTED',
    `The patch ${what}, which apply_patch does not do. Nothing was changed.`,
    recovery === undefined ? {} : { recovery },
  );
