// The text of a glob before it is matched: what cannot be read or leads outside is refused, so that no mistake looks like an empty result.
import { parseProjectPath, type PathRefusal } from '#shared/paths.ts';
import { Failed } from '../../failed.ts';

const MAX_ALTERNATIVES = 64;
const UNTOUCHED = 'Nothing was read or changed.';

/** Throws INVALID_INPUT or PATH_DENIED; what is left are patterns without braces, to be tried one by one. */
export function alternativesOf(pattern: string): { isNegated: boolean; alternatives: string[] } {
  const isNegated = pattern.startsWith('!');
  const start = isNegated ? 1 : 0;
  refuseForeign(pattern.slice(start));
  refuseUnreadable(pattern, start);
  const alternatives = expandBraces(pattern.slice(start));
  for (const alternative of alternatives) refuseOutside(alternative);
  return { isNegated, alternatives };
}

/** Forms in which "\" is no escape but stands between names. */
function refuseForeign(pattern: string): void {
  if (/^[A-Za-z]:[\\/]/.test(pattern)) throw outside('Write the pattern relative to the project root, without a drive letter.');
  if (/^\\\\/.test(pattern)) throw outside('Write the pattern relative to the project root, with "/" between names.');
}

function refuseUnreadable(pattern: string, start: number): void {
  if (pattern.includes('\0')) throw unreadable('it holds a NUL');
  if (pattern.length === start) throw unreadable('nothing follows the "!"');
  const open: number[] = [];
  for (let at = start; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === '\\') refuseEscape(pattern, at);
    else if (char === '[') refuseSet(pattern, at);
    else if (char === '{') open.push(at);
    else if (char === '}' && open.pop() === undefined) throw unreadable('the "}" closes nothing', { pattern, at, escaped: '\\}' });
    at = atomEnd(pattern, at);
  }
  const [unclosed] = open;
  if (unclosed !== undefined) throw unreadable('the "{" is not closed', { pattern, at: unclosed, escaped: '\\{' });
  if (/(^|\/)\.?$/.test(pattern.slice(start)) && pattern !== '/')
    throw unreadable('it ends in a folder, and only files are found', { recovery: 'Write folder/** for all files below a folder.' });
}

function refuseEscape(pattern: string, at: number): void {
  const next = pattern.charAt(at + 1);
  if (next !== '' && !/[\w/]/.test(next)) return;
  const what = next === '' ? 'nothing follows the "\\"' : 'the "\\" stands before an ordinary character';
  throw unreadable(what, { pattern, at, recovery: 'Use "/" between names; "\\" only takes the meaning from the character after it.' });
}

function refuseSet(pattern: string, at: number): void {
  if (atomEnd(pattern, at) < 0) throw unreadable('the "[" is not closed', { pattern, at, escaped: '\\[' });
  const set = setAt(Array.from(pattern.slice(at)), 0);
  if (set.ranges.some(([low, high]) => low > high)) throw unreadable('a range in the "[" runs backwards', { pattern, at });
}

/** The last character of what begins at `at`: of an escaped pair, of a set, or the character itself. -1: a set that is not closed. */
function atomEnd(pattern: string, at: number): number {
  const char = pattern.charAt(at);
  if (char === '\\') return at + 1;
  if (char !== '[') return at;
  const end = pattern.indexOf(']', at + (isNegation(pattern.charAt(at + 1)) ? 3 : 2));
  return end < 0 || pattern.slice(at, end).includes('/') ? -1 : end;
}

const isNegation = (char: string | undefined): boolean => char === '!' || char === '^';

export interface CharacterSet {
  isNegated: boolean;
  ranges: [string, string][];
  /** Where its "]" is. */
  end: number;
}

