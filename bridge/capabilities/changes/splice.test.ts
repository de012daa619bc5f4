// Exact edits: the right value for each public report of an editor that changed more, or something else, than was asked.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edit } from '#shared/contracts/edits.ts';
import { Failed } from '../../failed.ts';
import { findAll } from './find.ts';
import { occurrences } from './occurrences.ts';
import { splice, spliceAll } from './splice.ts';

const edited = (before: string | Buffer, ...edits: Edit[]) => splice(Buffer.from(before), edits, 'a.txt').bytes.toString('latin1');

function refusal(before: string | Buffer, ...edits: Edit[]) {
  try {
    splice(Buffer.from(before), edits, 'a.txt');
  } catch (error) {
    if (error instanceof Failed) return error.failure;
    throw error;
  }
  throw new Error('The edit was not refused.');
}

describe('replacement text', () => {
  const literal = ['$$1', '$&', '$`', "$'", '$1', '\\1', '%s', 'C:\\new\\temp', '$<x>', '\\$&', '\u0000x'];

  it.each(literal)('B06 is written as it is: %j', (text) => {
    expect(edited('price: X\n', { find: 'X', replace: text })).toBe(`price: ${text}\n`);
    expect(edited('X X\n', { find: 'X', replace: text, replaceAll: true })).toBe(`${text} ${text}\n`);
  });

  it('B06 the canary fires: String.replace does interpret it', () => {
    expect('price: X\n'.replace('X', '$&')).not.toBe('price: $&\n');
  });

  it('is refused when it cannot be UTF-8', () => {
    expect(refusal('a', { find: 'a', replace: '\ud800' }).code).toBe('INVALID_INPUT');
    expect(refusal('a', { find: '', replace: 'b' }).code).toBe('INVALID_INPUT');
  });
});

describe('line endings and BOM', () => {
  const bom = '\ufeff';
  const files = [
    ['CRLF', 'one\r\ntwo\r\nthree\r\n'],
    ['CR only', 'one\rtwo\rthree\r'],
    ['mixed', 'one\r\ntwo\nthree\r\n'],
    ['mixed the other way', 'one\ntwo\r\nthree\n'],
    ['BOM, CRLF, no final newline', `${bom}one\r\ntwo\r\nthree`],
  ] as const;

  it.each(files)('B07 only the changed word differs: %s', (_name, before) => {
    const after = Buffer.from(before.replace('two', 'zwei')).toString('latin1');
    for (const ending of ['\n', '\r\n']) {
      expect(edited(before, { find: 'two', replace: 'zwei' })).toBe(after);
      expect(edited(before, { find: ['one', 'two', 'three'].join(ending), replace: ['one', 'zwei', 'three'].join(ending) })).toBe(after);
      expect(edited(before, { find: `two${ending}three`, replace: `zwei${ending}three` })).toBe(after);
    }
  });

  it.each(files)('B07 an added line takes the neighbour’s ending: %s', (_name, before) => {
    const ending = /\r\n|\n|\r/.exec(before.slice(before.indexOf('two')))?.[0] ?? '';
    const after = Buffer.from(before.replace('two', `two${ending}new`)).toString('latin1');
    expect(edited(before, { find: 'two', replace: 'two\nnew' })).toBe(after);
    expect(edited(before, { find: 'two\n', replace: 'two\nnew\n' })).toBe(after);
    expect(edited(before, { find: 'two\nthree', replace: 'two\nnew\nthree' })).toBe(after);
  });

  it('B07 a removed line takes its ending with it and leaves the others', () => {
    expect(edited('a\r\nb\nc\r\n', { find: 'a\nb\nc', replace: 'a\nc' })).toBe('a\r\nc\r\n');
    expect(edited('a\nb\r\nc\n', { find: 'b\n', replace: '' })).toBe('a\nc\n');
    expect(edited('a\r\n\r\nc', { find: '\n\n', replace: '\n' })).toBe('a\r\nc');
  });

  it('B07 an edit at a line ending never splits a CRLF', () => {
    expect(edited('a\r\nb', { find: '\nb', replace: '\nX' })).toBe('a\r\nX');
    expect(edited('a\r\nb', { find: 'a\n', replace: '' })).toBe('b');
    expect(edited('a\r\nb\r\n', { find: '\n', replace: '\n\n', replaceAll: true })).toBe('a\r\n\r\nb\r\n\r\n');
  });

  it('a lone CR is an ordinary byte in a file with LF', () => {
    expect(refusal('50%\r100%\n', { find: '50%\n100%', replace: 'x' }).code).toBe('AMBIGUOUS_EDIT');
    expect(edited('50%\r100%\n', { find: '50%\r100%', replace: 'x' })).toBe('x\n');
  });

  it('a file of one line takes the breaks as they were sent', () => {
    expect(edited('one', { find: 'one', replace: 'one\ntwo' })).toBe('one\ntwo');
    expect(edited('one', { find: 'one', replace: 'one\r\ntwo' })).toBe('one\r\ntwo');
  });
});

