// File globs, matched in time linear in pattern times path: a pattern is a caller's text, so it must not be able to backtrack.
import { Failed } from '../../failed.ts';

export type PathTest = (path: string) => boolean;

const MAX_ALTERNATIVES = 64;

type Token = { star: true } | { star: false; test(char: string): boolean };
type Segment = '**' | ((name: string) => boolean);

/**
 * `*` and `?` stay within a name, `**` as a whole name spans any number of them; `[a-z]`, `[!a]`, `{a,b}`, a leading `!`
 * and `\` are understood. Dot files match like any other. A pattern without "/" is for the file name at any depth.
 */
export function compileGlob(pattern: string): PathTest {
  const isNegated = pattern.startsWith('!');
  const alternatives = expandBraces(isNegated ? pattern.slice(1) : pattern).map(compileOne);
  const [only] = alternatives;
  const test: PathTest = alternatives.length === 1 && only !== undefined ? only : (path) => alternatives.some((one) => one(path));
  return isNegated ? (path) => !test(path) : test;
}

function compileOne(pattern: string): PathTest {
  if (!pattern.includes('/')) {
    const matchesName = compileName(pattern);
    return (path) => matchesName(path.slice(path.lastIndexOf('/') + 1));
  }
  const segments = pattern
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map((part): Segment => (part === '**' ? '**' : compileName(part)));
  return (path) => matchesSequence(segments, path.split('/'), segmentKind);
}

const segmentKind = {
  isStar: (segment: Segment) => segment === '**',
  matches: (segment: Segment, name: string) => segment !== '**' && segment(name),
};
const tokenKind = {
  isStar: (token: Token) => token.star,
  matches: (token: Token, char: string) => !token.star && token.test(char),
};

/** Greedy matching that only ever goes back to the latest star: every earlier choice can stay as it is. */
function matchesSequence<P, V>(
  pattern: readonly P[],
  values: readonly V[],
  kind: { isStar(item: P): boolean; matches(item: P, value: V): boolean },
): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < values.length;) {
    const item = pattern[at];
    if (item !== undefined && kind.isStar(item)) {
      star = at++;
      resume = index;
    } else if (item !== undefined && kind.matches(item, values[index] as V)) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      index = resume += 1;
    } else return false;
  }
  return pattern.slice(at).every((item) => kind.isStar(item));
}

const special = /[*?[\\]/;

function compileName(pattern: string): (name: string) => boolean {
  if (!special.test(pattern)) return (name) => name === pattern;
  const end = pattern.slice(1);
  if (pattern.startsWith('*') && !special.test(end)) return (name) => name.endsWith(end);
  const tokens = tokensOf(Array.from(pattern));
  return (name) => matchesSequence(tokens, Array.from(name), tokenKind);
}

function tokensOf(chars: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] as string;
    if (char === '*') {
      if (tokens.at(-1)?.star !== true) tokens.push({ star: true });
    } else if (char === '?') tokens.push({ star: false, test: () => true });
    else if (char === '[') {
      const set = setAt(chars, at);
      if (set === null) tokens.push(literal(char));
      else {
        tokens.push({ star: false, test: set.test });
        at = set.end;
      }
    } else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      tokens.push(literal(chars[at] as string));
    } else tokens.push(literal(char));
  }
  return tokens;
}

const literal = (wanted: string): Token => ({ star: false, test: (char) => char === wanted });

/** `[a-z]`, `[!a]`, `[^a]`; a "]" right after the opening is a member. null: no closing, so "[" stands for itself. */
function setAt(chars: readonly string[], open: number): { test: (char: string) => boolean; end: number } | null {
  const isNegated = chars[open + 1] === '!' || chars[open + 1] === '^';
  const first = open + (isNegated ? 2 : 1);
  const end = chars.indexOf(']', first + 1);
  if (end < 0) return null;
  const ranges: [string, string][] = [];
  for (let at = first; at < end; at += 1) {
    const low = chars[at] as string;
    const isRange = chars[at + 1] === '-' && at + 2 < end;
    ranges.push([low, isRange ? (chars[at + 2] as string) : low]);
    if (isRange) at += 2;
  }
  return { test: (char) => ranges.some(([low, high]) => low <= char && char <= high) !== isNegated, end };
}

/** `a{b,c}d` as `abd` and `acd`. Braces without a comma, or without a partner, stand for themselves. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const brace = firstBrace(next);
    if (brace === null) done.push(next);
    else for (const part of brace.parts) open.push(brace.before + part + brace.after);
    if (done.length + open.length > MAX_ALTERNATIVES)
      throw new Failed('INVALID_INPUT', `The pattern has more than ${MAX_ALTERNATIVES} alternatives in braces.`);
  }
  return done;
}

function firstBrace(pattern: string): { before: string; parts: string[]; after: string } | null {
  for (let open = indexOfPlain(pattern, '{', 0); open >= 0; open = indexOfPlain(pattern, '{', open + 1)) {
    const group = groupAt(pattern, open);
    if (group !== null && group.parts.length > 1) return { before: pattern.slice(0, open), ...group };
  }
  return null;
}

function groupAt(pattern: string, open: number): { parts: string[]; after: string } | null {
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === ',' && depth === 1) {
      parts.push(pattern.slice(start, at));
      start = at + 1;
    } else if (char === '}' && --depth === 0) return { parts: [...parts, pattern.slice(start, at)], after: pattern.slice(at + 1) };
  }
  return null;
}

function indexOfPlain(pattern: string, wanted: string, from: number): number {
  for (let at = from; at < pattern.length; at += 1) {
    if (pattern.charAt(at) === '\\') at += 1;
    else if (pattern.charAt(at) === wanted) return at;
  }
  return -1;
}
