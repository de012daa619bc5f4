// Path rules as data, and as properties: whatever is accepted stays below the root, however it is spelled.
import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePaths, parseProjectPath, windowsPath } from './paths.ts';

const refusalOf = (verdict: { ok: boolean; refusal?: string }) => (verdict.ok ? null : verdict.refusal);

/** Path-like text, rich in what an attacker would try. */
const spelled = fc
  .array(
    fc.oneof(
      fc.constantFrom('..', '.', '', '%2e%2e', '..%2f', '%252e.', 'a', 'src', '~', 'C:', 'PROJ~1', 'NUL', 'a.', 'x::$DATA', '...', '..a'),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 8 },
  )
  .chain((names) =>
    fc.array(fc.constantFrom('/', '\\', '//'), { minLength: 8, maxLength: 8 }).map((seps) => names.map((n, i) => n + seps[i]!).join('')),
  );

describe('parseProjectPath', () => {
  it.each([
    ['', 'empty'],
    ['a'.repeat(1025), 'too_long'],
    ['a/'.repeat(65), 'too_deep'],
    ['a\0', 'nul'],
    ['a\ud800', 'malformed'],
    ['a\\b', 'backslash'],
    ['..\\a', 'backslash'],
    ['/etc/passwd', 'absolute'],
    ['//a', 'absolute'],
    ['~/a', 'home'],
    ['~root', 'home'],
    ['C:a', 'drive'],
    ['c:/a', 'drive'],
    ['file:///etc/passwd', 'file_url'],
    ['..', 'parent'],
    ['a/../../b', 'parent'],
    ['../proj_secret/s', 'parent'],
    ['%2e%2e/proj_secret/s', 'parent'],
    ['.%2E/s', 'parent'],
    ['a/..%2fb', 'parent'],
    ['%252e%252e/s', 'parent'],
  ])('B01 refuses %j as %s', (raw, refusal) => {
    expect(refusalOf(parseProjectPath(raw))).toBe(refusal);
  });

  it.each([
    ['.', '.'],
    ['./', '.'],
    ['a//b/./c/', 'a/b/c'],
    ['...', '...'],
    ['..a/b..', '..a/b..'],
    ['100%', '100%'],
    ['a%20b', 'a%20b'],
    ['-x', '-x'],
    ['a\nb', 'a\nb'],
    ['$(x).txt', '$(x).txt'],
    ['e\u0301.txt', 'e\u0301.txt'],
    ['Ecran\u202fde.png', 'Ecran\u202fde.png'],
    ['\u{1f600}', '\u{1f600}'],
    [`${'a/'.repeat(63)}b`, `${'a/'.repeat(63)}b`],
  ])('B05 accepts %j as %j', (raw, path) => {
    expect(parseProjectPath(raw)).toEqual({ ok: true, path });
  });

  it('S07 never accepts a path that leaves the root', () => {
    fc.assert(
      fc.property(spelled, (raw) => {
        const verdict = parseProjectPath(raw);
        if (!verdict.ok) return;
        const joined = posix.resolve('/x/proj', verdict.path);
        expect(joined === '/x/proj' || joined.startsWith('/x/proj/')).toBe(true);
        expect(posix.resolve('/x/proj', raw)).toBe(joined);
        expect(parseProjectPath(verdict.path)).toEqual(verdict);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('windowsPath', () => {
  const root = 'C:\\Proj';

  it.each(['c:\\proj\\a', 'C:/Proj/a', '\\\\?\\C:\\Proj\\a', 'C:\\PROJ\\.\\A', 'a', '.\\A', 'C:\\Proj\\\\a'])(
    'B04 gives %s the one id of its file',
    (raw) => {
      const verdict = windowsPath(root, raw);
      expect(verdict).toMatchObject({ ok: true, id: 'C:\\PROJ\\A' });
      expect(verdict.ok && verdict.relative.toLowerCase()).toBe('a');
    },
  );

  it.each([
    ['C:\\PROJ~1\\a', 'short_name'],
    ['C:\\Proj\\LONGNA~2.TXT', 'short_name'],
    ['C:Proj\\a', 'drive_relative'],
    ['\\Proj\\a', 'drive_relative'],
    ['C:\\Proj\\a.', 'trailing_dot'],
    ['C:\\Proj\\a ', 'trailing_dot'],
    ['C:\\Proj\\a::$DATA', 'stream'],
    ['C:\\Proj\\a:b', 'stream'],
    ['C:\\Proj\\NUL', 'device'],
    ['C:\\Proj\\nul.txt', 'device'],
    ['C:\\Proj\\COM1', 'device'],
    ['\\\\.\\PhysicalDrive0', 'device'],
    ['\\\\?\\UNC\\host\\share', 'network'],
    ['\\\\host\\share\\a', 'network'],
    ['\\\\wsl.localhost\\Ubuntu\\home\\u\\p', 'wsl'],
    ['\\\\wsl$\\Ubuntu\\home', 'wsl'],
    ['/mnt/wsl.localhost/Ubuntu/home', 'wsl'],
    ['/mnt/c/Proj/a', 'wsl_mount'],
    ['file:///C:/Proj/a', 'file_url'],
    ['C:\\Proj\\..\\a', 'parent'],
    ['C:\\Proj_secret\\a', 'outside'],
    ['D:\\Proj\\a', 'outside'],
    ['C:\\', 'outside'],
    ['C:\\Proj\\a\nb', 'malformed'],
    ['', 'empty'],
    ['a\0', 'nul'],
  ])('B04 refuses %j as %s, with a hint', (raw, refusal) => {
    const verdict = windowsPath(root, raw);
    expect(refusalOf(verdict)).toBe(refusal);
    expect(!verdict.ok && verdict.hint.length).toBeGreaterThan(10);
  });

  it('B04 keeps names that only look like short ones or devices', () => {
    for (const name of ['backup~1.tar.gz', 'a-very-long~1', 'nullable.ts', 'console.ts', 'com10.txt'])
      expect(windowsPath(root, name)).toMatchObject({ ok: true, relative: name });
  });

  it('S07 never accepts a path that leaves the root, and one file has one id', () => {
    const prefix = fc.constantFrom('', 'C:\\Proj\\', 'c:/proj/', '\\\\?\\C:\\Proj\\');
    fc.assert(
      fc.property(prefix, spelled, (start, tail) => {
        const verdict = windowsPath(root, start + tail);
        if (!verdict.ok) return;
        const joined = win32.resolve(root, verdict.relative);
        expect(joined === root || joined.startsWith(`${root}\\`)).toBe(true);
        expect(windowsPath(root, joined)).toMatchObject({ ok: true, id: verdict.id });
        const shouted = joined.replace(/[a-z]/g, (letter) => letter.toUpperCase());
        expect(windowsPath(root, shouted)).toMatchObject({ ok: true, id: verdict.id });
      }),
      { numRuns: 2000 },
    );
  });
});

describe('comparePaths', () => {
  it('keeps the files of a folder together', () => {
    const paths = ['a.ts', 'a/b', 'a-b', 'a', 'b', 'a/b/c'];
    expect([...paths].sort(comparePaths)).toEqual(['a', 'a/b', 'a/b/c', 'a-b', 'a.ts', 'b']);
  });
});
