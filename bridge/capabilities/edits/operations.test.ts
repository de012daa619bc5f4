// Every operation that changes files, on a real project: the right answer, the right bytes, and nothing at all after a refusal.
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { getAttributeSync, setAttributeSync } from 'fs-xattr';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { desk } from '../../testing/desk.ts';
import { refused } from '../../testing/refused.ts';

const ABSENT = 'absent';
const WRONG = 'f'.repeat(64);

describe('write_file', () => {
  it('creates a file with its folders and replaces it by its hash', async () => {
    await using at = await desk();
    const made = await at.call('write_file', { path: 'a/b/c.txt', content: 'é\n', expectedHash: ABSENT });
    expect(made.data).toMatchObject({ path: 'a/b/c.txt', created: true, beforeHash: null, bytes: 3, hash: sha256('é\n') });
    const again = await at.call('write_file', { path: 'a/b/c.txt', content: 'x\n', expectedHash: sha256('é\n') });
    expect(again.data).toMatchObject({ created: false, beforeHash: sha256('é\n') });
    expect(again.data['diff']).toContain('-é\n+x\n');
    expect(at.ws.list()).toEqual(['a/', 'a/b/', 'a/b/c.txt']);
    expect(at.ws.bytes('a/b/c.txt').toString()).toBe('x\n');
  });

  it('writes nothing when the bytes are the same', async () => {
    await using at = await desk({ files: { 'a.txt': 'a' } });
    const before = statSync(at.ws.path('a.txt'), { bigint: true });
    const same = await at.call('write_file', { path: 'a.txt', content: 'a', expectedHash: at.hash('a.txt') });
    expect(same.data).toMatchObject({ changesetId: null, created: false });
    expect(statSync(at.ws.path('a.txt'), { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
  });

  it.each([
    ['absent where a file is', { path: 'a.txt', expectedHash: ABSENT }, 'FILE_CHANGED'],
    ['a hash where nothing is', { path: 'b.txt', expectedHash: WRONG }, 'FILE_CHANGED'],
    ['a wrong hash', { path: 'a.txt', expectedHash: WRONG }, 'FILE_CHANGED'],
    ['a folder', { path: 'dir', expectedHash: ABSENT }, 'CONFLICT'],
    ['the root', { path: '.', expectedHash: ABSENT }, 'CONFLICT'],
    ['a missing folder', { path: 'no/x.txt', expectedHash: ABSENT, createParents: false }, 'NOT_FOUND'],
    ['a file as a folder', { path: 'a.txt/x', expectedHash: ABSENT }, 'PATH_DENIED'],
    ['a secret', { path: '.env', expectedHash: ABSENT }, 'SECRET_PATH_DENIED'],
    ['S10 git’s own state', { path: '.git/hooks/pre-commit', expectedHash: ABSENT }, 'PATH_DENIED'],
    ['S07 a path out of the project', { path: '../x', expectedHash: ABSENT }, 'PATH_DENIED'],
    ['S07 a link out of the project', { path: 'out/x', expectedHash: ABSENT }, 'PATH_DENIED'],
    ['S07 a dangling link', { path: 'dangling', expectedHash: ABSENT }, 'PATH_DENIED'],
    ['half a character pair', { path: 'b.txt', content: '\ud800', expectedHash: ABSENT }, 'INVALID_INPUT'],
    ['too much', { path: 'b.txt', content: 'x'.repeat(8 * 1024 * 1024 + 1), expectedHash: ABSENT }, 'FILE_TOO_LARGE'],
  ])('refuses %s', async (_name, input, code) => {
    await using at = await desk({ files: { 'a.txt': 'a', 'dir/': '' } });
    symlinkSync(at.ws.outside, at.ws.path('out'));
    symlinkSync(`${at.ws.outside}/new`, at.ws.path('dangling'));
    expect((await refused(at, 'write_file', { content: 'x', ...input })).code).toBe(code);
    expect(existsSync(`${at.ws.outside}/new`)).toBe(false);
  });

  it('names the current hash when the file is not the expected one', async () => {
    await using at = await desk({ files: { 'a.txt': 'a' } });
    const failure = await refused(at, 'write_file', { path: 'a.txt', content: 'x', expectedHash: WRONG });
    expect(failure.detail).toEqual({ path: 'a.txt', expectedHash: WRONG, currentHash: sha256('a') });
  });

  it('B02 writes through a link inside the project, to the file it leads to', async () => {
    await using at = await desk({ files: { 'src/a.txt': 'a' } });
    symlinkSync('src', at.ws.path('link'));
    const done = await at.call('write_file', { path: 'link/a.txt', content: 'b', expectedHash: sha256('a') });
    expect(done.data['path']).toBe('src/a.txt');
    expect(at.ws.bytes('src/a.txt').toString()).toBe('b');
  });
});

describe('edit_file', () => {
  it('B06 B07 changes the named bytes and nothing else; mode and attributes stay', async () => {
    const before = '\ufeffprice: X\r\nlast';
    await using at = await desk({ files: { 'a.txt': before } });
    chmodSync(at.ws.path('a.txt'), 0o755);
    let hasAttributes = true;
    try {
      setAttributeSync(at.ws.path('a.txt'), 'user.note', 'kept');
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toMatch(/ENOTSUP|EOPNOTSUPP/);
      hasAttributes = false;
    }
    const edits = [{ find: 'X\nlast', replace: '$&\nlast' }];
    const done = await at.call('edit_file', { path: 'a.txt', edits, expectedHash: sha256(before) });
    expect(at.ws.bytes('a.txt').toString()).toBe('\ufeffprice: $&\r\nlast');
    expect(done.data).toMatchObject({ editsApplied: 1, hash: at.hash('a.txt'), beforeHash: sha256(before), preview: null });
    expect(statSync(at.ws.path('a.txt')).mode & 0o777).toBe(0o755);
    if (hasAttributes) expect(getAttributeSync(at.ws.path('a.txt'), 'user.note').toString()).toBe('kept');
    expect(
      String(done.data['diff'])
        .split('\n')
        .filter((line) => /^[-+][^-+]/.test(line)),
    ).toHaveLength(2);
  });

  it('B14 refuses what is not UTF-8 text', async () => {
    const files = { latin: Buffer.from([0x61, 0xe9, 0x62]), wide: Buffer.from('\ufeffab', 'utf16le'), nul: Buffer.from('a\0b') };
    await using at = await desk({ files });
    for (const path of Object.keys(files)) {
      const input = { path, edits: [{ find: 'a', replace: 'b' }], expectedHash: at.hash(path) };
      expect((await refused(at, 'edit_file', input)).code).toBe('UNSUPPORTED_ENCODING');
    }
  });

  it('B09 B10 writes nothing on a wrong number of matches', async () => {
    await using at = await desk({ files: { 'a.txt': 'x=1\ny\nx=1\n' } });
    const expectedHash = at.hash('a.txt');
    const failure = await refused(at, 'edit_file', {
      path: 'a.txt',
      edits: [
        { find: 'y', replace: 'z' },
        { find: 'x=1', replace: '' },
      ],
      expectedHash,
    });
    expect(failure).toMatchObject({ code: 'AMBIGUOUS_EDIT', detail: { edit: 1, count: 2, lines: [1, 3] } });
    const miss = await refused(at, 'edit_file', { path: 'a.txt', edits: [{ find: 'x=2', replace: '' }], expectedHash });
    expect(miss).toMatchObject({ code: 'AMBIGUOUS_EDIT', detail: { count: 0, currentHash: expectedHash } });
  });

  it('a dry run writes nothing and leaves a plan that does exactly that', async () => {
    await using at = await desk({ files: { 'a.txt': 'one\n' } });
    const input = { path: 'a.txt', edits: [{ find: 'one', replace: 'two' }], expectedHash: at.hash('a.txt'), dryRun: true };
    const { data } = await at.call('edit_file', input);
    expect(data).toMatchObject({ changesetId: null, hash: sha256('two\n') });
    expect(at.ws.bytes('a.txt').toString()).toBe('one\n');
    const { planId, planHash } = data['preview'] as { planId: string; planHash: string };
    await at.call('apply_changes', { planId, planHash, idempotencyKey: 'key-12345' });
    expect(at.ws.bytes('a.txt').toString()).toBe('two\n');
  });

  it('refuses a file that is not there, under its hash and as absent', async () => {
    await using at = await desk();
    const edits = [{ find: 'a', replace: 'b' }];
    expect((await refused(at, 'edit_file', { path: 'a.txt', edits, expectedHash: WRONG })).code).toBe('FILE_CHANGED');
    expect((await refused(at, 'edit_file', { path: 'a.txt', edits, expectedHash: ABSENT })).code).toBe('NOT_FOUND');
  });
});

describe('delete_path, move_path and make_directory', () => {
  it('delete, move and make what they are told', async () => {
    await using at = await desk({ files: { 'a.bin': Buffer.from([0, 255]), 'b.txt': 'b', 'dir/': '' } });
    expect((await at.call('delete_path', { path: 'a.bin', expectedHash: at.hash('a.bin') })).data).toMatchObject({ deleted: true });
    const { ino } = statSync(at.ws.path('b.txt'));
    await at.call('move_path', { path: 'b.txt', destPath: 'dir/c.txt', expectedHash: at.hash('b.txt') });
    expect(statSync(at.ws.path('dir/c.txt')).ino).toBe(ino);
    expect((await at.call('make_directory', { path: 'x/y/z' })).data).toMatchObject({ created: true, createdParents: ['x', 'x/y'] });
    expect((await at.call('make_directory', { path: 'x/y' })).data).toMatchObject({ created: false, changesetId: null });
    expect(at.ws.list()).toEqual(['dir/', 'dir/c.txt', 'x/', 'x/y/', 'x/y/z/']);
  });

  it.each([
    ['delete_path', { path: 'dir', expectedHash: WRONG }, 'CONFLICT'],
    ['delete_path', { path: 'none', expectedHash: WRONG }, 'FILE_CHANGED'],
    ['delete_path', { path: 'none', expectedHash: ABSENT }, 'NOT_FOUND'],
    ['delete_path', { path: 'a.txt', expectedHash: ABSENT }, 'FILE_CHANGED'],
    ['delete_path', { path: 'link.txt', expectedHash: sha256('a') }, 'PATH_DENIED'],
    ['move_path', { path: 'link.txt', destPath: 'c.txt', expectedHash: sha256('a') }, 'PATH_DENIED'],
    ['move_path', { path: 'a.txt', destPath: 'b.txt', expectedHash: sha256('a') }, 'CONFLICT'],
    ['move_path', { path: 'a.txt', destPath: 'dir', expectedHash: sha256('a') }, 'CONFLICT'],
    ['move_path', { path: 'a.txt', destPath: 'a.txt', expectedHash: sha256('a') }, 'CONFLICT'],
    ['move_path', { path: 'a.txt', destPath: 'no/a.txt', expectedHash: sha256('a') }, 'NOT_FOUND'],
    ['move_path', { path: 'a.txt', destPath: 'c.txt', expectedHash: WRONG }, 'FILE_CHANGED'],
    ['move_path', { path: 'a.txt', destPath: 'out/c.txt', expectedHash: sha256('a') }, 'PATH_DENIED'],
    ['make_directory', { path: 'a.txt' }, 'CONFLICT'],
    ['make_directory', { path: 'a.txt/x' }, 'PATH_DENIED'],
    ['make_directory', { path: 'out/d/e' }, 'PATH_DENIED'],
    ['make_directory', { path: '.git/x' }, 'PATH_DENIED'],
  ])('%s refuses %j', async (operation, input, code) => {
    await using at = await desk({ files: { 'a.txt': 'a', 'b.txt': 'b', 'dir/': '' } });
    symlinkSync('a.txt', at.ws.path('link.txt'));
    symlinkSync(at.ws.outside, at.ws.path('out'));
    expect((await refused(at, operation, input)).code).toBe(code);
  });

  it('deletes a file below a folder that is a link inside the project', async () => {
    await using at = await desk({ files: { 'src/a.txt': 'a' } });
    symlinkSync('src', at.ws.path('link'));
    await at.call('delete_path', { path: 'link/a.txt', expectedHash: sha256('a') });
    expect(at.ws.list()).toEqual(['link', 'src/']);
  });

  it('B05 takes odd names as they are', async () => {
    await using at = await desk();
    for (const path of ['-rf', 'a b.txt', '$(x).txt', 'new\nline', '😀', 'e\u0301.txt', 'Ecran\u202Fde.png', 'x'.repeat(255)]) {
      await at.call('write_file', { path, content: path, expectedHash: ABSENT });
      expect(readFileSync(at.ws.path(path), 'utf8')).toBe(path);
    }
  });
});
