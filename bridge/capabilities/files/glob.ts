// File globs, matched in time linear in pattern times path: a pattern is a caller's text, so it must not be able to backtrack.
import { alternativesOf, setAt } from './glob-text.ts';

export type PathTest = (path: string) => boolean;

type Token = { star: true } | { star: false; test(char: string): boolean };
type Segment = '**' | ((name: string) => boolean);

/**
 * `*` and `?` stay within a name, `**` as a whole name spans any number of them; `[a-z]`, `[!a]`, `{a,b}`, a leading `!`
 * and `\` are understood. Dot files match like any other. A pattern without "/" is for the file name at any depth.
 * Throws INVALID_INPUT for a pattern that cannot be read, PATH_DENIED for one that leads outside the project.
 */
export function compileGlob(pattern: string): PathTest {
  const { isNegated, alternatives } = alternativesOf(pattern);
  const tests = alternatives.map(compileOne);
  const [only] = tests;
  const test: PathTest = tests.length === 1 && only !== undefined ? only : (path) => tests.some((one) => one(path));
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
      const { ranges, isNegated, end } = setAt(chars, at);
      tokens.push({ star: false, test: (one) => ranges.some(([low, high]) => low <= one && one <= high) !== isNegated });
      at = end;
    } else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      tokens.push(literal(chars[at] as string));
    } else tokens.push(literal(char));
  }
  return tokens;
}

const literal = (wanted: string): Token => ({ star: false, test: (char) => char === wanted });
