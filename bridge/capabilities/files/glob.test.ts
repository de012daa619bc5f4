// Globs against rows of what a user means, against picomatch where the two speak one language, and against the clock's enemy.
import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { Failed } from '../../failed.ts';
import { compileGlob } from './glob.ts';

function failureOf(pattern: string) {
  try {
    compileGlob(pattern);
  } catch (error) {
    if (error instanceof Failed) return error.failure;
    throw error;
  }
  throw new Error(`${pattern} was not refused.`);
}

describe('compileGlob', () => {
  it.each([
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['a.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['**/test/**', 'a/test/b/c.ts', true],
    ['src/**', 'src/.hidden/a', true],
    ['*', '.env.example', true],
    ['./src/*', 'src/a', true],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['{src,lib}/{a,b}.ts', 'lib/b.ts', true],
    ['{src,lib}/{a,{b,c}}.ts', 'lib/c.ts', true],
    ['a{b}.ts', 'a{b}.ts', true],
    ['a\\{b.ts', 'a{b.ts', true],
    ['{[a,b],c}.ts', ',.ts', true],
    ['[{,}].ts', '}.ts', true],
    ['{[a,b],c}.ts', 'c.ts', true],
    ['[ab]?.ts', 'b1.ts', true],
    ['[!a].ts', 'a.ts', false],
    ['[^a-c].ts', 'd.ts', true],
    ['\\[].ts', '[].ts', true],
    ['[]].ts', '].ts', true],
    ['~$*', 'src/~$a.docx', true],
    ['..*', 'src/..a', true],
    ['a(b).ts', 'x/a(b).ts', true],
    ['\\*.ts', '*.ts', true],
    ['\\*.ts', 'a.ts', false],
    ['?.txt', '\u{1f600}.txt', true],
    ['!*.test.ts', 'a.ts', true],
    ['!*.test.ts', 'a.test.ts', false],
  ])('%s on %s is %s', (pattern, path, expected) => {
    expect(compileGlob(pattern)(path)).toBe(expected);
  });

  it.each([
    ['[[', 'the "[" is not closed (character 1)', 1],
    ['src/[ab', 'the "[" is not closed (character 5)', 5],
    ['[a/b]', 'the "[" is not closed (character 1)', 1],
    ['a[]', 'the "[" is not closed (character 2)', 2],
    ['[!]', 'the "[" is not closed (character 1)', 1],
    ['😀[z-a]', 'a range in the "[" runs backwards (character 2)', 2],
    ['{', 'the "{" is not closed (character 1)', 1],
    ['!*.{ts,tsx', 'the "{" is not closed (character 4)', 4],
    ['{a,{b}', 'the "{" is not closed (character 1)', 1],
    ['*.ts}', 'the "}" closes nothing (character 5)', 5],
    ['{[a}', 'the "[" is not closed (character 2)', 2],
    ['*.ts\\', 'nothing follows the "\\" (character 5)', 5],
    ['src\\deep', 'the "\\" stands before an ordinary character (character 4)', 4],
    ['!', 'nothing follows the "!"', undefined],
    ['src/', 'it ends in a folder, and only files are found', undefined],
    ['.', 'it ends in a folder, and only files are found', undefined],
    ['src/.', 'it ends in a folder, and only files are found', undefined],
    ['a\0b', 'it holds a NUL', undefined],
  ])('%j cannot be read: %s', (pattern, what, character) => {
    const { code, message, detail } = failureOf(pattern);
    expect({ code, message }).toEqual({
      code: 'INVALID_INPUT',
      message: `The pattern cannot be read: ${what}. Nothing was read or changed.`,
    });
    expect(detail?.['character']).toBe(character);
  });

  it.each([
    ...['../*', '..', 'src/../../*', '**/../x', '*/..', '!../*', '{src,..}/*.ts', '%2e%2e/*', '\\.\\./*', '..%2fx/*'],
    ...['/etc/*', '/*', '/', '//server/share/*', '!/etc/*', '{/etc,src}/*', '~/*', '~', '~root/*', '~/.ssh/id_rsa'],
    ...['C:/Users/*', 'c:\\Users\\*', '\\\\server\\share\\*', 'file:///etc/*'],
  ])('S07 %j leads outside the project', (pattern) => {
    expect(failureOf(pattern)).toMatchObject({
      code: 'PATH_DENIED',
      message: 'The pattern leads outside the project. Nothing was read or changed.',
    });
  });

  it('reads any text or refuses it in one of the two ways (property)', () => {
    const piece = fc.constantFrom('[', ']', '{', '}', ',', '!', '\\', '/', '..', '~', '*', '?', '-', 'a', '😀', '.');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (parts) => {
        try {
          expect(typeof compileGlob(parts.join(''))('a/b')).toBe('boolean');
        } catch (error) {
          expect(error).toBeInstanceOf(Failed);
          expect((error as Failed).code).toMatch(/^(INVALID_INPUT|PATH_DENIED)$/);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('agrees with picomatch where both speak the same language', () => {
    const piece = fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[^a]', 'ab', '-');
    const name = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
    const segment = fc.oneof(name, fc.constant('**'));
    const pattern = fc.array(segment, { minLength: 2, maxLength: 4 }).map((parts) => parts.join('/'));
    const path = fc.array(fc.stringMatching(/^[ab][ab.-]{0,3}$/), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const differ = (text: string) => /\*\*[^/]|[^/]\*\*|(^|\/)\.\.?(\/|$)|^!|\/\*\*$/.test(text);
    fc.assert(
      fc.property(pattern, path, (glob, target) => {
        fc.pre(!differ(glob));
        expect(compileGlob(glob)(target)).toBe(picomatch(glob, { dot: true, noextglob: true })(target));
      }),
      { numRuns: 3000 },
    );
  });

  it('S24 takes no more steps for a pattern made to backtrack', () => {
    const name = 'a'.repeat(255);
    const path = Array.from({ length: 64 }, () => name).join('/');
    // Exponential work would never end: that these return at all is the assertion.
    expect(compileGlob(`${'*a'.repeat(100)}*b`)(path)).toBe(false);
    expect(compileGlob(`${'**/*a*/'.repeat(30)}b`)(path)).toBe(false);
    expect(() => compileGlob('{a,b}'.repeat(30))).toThrow(/alternatives/);
  });
});
