// Globs against rows of what a user means, against picomatch where the two speak one language, and against the clock's enemy.
import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { compileGlob } from './glob.ts';

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
    ['/src/*', 'src/a', true],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['{src,lib}/{a,b}.ts', 'lib/b.ts', true],
    ['{src,lib}/{a,{b,c}}.ts', 'lib/c.ts', true],
    ['a{b}.ts', 'a{b}.ts', true],
    ['a{b.ts', 'a{b.ts', true],
    ['[ab]?.ts', 'b1.ts', true],
    ['[!a].ts', 'a.ts', false],
    ['[^a-c].ts', 'd.ts', true],
    ['[].ts', '[].ts', true],
    ['a(b).ts', 'x/a(b).ts', true],
    ['\\*.ts', '*.ts', true],
    ['\\*.ts', 'a.ts', false],
    ['?.txt', '\u{1f600}.txt', true],
    ['!*.test.ts', 'a.ts', true],
    ['!*.test.ts', 'a.test.ts', false],
    ['../*', 'a', false],
  ])('%s on %s is %s', (pattern, path, expected) => {
    expect(compileGlob(pattern)(path)).toBe(expected);
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
