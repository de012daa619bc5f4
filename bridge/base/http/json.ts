// JSON from outside: refused when nested too deep or made of too many parts, when a key repeats or reaches for a prototype, or when a number overflows (S24).
import { Failed } from '../../failed.ts';

const DEPTH_LIMIT = 64;
/** Members and items in all. A large honest body is one long text; millions of tiny parts only hold the event loop. */
const PARTS_LIMIT = 100_000;

const refuse = (why: string, cause?: unknown): never => {
  throw new Failed('INVALID_INPUT', `The body is not acceptable JSON: ${why}. Nothing was done.`, { cause });
};

/** Parses text whose meaning does not depend on who parses it. Throws INVALID_INPUT in one linear pass. */
export function parseJson(text: string, depthLimit: number = DEPTH_LIMIT): unknown {
  scan(text, depthLimit);
  try {
    return JSON.parse(text);
  } catch (cause) {
    return refuse('it cannot be parsed', cause);
  }
}

const NUMBER = /-?\d[\d.eE+-]*/y;

/** What the scan holds: each open container's keys so far (null for an array), and whether a string here would be a key. */
interface Place {
  open: (Set<string> | null)[];
  isKeyNext: boolean;
  parts: number;
}

// Only what matters to the three refusals is looked at; the grammar is for JSON.parse to judge afterwards.
function scan(text: string, depthLimit: number): void {
  const place: Place = { open: [], isKeyNext: false, parts: 0 };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') at = passString(text, at, place);
    else if (character === '-' || (character >= '0' && character <= '9')) at = passNumber(text, at);
    else pass(character, place, depthLimit);
  }
}

function pass(character: string, place: Place, depthLimit: number): void {
  if (character === '{' || character === '[') {
    if (place.open.push(character === '{' ? new Set() : null) > depthLimit) refuse(`it is nested deeper than ${depthLimit} levels`);
    place.isKeyNext = character === '{';
  } else if (character === '}' || character === ']') {
    place.open.pop();
    place.isKeyNext = false;
  } else if (character === ',') {
    place.isKeyNext = place.open.at(-1) instanceof Set;
    if (++place.parts > PARTS_LIMIT) refuse(`it has more than ${PARTS_LIMIT} parts`);
  } else if (character === ':') place.isKeyNext = false;
}

// Answers the index of the last character passed.
function passString(text: string, from: number, place: Place): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  if (at >= text.length) refuse('a string does not end');
  if (place.isKeyNext) take(place.open.at(-1), text.slice(from, at + 1));
  return at;
}

function passNumber(text: string, from: number): number {
  NUMBER.lastIndex = from;
  const token = NUMBER.exec(text)?.[0] ?? '-';
  if (!Number.isFinite(Number(token))) refuse('a number is malformed or out of range');
  return from + token.length - 1;
}

function take(keys: Set<string> | null | undefined, token: string): void {
  const key = token.includes('\\') ? unescaped(token) : token.slice(1, -1);
  if (key === '__proto__') refuse('a key names a prototype');
  if (keys?.has(key)) refuse('a key occurs twice in one object');
  keys?.add(key);
}

function unescaped(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch (cause) {
    return refuse('it cannot be parsed', cause);
  }
}
