// Operations over several files: one change for all of them, or no change at all.
import { linkSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { desk } from '../../testing/desk.ts';
import { refused } from '../../testing/refused.ts';

const ABSENT = 'absent';
const WRONG = 'f'.repeat(64);

describe('apply_patch', () => {
  const patch = [
    ...['--- a/a.txt', '+++ b/a.txt', '@@ -1 +1 @@', '-one', '+eins'],
    ...['diff --git a/new.sh b/new.sh', 'new file mode 100755', '--- /dev/null', '+++ b/new.sh', '@@ -0,0 +1 @@', '+run'],
    ...['diff --git a/gone.txt b/gone.txt', 'deleted file mode 100644', '--- a/gone.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-bye', ''],
  ].join('\n');
  const files = { 'a.txt': 'one\n', 'gone.txt': 'bye\n' };
  const named = (changes: Record<string, string> = {}) =>
    Object.entries({ 'a.txt': sha256('one\n'), 'new.sh': ABSENT, 'gone.txt': sha256('bye\n'), ...changes }).map(([path, expectedHash]) => ({
      path,
      expectedHash,
    }));

  it('changes, creates and deletes files as one change', async () => {
    await using at = await desk({ files });
    const { data } = await at.call('apply_patch', { patch, expectedHashes: named() });
    expect(data['files']).toMatchObject([
      { path: 'a.txt', action: 'replace', afterHash: sha256('eins\n') },
      { path: 'new.sh', action: 'create', beforeHash: null },
      { path: 'gone.txt', action: 'delete', afterHash: null },
    ]);
    expect(at.ws.list()).toEqual(['a.txt', 'new.sh']);
    expect(statSync(at.ws.path('new.sh')).mode & 0o100).toBe(0o100);
    expect((await at.call('change_history', {})).data['changesets']).toHaveLength(1);
  });

  it('S07 refuses a patch that leads out of the project', async () => {
    await using at = await desk({ files });
    const expectedHashes = named().map((one) => (one.path === 'new.sh' ? { ...one, path: '../new.sh' } : one));
    const text = patch.replaceAll('new.sh', '../new.sh');
    expect((await refused(at, 'apply_patch', { patch: text, expectedHashes })).code).toBe('PATH_DENIED');
  });

  it.each([
    ['one file that changed', patch, named({ 'gone.txt': WRONG }), 'FILE_CHANGED'],
    ['one hunk that does not fit', patch.replace('-bye', '-tschuess'), named(), 'CONFLICT'],
    ['a file that is not named', patch, named().slice(1), 'INVALID_INPUT'],
    ['a name that is not in it', patch, [...named(), { path: 'x', expectedHash: ABSENT }], 'INVALID_INPUT'],
    ['a file named twice', patch, [...named(), { path: './a.txt', expectedHash: ABSENT }], 'INVALID_INPUT'],
    ['a created file that is expected to be there', patch, named({ 'new.sh': WRONG }), 'CONFLICT'],
    ['a rename', 'diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n', named(), 'NOT_SUPPORTED'],
    ['the same file twice', patch.replaceAll('new.sh', 'a.txt'), named().filter(({ path }) => path !== 'new.sh'), 'CONFLICT'],
  ])('refuses all for %s', async (...[, text, expectedHashes, code]) => {
    await using at = await desk({ files });
    expect((await refused(at, 'apply_patch', { patch: text, expectedHashes })).code).toBe(code);
  });
});

describe('replace_in_files', () => {
  const files = { 'a.txt': 'foo foo\n', 'b/c.txt': 'foo\r\n', 'd.txt': 'bar\n', 'e.bin': Buffer.from('foo\0') };

  it('B06 shows by default what it would do, and the plan does it', async () => {
    await using at = await desk({ files });
    const { data, warnings } = await at.call('replace_in_files', { find: 'foo', replace: '$&x' });
    expect(data).toMatchObject({ dryRun: true, totalReplacements: 3, changesetId: null });
    expect(data['files']).toMatchObject([
      { path: 'a.txt', replacements: 2, afterHash: sha256('$&x $&x\n') },
      { path: 'b/c.txt', replacements: 1, afterHash: sha256('$&x\r\n') },
    ]);
    expect(data).toMatchObject({ filesSearched: 3, skipped: { binary: 1, notUtf8: 0, tooLarge: 0 } });
    expect(warnings).toEqual(['The text was not looked for in 1 file: see skipped.']);
    expect(at.ws.bytes('a.txt').toString()).toBe('foo foo\n');
    const { planId, planHash } = data['preview'] as { planId: string; planHash: string };
    await at.call('apply_changes', { planId, planHash, idempotencyKey: 'key-12345' });
    expect([at.ws.bytes('a.txt').toString(), at.ws.bytes('b/c.txt').toString()]).toEqual(['$&x $&x\n', '$&x\r\n']);
  });

  it('B15 counts by reason what it did not look at, before and after, and takes it from the disk as it is now', async () => {
    await using at = await desk({
      files: {
        'a.txt': 'foo',
        'latin.txt': Buffer.from([0x66, 0x6f, 0x6f, 0xe9]),
        'wide.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('\u6f22\u5b57', 'utf16le')]),
        'e.bin': Buffer.from('foo\0'),
        'big.txt': 'foo'.repeat(3 * 1024 * 1024),
        '.env': 'foo',
        'sub/key.pem': 'foo',
        '.git/config': 'foo',
        '.gitignore': '*.log\n',
        'x.log': 'foo',
      },
    });
    symlinkSync('a.txt', at.ws.path('link'));
    linkSync(at.ws.path('sub/key.pem'), at.ws.path('hard.txt'));
    const skipped = { ignored: 1, secret: 2, protected: 1, symlink: 1, binary: 1, notUtf8: 2, tooLarge: 1, unreadable: 0, special: 1 };
    const { data } = await at.call('replace_in_files', { find: 'foo', replace: 'x' });
    expect(data).toMatchObject({ filesSearched: 2, skipped, totalReplacements: 1 });
    const expectedHashes = [{ path: 'a.txt', expectedHash: at.hash('a.txt') }];
    const done = await at.call('replace_in_files', { find: 'foo', replace: 'x', dryRun: false, expectedHashes });
    expect(done.data).toMatchObject({ filesSearched: 2, skipped, totalReplacements: 1 });
    const narrow = await at.call('replace_in_files', { find: 'foo', replace: 'x', fileGlob: '*.ts' });
    expect(narrow.data).toMatchObject({ filesSearched: 0, skipped: { binary: 0, notUtf8: 0, tooLarge: 0 } });
  });

  it('S07 refuses a pattern that cannot be read or leads outside, instead of finding nothing', async () => {
    await using at = await desk({ files });
    const input = { find: 'foo', replace: 'x', expectedHashes: [] };
    for (const dryRun of [true, false]) {
      for (const fileGlob of ['[[', '{', '*.{ts', '!'])
        expect((await refused(at, 'replace_in_files', { ...input, dryRun, fileGlob })).code).toBe('INVALID_INPUT');
      for (const fileGlob of ['../*', '/etc/*', '~/*', '{src,../x}/*'])
        expect((await refused(at, 'replace_in_files', { ...input, dryRun, fileGlob })).code).toBe('PATH_DENIED');
    }
  });

  it('a direct run touches only what it names, and refuses when more would match', async () => {
    await using at = await desk({ files });
    const expectedHashes = ['a.txt', 'b/c.txt', 'd.txt'].map((path) => ({ path, expectedHash: at.hash(path) }));
    const input = { find: 'foo', replace: 'x', dryRun: false };
    expect((await refused(at, 'replace_in_files', input)).code).toBe('INVALID_INPUT');
    expect((await refused(at, 'replace_in_files', { ...input, expectedHashes: expectedHashes.slice(0, 1) })).code).toBe('FILE_CHANGED');
    const stale = expectedHashes.with(2, { path: 'd.txt', expectedHash: WRONG });
    expect((await refused(at, 'replace_in_files', { ...input, expectedHashes: stale })).code).toBe('FILE_CHANGED');
    expect((await refused(at, 'replace_in_files', { ...input, expectedHashes, maxFiles: 1 })).code).toBe('RESOURCE_LIMIT');
    expect((await refused(at, 'replace_in_files', { ...input, find: 'oo f', replace: 'x', paths: ['none'], expectedHashes })).code).toBe(
      'NOT_FOUND',
    );
    const { data } = await at.call('replace_in_files', { ...input, expectedHashes });
    expect(data).toMatchObject({ dryRun: false, totalReplacements: 3 });
    expect(at.ws.bytes('d.txt').toString()).toBe('bar\n');
  });

  it('refuses overlapping matches and answers an empty list for none', async () => {
    await using at = await desk({ files: { 'a.txt': 'aaa' } });
    expect((await refused(at, 'replace_in_files', { find: 'aa', replace: 'b' })).code).toBe('AMBIGUOUS_EDIT');
    expect((await at.call('replace_in_files', { find: 'zz', replace: 'b' })).data).toMatchObject({ files: [], preview: null });
    const none = await at.call('replace_in_files', { find: 'zz', replace: 'b', dryRun: false, expectedHashes: [] });
    expect(none.data).toMatchObject({ files: [], changesetId: null });
  });
});
