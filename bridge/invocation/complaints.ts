// Our words for input that does not fit its schema: which field, what it has to be, what kind of thing it is; never its value.
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type IssueOf<Code extends Issue['code']> = Extract<Issue, { code: Code }>;
/** Half a sentence that follows the name of the field. */
type Words = { [Code in Issue['code']]: (issue: IssueOf<Code>, value: unknown) => string };

const words: Words = {
  invalid_type: ({ expected }, value) =>
    value === undefined ? `is missing; it must be ${typeNamed(expected)}` : `must be ${typeNamed(expected)}, not ${kindOf(value)}`,
  too_small: (issue, value) => beyond(issue.origin, { side: 'least', limit: issue.minimum, ...issue }, value),
  too_big: (issue, value) => beyond(issue.origin, { side: 'most', limit: issue.maximum, ...issue }, value),
  invalid_format: ({ format, pattern }) => `must be ${forms.get(pattern ?? '') ?? `text of the form ${pattern ?? format}`}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys }) => (keys.length === 1 ? `has no field ${listed(keys)}` : `has no fields ${listed(keys)}`),
  invalid_union: (issue, value) => unionWords(issue, value),
  invalid_key: () => 'has a name that it may not have',
  invalid_element: () => 'holds something that it may not hold',
  invalid_value: ({ values }, value) => `must be ${listed(values)}${notOne(value)}`,
  custom: () => 'is not allowed as it is',
};

const SENTENCE_MAX = 200;
const NAME_MAX = 40;
const FIELD_MAX = 80;
const LISTED_MAX = 12;

/** One sentence without its full stop. `raw` is the input as it came; of it only kinds and lengths are told. */
export function complaintOf(issue: Issue, raw: unknown): string {
  const tell = words[issue.code] as (issue: Issue, value: unknown) => string;
  return shortened(`${fieldAt(issue.path)} ${tell(issue, valueAt(raw, issue.path))}`, SENTENCE_MAX);
}

/** The forms of text in the contracts, in words. A pattern that is not among them is shown as it is. */
const forms = new Map([
  ['/^[0-9a-f]{64}$/', 'a full SHA-256: 64 digits from 0-9 and a-f, in lower case'],
  ['/^([0-9a-f]{64}|absent)$/', 'a full SHA-256 (64 digits from 0-9 and a-f, in lower case) or "absent"'],
  ['/^prj_[0-9a-hjkmnp-tv-z]{8,64}$/', 'the id of a project, which begins with "prj_"'],
  ['/^[a-z][a-z0-9_]{0,63}$/', 'the name of an operation: lower-case letters, digits and "_"'],
  ['/^[a-z]+:[\\x21-\\x7e]+$/', 'who calls, as the account names it, such as "token:…"'],
]);

const types = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['tuple', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'null'],
  ['never', 'left out'],
]);
const typeNamed = (type: string): string => types.get(type) ?? `of the type ${type}`;

/** JSON knows no other kinds. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number that is too large';
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction';
  return typeNamed(typeof value);
}

const notOne = (value: unknown): string =>
  value === undefined ? '; it is missing' : typeof value === 'string' ? '' : `, not ${kindOf(value)}`;

interface Bound {
  side: 'least' | 'most';
  limit: number | bigint;
  inclusive?: boolean;
  exact?: boolean;
}

/** Text and lists by how many they have; everything else by how much it is. */
function beyond(origin: string, { side, limit, inclusive, exact }: Bound, value: unknown): string {
  const units = new Map([
    ['string', ['character', 'characters']],
    ['array', ['entry', 'entries']],
  ]).get(origin);
  const bound = exact === true ? `exactly ${limit}` : inclusive === false ? `${strictly[side]} ${limit}` : `at ${side} ${limit}`;
  if (units === undefined) return `must be ${bound}`;
  const length = typeof value === 'string' || Array.isArray(value) ? `; it has ${value.length}` : '';
  return `must have ${bound} ${Number(limit) === 1 ? units[0] : units[1]}${length}`;
}
const strictly = { least: 'more than', most: 'less than' };

function unionWords(issue: IssueOf<'invalid_union'>, value: unknown): string {
  if ('options' in issue && issue.options !== undefined) return `must be ${listed(issue.options)}${notOne(value)}`;
  if (issue.errors.length === 0) return 'fits more than one of the forms that it may have';
  const wholes = issue.errors.map(([only, ...more]) =>
    more.length === 0 && only?.code === 'invalid_type' && only.path.length === 0 ? only : null,
  );
  const expected = wholes.flatMap((only) => (only === null ? [] : typeNamed(only.expected)));
  if (expected.length < wholes.length) return `fits none of the ${wholes.length} forms that it may have`;
  return value === undefined ? `is missing; it must be ${expected.join(' or ')}` : `must be ${expected.join(' or ')}, not ${kindOf(value)}`;
}

/** Names and literals of the contract, or names of fields that the caller made up; each bounded. */
function listed(values: readonly unknown[]): string {
  const shown = values
    .slice(0, LISTED_MAX)
    .map((value) => (typeof value === 'string' ? JSON.stringify(shortened(value, NAME_MAX)) : String(value)));
  const more = values.length > shown.length ? ['another'] : [];
  const all = [...shown, ...more];
  return all.length === 1 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} or ${all.at(-1) ?? ''}`;
}

function fieldAt(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the input';
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return shortened(text.replace(/^\./, ''), FIELD_MAX);
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** Cut between characters, so that no half of one is left. */
function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
