// What a grant covers: whole components of canonical values, every part at once, and nothing that cannot be told.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArgumentPattern } from '#shared/contracts/grants.ts';
import { covers, isCanonicalPath, isWithin, scopeOf, type Covering, type Question } from './covers.ts';

const names = fc.constantFrom('a', 'b', 'ab', 'a.b', 'src', 'srcs', 'x y', 'é', 'A');
const path = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const anyText = fc.oneof(
  path,
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.array(fc.constantFrom('..', '.', '', 'a', '%2e%2e', '\\', '~', 'C:', '\0'), { maxLength: 5 }).map((parts) => parts.join('/')),
);
const json = fc.jsonValue({ maxDepth: 2 });
const touches = fc.record(
  {
    paths: fc.array(path, { maxLength: 3 }),
    program: fc.constantFrom('npm', 'npx', 'node'),
    host: fc.constantFrom('example.com', 'example.com.evil.net', 'ample.com'),
  },
  { requiredKeys: ['paths'] },
);
const given = fc.dictionary(fc.constantFrom('path', 'args', 'x', '__proto__', 'toString'), json, { maxKeys: 4 });
const question: fc.Arbitrary<Question> = fc.record({
  operation: fc.constantFrom('one', 'two'),
  arguments: given,
  reasons: fc.array(fc.constantFrom('r1', 'r2', 'r3'), { minLength: 1, maxLength: 2 }),
  touches: fc.option(touches),
});
const grantFrom = (asked: Question): Covering => ({ ...scopeOf(asked), reasons: asked.reasons });

/** The rule told again, with sets of names instead of text. */
function isBelow(prefix: string, inner: string): boolean {
  const outer = prefix === '.' ? [] : prefix.split('/');
  const names = inner === '.' ? [] : inner.split('/');
  return outer.length <= names.length && outer.every((name, at) => name === names[at]);
}

describe('paths of a grant', () => {
  it('hold whole names only', () => {
    expect([isWithin('src', 'src/a'), isWithin('src', 'src'), isWithin('.', 'src')]).toEqual([true, true, true]);
    expect([isWithin('src', 'srcs/a'), isWithin('src', 'Src/a'), isWithin('src/a', 'src')]).toEqual([false, false, false]);
  });

  it('agree with a comparison name by name for every canonical path', () => {
    fc.assert(fc.property(path, path, (prefix, inner) => void expect(isWithin(prefix, inner)).toBe(isBelow(prefix, inner))));
    fc.assert(fc.property(path, path, (prefix, more) => void expect(isWithin(prefix, `${prefix}/${more}`)).toBe(true)));
  });

  it('never hold a path that is not in its canonical form, nor go by such a prefix', () => {
    fc.assert(
      fc.property(anyText, anyText, (prefix, inner) => {
        const isPlain = (text: string) => text === '.' || (text !== '' && !text.split('/').some((name) => ['', '.', '..'].includes(name)));
        if (isWithin(prefix, inner))
          expect([isCanonicalPath(prefix), isCanonicalPath(inner), isPlain(prefix), isPlain(inner)]).not.toContain(false);
      }),
    );
    for (const wrong of ['src/../etc', './src', 'src/', '/src', 'src//a', 'src\\a', '%2e%2e/a', '', '~/a', 'C:/a', 'a\0'])
      expect([wrong, isWithin('.', wrong), isWithin(wrong, 'src')]).toEqual([wrong, false, false]);
  });
});

