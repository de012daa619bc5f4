// Names of files as git knows them, which are bytes, and as an answer gives them, which is text. Each way back is exact.
import { parseProjectPath } from '#shared/paths.ts';
import { Failed } from '../../failed.ts';
import { layerOf, type Layer } from '../files/service.ts';

/** Bytes of a path, one character for each (latin1), "/" between names; "" is the root. */
export type RawPath = string;

export const bytesOf = (raw: RawPath): Buffer => Buffer.from(raw, 'latin1');
export const rawOf = (text: string): RawPath => Buffer.from(text, 'utf8').toString('latin1');

/** The bytes as text, or null when they are no UTF-8. */
export function textOf(raw: RawPath): string | null {
  const text = bytesOf(raw).toString('utf8');
  return rawOf(text) === raw ? text : null;
}

/** For reading only: what is no UTF-8 becomes U+FFFD. */
export const looseText = (raw: RawPath): string => bytesOf(raw).toString('utf8');

/** The path as every operation gives it: plain where plain text can be taken back, else as git quotes it. */
export function shown(raw: RawPath): string {
  if (raw === '') return '.';
  const text = textOf(raw);
  if (text !== null && !text.startsWith('"')) {
    const verdict = parseProjectPath(text);
    if (verdict.ok && verdict.path === text) return text;
  }
  return quoted(raw);
}

const short: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};
const long = new Map(Object.entries(short).map(([byte, escape]) => [escape[1] ?? '', byte]));

/** As git writes it with core.quotePath: every byte that is not printable ASCII escaped. */
export function quoted(raw: RawPath): string {
  const inner = raw.replace(/[^ !#-[\]-~]/g, (byte) => short[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `"${inner}"`;
}

/** The bytes of one quoted name at the start of `text`, and where it ends; null when there is none that git could have written. */
export function unquoted(text: string): { raw: RawPath; end: number } | null {
  const match = /^"((?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2}))*)"/.exec(text);
  if (match === null) return null;
  const raw = (match[1] ?? '').replace(/\\(?:([abtnvfr"\\])|([0-7]{3}))/g, (_, letter: string | undefined, digits: string) =>
    letter === undefined ? String.fromCharCode(parseInt(digits, 8)) : (long.get(letter) ?? ''),
  );
  return { raw, end: match[0].length };
}

/** A caller's path as bytes; "." is "". Throws PATH_DENIED for what is no path inside the project, SECRET_PATH_DENIED for a secret. */
export function rawFrom(text: string): RawPath {
  const raw = text.startsWith('"') ? rawFromQuoted(text) : rawFromPlain(text);
  const layer = layerOfRaw(raw);
  if (layer === 'secret')
    throw new Failed('SECRET_PATH_DENIED', 'This path is on the list of secrets, which no tool reads or changes. Nothing was done.');
  if (layer === 'protected')
    throw new Failed('PATH_DENIED', 'This path is the repository’s own state (.git), which no tool touches directly. Nothing was done.');
  return raw;
}

function rawFromPlain(text: string): RawPath {
  const verdict = parseProjectPath(text);
  if (!verdict.ok) throw denied(verdict.hint);
  return verdict.path === '.' ? '' : rawOf(verdict.path);
}

const PATH_MAX_BYTES = 4096;

function rawFromQuoted(text: string): RawPath {
  // A character beyond ASCII stands for its bytes, so that a name may be quoted by hand.
  const found = unquoted(rawOf(text));
  if (found === null || found.end !== rawOf(text).length) throw denied('A path in quotes is written as git writes it.');
  const { raw } = found;
  const names = raw.split('/');
  const isPlain = raw.length <= PATH_MAX_BYTES && !raw.includes('\0') && names.every((name) => !['', '.', '..'].includes(name));
  if (!isPlain) throw denied('Use a path relative to the project root.');
  return raw;
}

const denied = (recovery: string): Failed =>
  new Failed('PATH_DENIED', 'This path is not one inside the project. Nothing was done.', { recovery });

/** The stricter of both readings: bytes that are no UTF-8 do not make a secret's name another one. */
export function layerOfRaw(raw: RawPath): Layer | null {
  if (raw === '') return null;
  const layers = [layerOf(looseText(raw)), layerOf(raw), layerOf(raw.replace(/[^\0-\x7f]/g, ''))];
  return layers.find((layer) => layer === 'protected') ?? layers.find((layer) => layer !== null) ?? null;
}

/** What `raw` is called below `prefix`, or null when it is not there. Compares whole names. */
export function below(prefix: RawPath, raw: RawPath): RawPath | null {
  if (prefix === '') return raw;
  if (raw === prefix) return '';
  return raw.startsWith(`${prefix}/`) ? raw.slice(prefix.length + 1) : null;
}

export const joined = (prefix: RawPath, raw: RawPath): RawPath => (prefix === '' || raw === '' ? prefix + raw : `${prefix}/${raw}`);
