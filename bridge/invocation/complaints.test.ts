// Input that does not fit: every kind of misfit in our own words, none of the validator's, and never a value.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contracts } from '#shared/contracts.ts';
import { ExpectedHash, Sha256 } from '#shared/contract.ts';
import { invalidInput } from './normalise.ts';

function messageOf(schema: z.ZodObject, raw: unknown): string {
  const parsed = schema.safeParse(raw);
  if (parsed.success) throw new Error('The input was taken.');
  return invalidInput('do_it', parsed.error, raw).message;
}

/** What it says about a field `x` of this schema. */
const about = (schema: z.ZodType, raw: unknown) =>
  messageOf(z.strictObject({ x: schema }), raw).replace(/^.*this input: (.*)\. Nothing.*$/, '$1');

const kinded = z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('create') }), z.strictObject({ kind: z.literal('move') })]);
const rows: [z.ZodType, unknown, string][] = [
  [z.string(), {}, 'x is missing; it must be text'],
  [z.string(), { x: 7 }, 'x must be text, not a number'],
  [z.string().optional(), { x: null }, 'x must be text, not null'],
  [z.number(), { x: '7' }, 'x must be a number, not text'],
  [z.number(), { x: Infinity }, 'x must be a number, not a number that is too large'],
  [z.number().int(), { x: 1.5 }, 'x must be a whole number, not a fraction'],
  [z.boolean(), { x: 'true' }, 'x must be true or false, not text'],
  [z.array(z.string()), { x: {} }, 'x must be a list, not an object'],
  [z.record(z.string(), z.number()), { x: [] }, 'x must be an object, not a list'],
  [z.string().min(1), { x: '' }, 'x must have at least 1 character; it has 0'],
  [z.string().max(3), { x: 'four' }, 'x must have at most 3 characters; it has 4'],
  [z.string().length(2), { x: 'one' }, 'x must have exactly 2 characters; it has 3'],
  [z.array(z.number()).min(2), { x: [1] }, 'x must have at least 2 entries; it has 1'],
  [z.number().min(1), { x: 0 }, 'x must be at least 1'],
  [z.number().max(10), { x: 11 }, 'x must be at most 10'],
  [z.number().gt(1), { x: 1 }, 'x must be more than 1'],
  [z.number().int(), { x: 1e300 }, 'x must be at most 9007199254740991'],
  [z.number().multipleOf(5), { x: 3 }, 'x must be a multiple of 5'],
  [z.enum(['path', 'mtime']), { x: 'size' }, 'x must be "path" or "mtime"'],
  [z.enum(['path', 'mtime']), {}, 'x must be "path" or "mtime"; it is missing'],
  [z.literal('absent'), { x: 1 }, 'x must be "absent", not a number'],
  [Sha256, { x: 'F'.repeat(64) }, 'x must be a full SHA-256: 64 digits from 0-9 and a-f, in lower case'],
  [ExpectedHash, { x: '' }, 'x must be a full SHA-256 (64 digits from 0-9 and a-f, in lower case) or "absent"'],
  [z.string().regex(/^a$/), { x: 'b' }, 'x must be text of the form /^a$/'],
  [kinded, { x: { kind: 'swap' } }, 'x.kind must be "create" or "move"'],
  [kinded, { x: {} }, 'x.kind must be "create" or "move"; it is missing'],
  [z.union([z.string(), z.number()]), { x: null }, 'x must be text or a number, not null'],
  [z.union([z.strictObject({ a: z.string() }), z.string()]), { x: { b: 1 } }, 'x fits none of the 2 forms that it may have'],
  [z.xor([z.string(), z.string().min(1)]), { x: 'a' }, 'x fits more than one of the forms that it may have'],
  [z.record(z.string().max(1), z.number()), { x: { ab: 1 } }, 'x.ab has a name that it may not have'],
  [z.map(z.object({}), z.string()), { x: new Map([[{}, 2]]) }, 'x holds something that it may not hold'],
  [z.any().refine(() => false), { x: 1 }, 'x is not allowed as it is'],
  [z.array(z.strictObject({ path: z.string() })), { x: [{ path: 'a' }, { path: 'b', no: 1 }] }, 'x[1] has no field "no"'],
  [z.any(), { x: 1, y: 1, z: 1 }, 'the input has no fields "y" or "z"'],
];

describe('what does not fit', () => {
  it.each(rows.map(([schema, raw, said]) => ({ schema, raw, said })))('$said', ({ schema, raw, said }) => {
    expect(about(schema, raw)).toBe(said);
  });

  it('names the operation, tells the first five in whole sentences, and counts the rest', () => {
    const schema = z.strictObject(Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`f${at}`, z.string()])));
    expect(messageOf(schema, {})).toMatch(
      /^do_it does not take this input: f0 is missing; .*f4 is missing; it must be text \(and 3 more\)\. Nothing/,
    );
    expect(messageOf(schema, [])).toBe('do_it does not take this input: the input must be an object, not a list. Nothing was done.');
  });

  it('S24 stays short whatever the caller names its fields', () => {
    const raw = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}${'😀'.repeat(5000)}`, 1]));
    const message = messageOf(z.strictObject({}), raw);
    expect(message.length).toBeLessThan(700);
    expect(message.isWellFormed()).toBe(true);
  });

  it('never tells a value, nor anything in the words of the validator', () => {
    const operations = Object.values(contracts);
    const secret = 'hunter2-hunter2';
    const junk = fc.constantFrom<unknown>(
      secret,
      -424242,
      4242.42,
      [secret],
      { path: secret },
      { kind: secret },
      [{ path: secret }],
      null,
      true,
    );
    fc.assert(
      fc.property(fc.constantFrom(...operations), fc.infiniteStream(junk), (contract, stream) => {
        const input = Object.fromEntries(Object.keys(contract.input.shape).map((key) => [key, stream.next().value as unknown]));
        const parsed = contract.input.safeParse(input);
        if (parsed.success) return;
        const message = invalidInput('do_it', parsed.error, input).message;
        expect(message).not.toMatch(/hunter2|424242|4242\.42|Invalid|\bexpected\b|received|Unrecognized|Too (big|small)|>=|<=/);
        expect(message).not.toContain('of the form');
      }),
      { numRuns: 2000 },
    );
  });
});
