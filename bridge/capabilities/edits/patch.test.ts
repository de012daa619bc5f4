// Patches: byte for byte where they say or not at all, and a patch that is more than a change of text is refused, never half done.
import fc from 'fast-check';
import { createTwoFilesPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { Failed } from '../../failed.ts';
import { applyHunks } from './hunks.ts';
import { parsePatch } from './patch.ts';

const applied = (before: string, patch: string) => {
  const [file] = parsePatch(patch);
  if (file === undefined) throw new Error('The patch names no file.');
  return applyHunks(Buffer.from(before), file).toString();
};

const refused = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof Failed) return error.failure;
    throw error;
  }
  throw new Error('The patch was not refused.');
};

const hunk = (...lines: string[]) => ['--- a/f', '+++ b/f', ...lines, ''].join('\n');

describe('reading a patch', () => {
  it('takes git headers, quoted names, time stamps and prose between files', () => {
    const files = parsePatch(
      [
        'From 123 Mon Sep 17 00:00:00 2001',
        'diff --git a/src/a b.ts b/src/a b.ts',
        'index e69de29..4b825dc 100644',
        '--- a/src/a b.ts\t2026-01-01',
        '+++ b/src/a b.ts\t2026-01-01',
        '@@ -1 +1 @@ function f() {',
        '-a',
        '+b',
        'diff --git "a/caf\\303\\251 \\"x\\".txt" "b/caf\\303\\251 \\"x\\".txt"',
        'new file mode 100755',
        '--- /dev/null',
        '+++ "b/caf\\303\\251 \\"x\\".txt"',
        '@@ -0,0 +1,2 @@',
        '+1',
        '+2',
        'diff --git a/empty.txt b/empty.txt',
        'new file mode 100644',
        'index 0000000..e69de29',
        'diff --git a/gone.txt b/gone.txt',
        'deleted file mode 100644',
        '--- a/gone.txt',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-bye',
        '-- ',
        '2.34.1',
        '',
      ].join('\n'),
    );
    expect(files.map(({ path, action, isExecutable }) => [path, action, isExecutable])).toEqual([
      ['src/a b.ts', 'replace', false],
      ['café "x".txt', 'create', true],
      ['empty.txt', 'create', false],
      ['gone.txt', 'delete', false],
    ]);
  });

  it('takes a/ and b/ away only as a pair', () => {
    const path = (old: string, fresh: string) => parsePatch(`--- ${old}\n+++ ${fresh}\n@@ -1 +1 @@\n-a\n+b\n`)[0]?.path;
    expect(path('a/x', 'b/x')).toBe('x');
    expect(path('a/x', 'a/x')).toBe('a/x');
    expect(path('src/x', 'src/x')).toBe('src/x');
  });

  it('a removed line that looks like a header is a removed line', () => {
    expect(applied('-- x\n++ y\nz\n', hunk('@@ -1,3 +1,1 @@', '--- x', '-++ y', ' z'))).toBe('z\n');
  });

  it.each([
    ['rename from a\nrename to b', 'NOT_SUPPORTED'],
    ['similarity index 100%\nrename from a\nrename to b', 'NOT_SUPPORTED'],
    ['copy from a\ncopy to b', 'NOT_SUPPORTED'],
    ['old mode 100644\nnew mode 100755', 'NOT_SUPPORTED'],
    ['new file mode 120000', 'NOT_SUPPORTED'],
    ['new file mode 160000', 'NOT_SUPPORTED'],
    ['Binary files a/x and b/x differ', 'NOT_SUPPORTED'],
    ['GIT binary patch', 'NOT_SUPPORTED'],
  ])('refuses %j', (header, code) => {
    expect(refused(() => parsePatch(`diff --git a/a b/b\n${header}\n`)).code).toBe(code);
    const plain = `${header.split('\n')[0]}\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n`;
    if (!header.includes(' mode ')) expect(refused(() => parsePatch(plain)).code).toBe(code);
  });

  it('refuses a rename that only the two names show', () => {
    expect(refused(() => parsePatch('--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n'))).toMatchObject({ code: 'NOT_SUPPORTED' });
  });

  it.each([
    ['nothing at all', 'hello'],
    ['a stray hunk', '@@ -1 +1 @@\n-a\n+b\n'],
    ['fewer lines than the header says', hunk('@@ -1,3 +1,3 @@', ' a', '-b')],
    ['more lines than the header says', hunk('@@ -1 +1 @@', '-a', '+b', '+c')],
    ['a line of no kind', hunk('@@ -1,2 +1,2 @@', '-a', '*b', '+c')],
    ['no hunk', '--- a/f\n+++ b/f\n'],
    ['a bad name', '--- "a/x\n+++ "b/x\n@@ -1 +1 @@\n-a\n+b\n'],
    ['a name that is no UTF-8', '--- "a/\\377"\n+++ "b/\\377"\n@@ -1 +1 @@\n-a\n+b\n'],
  ])('INVALID_INPUT for %s', (_name, patch) => {
    expect(refused(() => parsePatch(patch)).code).toBe('INVALID_INPUT');
  });
});

