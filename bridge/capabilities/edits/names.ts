// The file names in a unified diff: git's quoting undone byte by byte, time stamps cut off, "a/" and "b/" taken away where they are a pair.
import { isUtf8 } from 'node:buffer';
import { Failed } from '../../failed.ts';

const escapes = new Map([
  ['a', 7],
  ['b', 8],
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['"', 34],
  ['\\', 92],
]);

/** What follows "--- " or "+++ ". */
export function sideName(raw: string): string {
  if (raw.startsWith('"')) return unquoted(raw);
  const name = raw.split('\t', 1)[0] ?? '';
  if (name === '') throw badName(raw);
  return name;
}

function unquoted(raw: string): string {
  const [, inner] = /^"((?:[^"\\]|\\.)*)"(?:\t.*)?$/s.exec(raw) ?? [];
  if (inner === undefined) throw badName(raw);
  const parts = inner.match(/\\[0-3][0-7]{2}|\\.|[^\\]+/gs) ?? [];
  const bytes = Buffer.concat(parts.map((part) => bytesOf(part, raw)));
  if (!isUtf8(bytes)) throw badName(raw);
  return bytes.toString('utf8');
}

function bytesOf(part: string, raw: string): Buffer {
  if (!part.startsWith('\\')) return Buffer.from(part);
  if (/^\\[0-7]{3}$/.test(part)) return Buffer.from([Number.parseInt(part.slice(1), 8)]);
  const byte = escapes.get(part.slice(1));
  if (byte === undefined) throw badName(raw);
  return Buffer.from([byte]);
}

interface Names {
  git: boolean;
  oldName: string | null;
  newName: string | null;
}

/** git's "a/" and "b/" are taken away when both sides have theirs, or the other side is nothing. */
export function unprefixed({ git, oldName, newName }: Names): { oldName: string | null; newName: string | null } {
  const cut = (name: string | null) => (name === null || name === '/dev/null' ? name : name.slice(2));
  const fits = (name: string | null, prefix: string) => name === null || name === '/dev/null' || name.startsWith(prefix);
  const hasPair = fits(oldName, 'a/') && fits(newName, 'b/');
  const isSameFile = oldName === '/dev/null' || newName === '/dev/null' || cut(oldName) === cut(newName);
  return hasPair && (git || isSameFile) ? { oldName: cut(oldName), newName: cut(newName) } : { oldName, newName };
}

const badName = (raw: string): Failed =>
  new Failed('INVALID_INPUT', `The patch cannot be read: ${JSON.stringify(raw.slice(0, 80))} is not a file name. Nothing was changed.`);
