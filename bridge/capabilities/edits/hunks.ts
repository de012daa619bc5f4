// Puts a patch's hunks into a file exactly where they say, with no fuzz and no offset; one line that differs refuses them all.
import { sha256 } from '../../base/digest.ts';
import { Failed } from '../../failed.ts';
import type { Hunk, HunkLine, PatchFile } from './patch.ts';

interface Line {
  text: string;
  /** "" for a last line without an ending. */
  ending: string;
}

/**
 * The file after the hunks. First every byte is compared. Where that fails, line endings alone are read as equal, and added
 * lines take their neighbour's: a patch written with LF for a file with CRLF is the same patch.
 */
export function applyHunks(before: Buffer, file: PatchFile): Buffer {
  const text = before.toString('utf8');
  const isCrFile = text.includes('\r') && !text.includes('\n');
  const lines = splitLines(text, isCrFile);
  const exact = isCrFile ? null : place(lines, file.hunks, 'exact');
  const placed = exact !== null && 'lines' in exact ? exact : place(lines, file.hunks, 'any-ending');
  if (!('lines' in placed)) throw conflict(file, placed, lines);
  const after = placed.lines.map((line) => line.text + line.ending).join('');
  if (file.action === 'delete' && after !== '') throw leftOver(file);
  return Buffer.from(after, 'utf8');
}

/** The hash of all that a deleting patch takes away, byte for byte, told without the file. null when it cannot be a whole file. */
export function removedHash({ hunks }: PatchFile): string | null {
  const [hunk, ...more] = hunks;
  if (hunk?.oldStart !== 1 || more.length > 0 || hunk.lines.some((line) => line.kind !== '-')) return null;
  return sha256(hunk.lines.map((line) => line.text + (line.isUnended ? '' : '\n')).join(''));
}

type Mode = 'exact' | 'any-ending';

interface Misfit {
  hunk: Hunk;
  index: number;
  reason: string;
}

function place(lines: readonly Line[], hunks: readonly Hunk[], mode: Mode): { lines: Line[] } | Misfit {
  const placed: Line[] = [];
  let at = 0;
  for (const [index, hunk] of hunks.entries()) {
    const start = hunk.oldCount === 0 ? hunk.oldStart : hunk.oldStart - 1;
    if (start < at) return { hunk, index, reason: 'it lies before the hunk above it' };
    if (start > lines.length) return { hunk, index, reason: `the file has only ${lines.length} lines` };
    placed.push(...lines.slice(at, start));
    at = start;
    for (const wanted of hunk.lines) {
      const found = lines[at];
      if (wanted.kind === '+') placed.push({ text: textOf(wanted, mode), ending: endingOf(wanted, mode, placed.at(-1) ?? found) });
      else if (found === undefined || !isSame(found, wanted, mode)) return { hunk, index, reason: difference(found, wanted, at + 1) };
      else {
        if (wanted.kind === ' ') placed.push(found);
        at += 1;
      }
    }
  }
  placed.push(...lines.slice(at));
  const unended = placed.findIndex((line, index) => line.ending === '' && index < placed.length - 1);
  const last = hunks.length - 1;
  if (unended >= 0) return { hunk: hunks[last] as Hunk, index: last, reason: 'it would join two lines, because one has no newline' };
  return { lines: placed };
}

const textOf = (line: HunkLine, mode: Mode): string =>
  mode === 'any-ending' && line.text.endsWith('\r') ? line.text.slice(0, -1) : line.text;

function isSame(found: Line, wanted: HunkLine, mode: Mode): boolean {
  if (mode === 'exact') return found.text + found.ending === wanted.text + (wanted.isUnended ? '' : '\n');
  return found.text === textOf(wanted, mode) && (found.ending === '') === wanted.isUnended;
}

function endingOf(line: HunkLine, mode: Mode, neighbour: Line | undefined): string {
  if (line.isUnended) return '';
  return mode === 'any-ending' && neighbour !== undefined && neighbour.ending !== '' ? neighbour.ending : '\n';
}

function difference(found: Line | undefined, wanted: HunkLine, line: number): string {
  if (found === undefined) return `line ${line} is past the end of the file`;
  if (found.text === wanted.text.replace(/\r$/, '')) return `line ${line} ${found.ending === '' ? 'has no' : 'has a'} newline at its end`;
  return `line ${line} is ${JSON.stringify(found.text.slice(0, 200))} and not ${JSON.stringify(wanted.text.slice(0, 200))}`;
}

function splitLines(text: string, isCrFile: boolean): Line[] {
  return (text.match(isCrFile ? /[^\r]*\r|[^\r]+$/g : /[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const ending = /\r\n$|\n$|\r$/.exec(line)?.[0] ?? '';
    const isEnding = ending !== '\r' || isCrFile;
    return isEnding ? { text: line.slice(0, line.length - ending.length), ending } : { text: line, ending: '' };
  });
}

/** Where the hunk's old lines do stand, so that one more try can be right. */
function foundAt(lines: readonly Line[], hunk: Hunk): number[] {
  const old = hunk.lines.filter((line) => line.kind !== '+');
  const starts: number[] = [];
  if (old.length === 0) return starts;
  for (let at = 0; at + old.length <= lines.length && starts.length < 5; at += 1) {
    if (old.every((wanted, index) => isSame(lines[at + index] as Line, wanted, 'any-ending'))) starts.push(at + 1);
  }
  return starts;
}

function conflict(file: PatchFile, { hunk, index, reason }: Misfit, lines: readonly Line[]): Failed {
  const places = foundAt(lines, hunk);
  const path = JSON.stringify(file.path);
  return new Failed('CONFLICT', `Hunk ${index + 1} of ${path} does not fit: ${reason}. No file of the patch was changed.`, {
    recovery:
      places.length > 0 ? `The lines it expects begin at line ${places.join(', ')}.` : 'Read the file again and write the patch anew.',
    detail: { path: file.path, hunk: index, oldStart: hunk.oldStart, reason, foundAtLines: places },
  });
}

const leftOver = (file: PatchFile): Failed =>
  new Failed('CONFLICT', `The patch deletes ${JSON.stringify(file.path)} but leaves lines of it over. No file of the patch was changed.`, {
    detail: { path: file.path },
  });
