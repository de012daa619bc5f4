// Puts one entry into another program's configuration file. What cannot be kept byte for byte in meaning is refused, never dropped.
import { chmod, lstat, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { textOf, type ConfigEntry } from '../capabilities/access/clients.ts';
import { Failed } from '../failed.ts';

export type Merged = { done: 'written' | 'unchanged' } | { done: 'refused'; failure: Failed };

/** The text of the file with the entry in it. Throws NOT_SUPPORTED when that would lose something. */
export function mergedText(before: string | null, entry: ConfigEntry): string {
  if (before === null || before.trim() === '') return textOf(entry);
  return entry.format === 'toml' ? mergedToml(before, entry) : mergedJson(before, entry);
}

export async function mergeEntry(entry: ConfigEntry): Promise<Merged> {
  const { path, text, mode } = await readExisting(entry.file);
  let after: string;
  try {
    after = mergedText(text, entry);
  } catch (error) {
    if (error instanceof Failed) return { done: 'refused', failure: error };
    throw error;
  }
  if (after === text) return { done: 'unchanged' };
  await replace(path, after, mode);
  return { done: 'written' };
}

const refuse = (why: string): Failed =>
  new Failed('NOT_SUPPORTED', `The file was not changed: ${why}. Put the text above into it yourself.`);

function mergedJson(before: string, { path, value }: ConfigEntry): string {
  const whole = parseWhole(before);
  let inner = whole;
  for (const key of path.slice(0, -1)) {
    inner[key] ??= {};
    if (!isObject(inner[key])) throw refuse(`"${key}" in it is not an object`);
    inner = inner[key];
  }
  inner[path.at(-1) as string] = value;
  const indent = /^[{[]\s*?\n([ \t]+)/.exec(before.trimStart())?.[1] ?? '  ';
  return JSON.stringify(whole, null, indent) + (before.endsWith('\n') ? '\n' : '');
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses what JSON.stringify can give back whole: no comments, no repeated keys, no number or escape it would write otherwise. */
function parseWhole(text: string): Json {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse('it has comments, or is not JSON, and would lose them');
    throw error;
  }
  if (!isObject(parsed)) throw refuse('it does not hold an object');
  if (JSON.stringify(parsed) !== compact(text)) throw refuse('something in it is written in a way that would be lost');
  return parsed;
}

/** The text without the white space between its tokens. */
const compact = (text: string): string => text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_all, string: string | undefined) => string ?? '');

// Without a TOML parser nothing is rewritten: a new table goes to the end, where it cannot change what stands before it.
function mergedToml(before: string, entry: ConfigEntry): string {
  const [parent, name] = [entry.path[0] as string, entry.path.at(-1) as string];
  const isOurs = new RegExp(`^\\s*\\[\\s*"?${parent}"?\\s*\\.\\s*["']?${name}["']?\\s*[.\\]]`, 'm');
  const text = textOf(entry);
  if (before.endsWith(text) && !isOurs.test(before.slice(0, -text.length))) return before;
  if (isOurs.test(before)) throw refuse(`it has a table for ${name} already`);
  if (new RegExp(`^\\s*"?${parent}"?\\s*(\\.|=)`, 'm').test(before))
    throw refuse(`it writes ${parent} in a form that a table cannot be added to`);
  return `${before.replace(/\n*$/, '\n')}\n${text}`;
}

async function readExisting(file: string): Promise<{ path: string; text: string | null; mode: number }> {
  try {
    // A link is a choice of its owner's: what it points at is changed, and the link stays.
    const path = await realpath(file);
    const { mode } = await lstat(path);
    return { path, text: await readFile(path, 'utf8'), mode: mode & 0o777 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { path: file, text: null, mode: 0o600 };
  }
}

async function replace(path: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.drawbridge-${process.pid}`;
  try {
    await writeFile(fresh, text, { mode, flag: 'wx', flush: true });
    await chmod(fresh, mode);
    await rename(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
}