describe('how many matches', () => {
  it('B09 counts overlapping matches and refuses them', () => {
    const failure = refusal('foo\nfoo\nfoo\n', { find: 'foo\nfoo\n', replace: 'bar\n' });
    expect(failure.code).toBe('AMBIGUOUS_EDIT');
    expect(failure.detail).toMatchObject({ count: 2, overlapping: true, lines: [1, 2] });
    expect(failure.detail?.['contexts']).toEqual([
      { line: 1, text: 'foo' },
      { line: 2, text: 'foo' },
    ]);
    expect(refusal('foo\nfoo\nfoo\n', { find: 'foo\nfoo\n', replace: '', expectedCount: 2 }).code).toBe('AMBIGUOUS_EDIT');
    expect(refusal('foo\nfoo\nfoo\n', { find: 'foo\nfoo\n', replace: '', replaceAll: true }).code).toBe('AMBIGUOUS_EDIT');
    expect('foo\nfoo\nfoo\n'.split('foo\nfoo\n').length - 1).toBe(1); // the canary: a plain split sees one
  });

  it('B09 names every line of an ambiguous match and writes on none', () => {
    const failure = refusal('x=1\ny\n  x=1\n', { find: 'x=1', replace: 'x=2' });
    expect(failure.detail).toMatchObject({ count: 2, lines: [1, 3], overlapping: false });
    expect(failure.detail?.['contexts']).toEqual([
      { line: 1, text: 'x=1' },
      { line: 3, text: '  x=1' },
    ]);
  });

  it('B09 goes through with the count, the line, or replaceAll', () => {
    const file = 'x=1\ny\nx=1\n';
    expect(edited(file, { find: 'x=1', replace: 'x=2', expectedCount: 2 })).toBe('x=2\ny\nx=2\n');
    expect(edited(file, { find: 'x=1', replace: 'x=2', line: 3 })).toBe('x=1\ny\nx=2\n');
    expect(edited(file, { find: 'x=1', replace: 'x=2', replaceAll: true })).toBe('x=2\ny\nx=2\n');
    expect(edited('foo\nfoo\nfoo\n', { find: 'foo\nfoo\n', replace: 'bar\n', line: 1 })).toBe('bar\nfoo\n');
    for (const wrong of [{ line: 2 }, { expectedCount: 3 }, { replaceAll: true, expectedCount: 1 }, { line: 1, expectedCount: 2 }])
      expect(refusal(file, { find: 'x=1', replace: '', ...wrong }).code).toBe('AMBIGUOUS_EDIT');
  });

  it('applies edits in order, each to the result of the one before', () => {
    expect(edited('a', { find: 'a', replace: 'b' }, { find: 'b', replace: 'c' })).toBe('c');
    expect(refusal('a', { find: 'a', replace: 'b' }, { find: 'a', replace: 'c' }).detail).toMatchObject({ edit: 1, count: 0 });
  });
});

