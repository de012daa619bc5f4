// Text that two parsers could read differently, or that costs more than it is worth, is refused; the rest is JSON.parse.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failed } from '../../failed.ts';
import { parseJson } from './json.ts';

const codeOf = (text: string): string => {
  try {
    parseJson(text);
    return 'accepted';
  } catch (error) {
    return error instanceof Failed ? error.code : 'other';
  }
};

describe('parseJson', () => {
  it.each([
    ['100 levels of arrays', '['.repeat(100) + ']'.repeat(100)],
    ['100 levels of objects', '{"a":'.repeat(100) + '1' + '}'.repeat(100)],
    ['a key twice', '{"a":1,"b":{},"a":2}'],
    ['a key twice, once escaped', '{"a":1,"\\u0061":2}'],
    ['__proto__', '{"a":[{"__proto__":{"isOwner":true}}]}'],
    ['__proto__ escaped', '{"\\u005f_proto__":1}'],
    ['a huge exponent', '{"n":1e999}'],
    ['a huge negative number', '[-1e400]'],
    ['a million numbers', `[${'0,'.repeat(1_000_000)}0]`],
    ['a million objects', `[${'{},'.repeat(1_000_000)}{}]`],
    ['an open string', '{"a":"b'],
    ['a lone minus', '[-]'],
    ['nothing', ''],
    ['a trailing comma', '[1,]'],
  ])('S24 refuses %s', (_what, text) => {
    expect(codeOf(text)).toBe('INVALID_INPUT');
  });

  // Quadratic work on these would take minutes: the test's own deadline is the assertion.
  it('S24 is linear in texts made to be slow', () => {
    const slow = [
      '"' + '\\"'.repeat(500_000),
      '[' + '"\\\\",'.repeat(200_000),
      '-'.repeat(500_000),
      '{'.repeat(500_000),
      '1'.repeat(500_000),
    ];
    for (const text of slow) expect(codeOf(text)).toBe('INVALID_INPUT');
  });

  it('S24 keeps one long text, however many commas are in it', () => {
    const text = ','.repeat(1_000_000);
    expect(parseJson(JSON.stringify({ content: text }))).toEqual({ content: text });
  });

  it('keeps what only looks dangerous', () => {
    expect(parseJson('{"a":"{\\"a\\":1,\\"a\\":2}","b":["__proto__","__proto__"],"c":{"a":1},"d":-0.5e-3}')).toEqual({
      a: '{"a":1,"a":2}',
      b: ['__proto__', '__proto__'],
      c: { a: 1 },
      d: -0.0005,
    });
  });

  it('agrees with JSON.parse on every JSON value (property)', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        fc.pre(!text.includes('__proto__'));
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});