describe('applying a patch', () => {
  it('has no fuzz and no offset, names what differs, and says where the lines do stand', () => {
    const file = 'x\na\nb\nc\n';
    expect(applied(file, hunk('@@ -2,3 +2,3 @@', ' a', '-b', '+B', ' c'))).toBe('x\na\nB\nc\n');
    const moved = refused(() => applied(file, hunk('@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c')));
    expect(moved).toMatchObject({ code: 'CONFLICT', detail: { hunk: 0, foundAtLines: [2] } });
    const fuzzy = refused(() => applied(file, hunk('@@ -2,3 +2,3 @@', ' A', '-b', '+B', ' c')));
    expect(fuzzy).toMatchObject({ code: 'CONFLICT', detail: { foundAtLines: [] } });
    expect(fuzzy.message).toContain('line 2 is "a" and not "A"');
    expect(refused(() => applied('a\n', hunk('@@ -9 +9 @@', '-a', '+b'))).code).toBe('CONFLICT');
    expect(refused(() => applied('a\nb\n', hunk('@@ -2 +2 @@', '-b', '+c', '@@ -1 +1 @@', '-a', '+d'))).code).toBe('CONFLICT');
  });

  it('B07 keeps line endings: exactly where the patch has them, else the neighbour’s', () => {
    const lf = hunk('@@ -1,2 +1,3 @@', ' a', '-b', '+B', '+new');
    expect(applied('a\nb\n', lf)).toBe('a\nB\nnew\n');
    expect(applied('a\r\nb\r\n', lf)).toBe('a\r\nB\r\nnew\r\n');
    expect(applied('a\rb\r', lf)).toBe('a\rB\rnew\r');
    expect(applied('a\r\nb\r\n', lf.replaceAll('\n', '\r\n'))).toBe('a\r\nB\r\nnew\r\n');
    expect(applied('a\nb\n', lf.replaceAll('\n', '\r\n'))).toBe('a\nB\nnew\n');
    expect(applied('a\r\nb\r\n', hunk('@@ -1,2 +1,2 @@', ' a\r', '-b\r', '+b'))).toBe('a\r\nb\n'); // a change of endings alone
    expect(applied('\ufeffa\r\nb', hunk('@@ -2 +2 @@', '-b', '\\ No newline at end of file', '+c', '\\ No newline at end of file'))).toBe(
      '\ufeffa\r\nc',
    );
  });

  it('takes the missing final newline at its word', () => {
    const none = '\\ No newline at end of file';
    expect(applied('a', hunk('@@ -1 +1 @@', '-a', none, '+b', none))).toBe('b');
    expect(applied('a', hunk('@@ -1 +1,2 @@', '-a', none, '+a', '+b'))).toBe('a\nb\n');
    expect(applied('a\n', hunk('@@ -1 +1 @@', '-a', '+a', none))).toBe('a');
    for (const patch of [hunk('@@ -1 +1 @@', '-a', '+b'), hunk('@@ -1 +1,2 @@', ' a', none, '+b')])
      expect(refused(() => applied('a', patch)).code).toBe('CONFLICT');
    expect(refused(() => applied('a\n', hunk('@@ -1 +1 @@', '-a', none, '+b'))).code).toBe('CONFLICT');
  });

  it('a deletion has to take every line', () => {
    const patch = '--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n';
    expect(applied('a\n', patch)).toBe('');
    expect(refused(() => applied('a\nb\n', patch)).code).toBe('CONFLICT');
  });

  it('B06 added text is literal', () => {
    expect(applied('X\n', hunk('@@ -1 +1 @@', '-X', '+$& $1 \\1 %s'))).toBe('$& $1 \\1 %s\n');
  });

  it('turns one text into the other for any two texts and their diff', () => {
    const ending = fc.constantFrom('\n', '\r\n');
    const line = fc.constantFrom('a', 'b', '-- c', '++ d', '', '@@ -1 +1 @@', '\\ e', 'é');
    const text = fc
      .tuple(fc.array(fc.tuple(line, ending), { maxLength: 10 }), fc.boolean())
      .map(([lines, isUnended]) => lines.map(([word, end]) => word + end).join('') + (isUnended ? 'last' : ''));
    fc.assert(
      fc.property(text, text, fc.nat(4), (before, after, context) => {
        fc.pre(before !== after);
        expect(applied(before, createTwoFilesPatch('a/f', 'b/f', before, after, undefined, undefined, { context }))).toBe(after);
      }),
    );
  });
});