describe('a grant made from a question', () => {
  it('covers that question', () => {
    fc.assert(fc.property(question, (asked) => void expect(covers(grantFrom(asked), asked)).toBe(true)));
  });

  it('covers no other operation, reason, program, host or path', () => {
    fc.assert(
      fc.property(question, question, (asked, other) => {
        if (!covers(grantFrom(asked), other)) return;
        expect(other.operation).toBe(asked.operation);
        expect(other.reasons.filter((reason) => !asked.reasons.includes(reason))).toEqual([]);
        expect([other.touches?.program, other.touches?.host]).toEqual([asked.touches?.program, asked.touches?.host]);
        for (const inner of other.touches?.paths ?? []) expect(asked.touches?.paths.some((outer) => isBelow(outer, inner))).toBe(true);
      }),
    );
  });

  it('covers the folders on the way to its files and nothing else in them', () => {
    const of = (paths: string[], folders: string[] = []): Question => ({
      operation: 'one',
      arguments: {},
      reasons: ['r1'],
      touches: { paths, folders },
    });
    const grant = grantFrom(of(['sub/deep/Makefile'], ['sub', 'sub/deep']));
    expect(grant.paths).toEqual(['sub/deep/Makefile']);
    expect(covers(grant, of(['sub/deep/Makefile'], ['sub']))).toBe(true);
    expect(covers(grant, of(['sub/other']))).toBe(false);
    expect(covers(grant, of(['sub/deep/Makefile'], ['sub/other']))).toBe(false);
    expect(covers(grant, of(['sub']))).toBe(false);
  });

  it('fixes every argument of a call that runs a program, leaves the machine, or cannot say what it reaches', () => {
    fc.assert(
      fc.property(question, question, (asked, other) => {
        const isOfFiles =
          (asked.touches?.paths.length ?? 0) > 0 && asked.touches?.program === undefined && asked.touches?.host === undefined;
        if (isOfFiles || !covers(grantFrom(asked), other)) return;
        for (const [name, value] of Object.entries(asked.arguments)) expect(other.arguments[name]).toEqual(value);
      }),
    );
  });

  it('never stands for an AI profile, whose sight of a project is chosen elsewhere', () => {
    const asked: Question = { operation: 'one', arguments: {}, reasons: ['r1'], touches: { paths: [], profile: 'p' } };
    expect(covers(grantFrom(asked), asked)).toBe(false);
  });
});

describe('an argument pattern', () => {
  const asked = (args: Record<string, unknown>): Question => ({
    operation: 'run',
    arguments: args,
    reasons: [],
    touches: { paths: [], program: 'npm' },
  });
  const grant = (...patterns: ArgumentPattern[]): Covering => ({
    operation: 'run',
    arguments: patterns,
    paths: [],
    program: 'npm',
    host: null,
    reasons: null,
  });

  it.each([
    [['test'], true],
    [['test', '--watch'], true],
    [['test:all'], false],
    [['te', 'st'], false],
    [[['test']], false],
    ['test', false],
    [[], false],
  ])('that begins with the element "test" takes %j: %s', (args, isTaken) => {
    expect(covers(grant({ name: 'args', startsWith: ['test'] }), asked({ args }))).toBe(isTaken);
  });

  it('compares values and not their text, whatever the order of keys', () => {
    const pattern = grant({ name: 'x', equals: { a: 1, b: [true] } });
    expect(covers(pattern, asked({ x: { b: [true], a: 1 } }))).toBe(true);
    for (const x of [{ a: '1', b: [true] }, { a: 1 }, { a: 1, b: [true], c: null }, '{"a":1,"b":[true]}', null])
      expect([x, covers(pattern, asked({ x }))]).toEqual([x, false]);
    expect(covers(pattern, asked({}))).toBe(false);
    expect(covers(grant({ name: 'toString', equals: null }), asked({}))).toBe(false);
  });

  it('a part that a grant leaves out covers only calls without that part', () => {
    const reach = (more: object): Question => ({ operation: 'run', arguments: {}, reasons: [], touches: { paths: [], ...more } });
    const bare: Covering = { operation: 'run', arguments: [], paths: [], program: null, host: null, reasons: null };
    expect(covers(bare, reach({}))).toBe(true);
    for (const more of [{ program: 'npm' }, { host: 'example.com' }, { paths: ['a'] }]) expect(covers(bare, reach(more))).toBe(false);
    expect(covers({ ...bare, paths: ['.'] }, reach({}))).toBe(false);
    expect(covers({ ...bare, host: 'example.com' }, reach({ host: 'EXAMPLE.com.' }))).toBe(true);
    expect(covers({ ...bare, host: 'example.com' }, reach({ host: 'sub.example.com' }))).toBe(false);
    expect(covers(bare, { operation: 'run', arguments: { x: 1 }, reasons: [], touches: null })).toBe(false);
  });
});