describe('a miss', () => {
  it('B09 of a text that an earlier edit of the same call changes says so, with the lines where it stands', () => {
    const failure = refusal('ab\nconst total = a\n', { find: 'const total', replace: 'x' }, { find: 'total = a', replace: 'y' });
    expect(failure).toMatchObject({
      code: 'AMBIGUOUS_EDIT',
      message: expect.stringContaining('edits in front of it change it first') as string,
    });
    expect(failure.detail).toMatchObject({ edit: 1, lines: [2], overlapping: true });
  });

  it('B09 says how many lines it leaves out', () => {
    expect(refusal('x\n'.repeat(1500), { find: 'x', replace: 'y' }).detail).toMatchObject({ count: 1500, linesLeftOut: 500 });
  });

  it('B10 never writes on a similar text, and says where and how it differs', () => {
    const body = 'func f() int {\n\tx := 1\n\ty := 2\n\treturn x + y\n}\n';
    const failure = refusal(body, { find: body.replace('y := 2', 'y := 99').trimEnd(), replace: 'gone' });
    expect(failure.code).toBe('AMBIGUOUS_EDIT');
    expect(failure.detail).toMatchObject({ count: 0, nearest: { startLine: 1, endLine: 5, text: body.trimEnd() } });
    expect(failure.detail?.['currentHash']).toMatch(/^[0-9a-f]{64}$/);
    expect(failure.detail?.['nearest']).toMatchObject({ differences: [{ line: 3, characters: ['-99', '+2'] }] });
  });

  it('B10 finds the row of a long table that differs by a trailing space', () => {
    const rows = Array.from({ length: 300 }, (_unused, index) => `| row ${index} | ${(index * 7) % 13} | same text |`);
    for (let index = 0; index < 300; index += 10) {
      const failure = refusal(`${rows.join('\n')}\n`, { find: `${rows[index]} `, replace: '' });
      const near = failure.detail?.['nearest'] as { startLine: number; text: string; differences: { characters: string[] }[] };
      expect(near).toMatchObject({ startLine: index + 1, text: rows[index] });
      expect(near.differences[0]?.characters).toEqual(['- ']);
    }
  });

  it('B10 says so when nothing is like it', () => {
    expect(refusal('abc\n', { find: 'zzzzzz', replace: '' }).detail).toMatchObject({ count: 0, nearest: null });
  });

  it('B10 shows what differs in a line of 3 MB where it differs, whole characters only', () => {
    const words = Array.from({ length: 300_000 }, (_, at) => `word${at}`).join(' ');
    const wanted = words.slice(1_000_000, 1_050_000);
    const at = 40_000;
    const near = refusal(words, { find: `${wanted.slice(0, at)}🌉🌉${wanted.slice(at)}`, replace: '' }).detail?.['nearest'] as {
      differences: { wanted: string; found: string; characters: string[] }[];
    };
    expect(near.differences).toHaveLength(1);
    expect(near.differences[0]?.characters).toContain('-🌉🌉');
    expect(near.differences[0]?.wanted).toContain(`${wanted.slice(at - 50, at)}🌉🌉`);
    // A lone half of a character is escaped in JSON, a whole one is not.
    expect(JSON.stringify(near)).not.toMatch(/\\ud[89a-f]/);
  });

  it('finds a place in one very long line', () => {
    const before = Buffer.from(`${'abc def, '.repeat(100_000)}needle in the haystack${'abc def, '.repeat(1000)}`);
    const near = refusal(before, { find: 'noodle in the haystack', replace: '' }).detail?.['nearest'] as { text: string };
    expect(near.text).toContain('needle in the haystack');
  });
});

describe('spliceAll', () => {
  it('replaces every occurrence and answers null without one', () => {
    expect(spliceAll(Buffer.from('a.b.a'), { find: 'a', replace: '$&' }, 'p')).toEqual({ bytes: Buffer.from('$&.b.$&'), replacements: 2 });
    expect(spliceAll(Buffer.from('a'), { find: 'b', replace: '' }, 'p')).toBeNull();
    expect(() => spliceAll(Buffer.from('aaa'), { find: 'aa', replace: 'b' }, 'p')).toThrow(Failed);
  });
});

describe('properties', () => {
  const small = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r', 'é'), maxLength: 30 });

  it('finds exactly what a plain scan finds', () => {
    fc.assert(
      fc.property(small, fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 3 }), (file, find) => {
        const bytes = Buffer.from(file);
        const needle = Buffer.from(find);
        const plain = Array.from(bytes.keys()).filter((at) => bytes.subarray(at, at + needle.length).equals(needle));
        expect(findAll(bytes, find, 100).map((match) => match.start)).toEqual(plain);
        expect([...occurrences(bytes, needle)]).toEqual(plain);
      }),
    );
  });

  it('finds the same in hostile bytes, where it changes to the search that never looks back', () => {
    const hay = Buffer.concat([Buffer.alloc(40_000, 'a'), Buffer.from('b'), Buffer.alloc(40_000, 'a')]);
    const needle = Buffer.concat([Buffer.alloc(5_000, 'a'), Buffer.from('b'), Buffer.alloc(7_000, 'a')]);
    expect([...occurrences(hay, needle)]).toEqual([35_000]);
    expect([...occurrences(Buffer.alloc(60_000, 'a'), Buffer.alloc(50_000, 'a'))]).toHaveLength(10_001);
  });

  it('changes nothing outside the match, and the other way round gives the same bytes back', () => {
    const word = fc.string({ unit: fc.constantFrom('x', 'y', ' '), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(small, small, word, (head, tail, replace) => {
        const before = Buffer.from(`${head}<find>${tail}`);
        const after = splice(before, [{ find: '<find>', replace: `<${replace}>` }], 'p').bytes;
        expect(after).toEqual(Buffer.from(`${head}<${replace}>${tail}`));
        expect(splice(after, [{ find: `<${replace}>`, replace: '<find>' }], 'p').bytes).toEqual(before);
      }),
    );
  });

  it('keeps every line ending of the file when the lines stay', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 1, maxLength: 6 }), (endings) => {
        const before = endings.map((ending, index) => `line${index}${ending}`).join('') + 'end';
        const find = before.replaceAll('\r\n', '\n');
        const replace = find.replace('line0', 'LINE0').replace('end', 'END');
        expect(edited(before, { find, replace })).toBe(before.replace('line0', 'LINE0').replace('end', 'END'));
      }),
    );
  });
});