/** `[a-z]`, `[!a]`, `[^a]`, known to be closed; a "]" right after the opening is a member. */
export function setAt(chars: readonly string[], open: number): CharacterSet {
  const isNegated = isNegation(chars[open + 1]);
  const first = open + (isNegated ? 2 : 1);
  const end = chars.indexOf(']', first + 1);
  const ranges: [string, string][] = [];
  for (let at = first; at < end; at += 1) {
    const low = chars[at] as string;
    const isRange = chars[at + 1] === '-' && at + 2 < end;
    ranges.push([low, isRange ? (chars[at + 2] as string) : low]);
    if (isRange) at += 2;
  }
  return { isNegated, ranges, end };
}

/** `a{b,c}d` as `abd` and `acd`. Braces without a comma stand for themselves. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const brace = firstBrace(next);
    if (brace === null) done.push(next);
    else for (const part of brace.parts) open.push(brace.before + part + brace.after);
    if (done.length + open.length > MAX_ALTERNATIVES) throw unreadable(`it has more than ${MAX_ALTERNATIVES} alternatives in braces`);
  }
  return done;
}

function firstBrace(pattern: string): { before: string; parts: string[]; after: string } | null {
  for (let at = 0; at < pattern.length; at = atomEnd(pattern, at) + 1) {
    const group = pattern.charAt(at) === '{' ? groupAt(pattern, at) : null;
    if (group !== null && group.parts.length > 1) return { before: pattern.slice(0, at), ...group };
  }
  return null;
}

function groupAt(pattern: string, open: number): { parts: string[]; after: string } | null {
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < pattern.length; at = atomEnd(pattern, at) + 1) {
    const char = pattern.charAt(at);
    if (char === '{') depth += 1;
    else if (char === ',' && depth === 1) {
      parts.push(pattern.slice(start, at));
      start = at + 1;
    } else if (char === '}' && --depth === 0) return { parts: [...parts, pattern.slice(start, at)], after: pattern.slice(at + 1) };
  }
  return null;
}

const leadsOutside: ReadonlySet<PathRefusal> = new Set(['absolute', 'home', 'drive', 'parent', 'file_url']);

/** Told from the names before the first wildcard, and from every later name that is spelt out. */
function refuseOutside(alternative: string): void {
  const names = alternative.split('/').map(literalOf);
  const wild = names.indexOf(null);
  const head =
    wild < 0
      ? names.join('/')
      : names
          .slice(0, wild)
          .map((name) => `${name}/`)
          .join('');
  // A name alone is looked for at any depth, where "~x" is a name like any other.
  const isName = names.length === 1 && head !== '~' && head !== '..';
  for (const text of [...(isName || head === '' ? [] : [head]), ...names.filter((name) => name !== null && name !== '')]) {
    const verdict = parseProjectPath(text ?? '');
    const isOutside = !verdict.ok && (text === head ? leadsOutside.has(verdict.refusal) : verdict.refusal === 'parent');
    if (isOutside) throw outside(verdict.hint);
  }
}

/** null when it has a wildcard. */
function literalOf(name: string): string | null {
  const text = name.replace(/\\(.)/gs, '$1');
  return /[*?[]/.test(name.replace(/\\./gs, '')) ? null : text;
}

const outside = (recovery: string): Failed =>
  new Failed('PATH_DENIED', `The pattern leads outside the project. ${UNTOUCHED}`, { recovery });

interface Where {
  pattern?: string;
  at?: number;
  /** How to write the character for itself. */
  escaped?: string;
  recovery?: string;
}

function unreadable(what: string, { pattern = '', at, escaped, recovery }: Where = {}): Failed {
  const character = at === undefined ? null : Array.from(pattern.slice(0, at)).length + 1;
  const where = character === null ? '' : ` (character ${character})`;
  const help = recovery ?? (escaped === undefined ? undefined : `Write ${escaped} for the character itself.`);
  return new Failed('INVALID_INPUT', `The pattern cannot be read: ${what}${where}. ${UNTOUCHED}`, {
    ...(help === undefined ? {} : { recovery: help }),
    ...(character === null ? {} : { detail: { character } }),
  });
}
