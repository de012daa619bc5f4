// Listings, globs, images and instruction files: bounded, in order, true to the disk of this moment, silent about what is kept out.
import { appendFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testFiles } from '../../testing/files.ts';
import { workspace } from '../../testing/workspace.ts';

describe('list_files', () => {
  const tree = {
    'src/a.ts': 'abc',
    'src/deep/x/y.ts': '',
    'README.md': 'hi',
    '.github/w.yml': '',
    '.env': 's',
    '.git/config': '',
    'dist/o.js': '',
    'src/.env.example': '',
  };

  it('lists a bounded depth in path order, dot files too, and what is kept out only as counts', async () => {
    await using ws = await workspace(tree);
    symlinkSync('README.md', ws.path('link'));
    const { data, truncated } = await testFiles(ws).call('list_files', {});
    expect(data.tree).toEqual([
      { path: '.github', kind: 'directory', size: null },
      { path: '.github/w.yml', kind: 'file', size: 0 },
      { path: 'README.md', kind: 'file', size: 2 },
      { path: 'src', kind: 'directory', size: null },
      { path: 'src/.env.example', kind: 'file', size: 0 },
      { path: 'src/a.ts', kind: 'file', size: 3 },
      { path: 'src/deep', kind: 'directory', size: null },
    ]);
    expect(data).toMatchObject({ path: '.', entryCount: 7, skipped: { ignored: 1, secret: 1, protected: 1, symlink: 1 } });
    expect(truncated).toBe(false);
  });

  it('starts where it is told, lifts only ordinary rules, and says when it is cut', async () => {
    await using ws = await workspace(tree);
    const { call, refusal } = testFiles(ws);
    const paths = async (input: Record<string, unknown>) => (await call('list_files', input)).data.tree.map(({ path }) => path);
    expect(await paths({ path: 'src', depth: 1 })).toEqual(['src/.env.example', 'src/a.ts', 'src/deep']);
    expect(await paths({ path: 'src', depth: 10 })).toContain('src/deep/x/y.ts');
    expect(await paths({ includeIgnored: true })).toContain('dist/o.js');
    expect((await paths({ includeIgnored: true })).join()).not.toMatch(/\.env(?!\.example)|\.git\//);
    const cut = await call('list_files', { maxEntries: 3 });
    expect([cut.data.entryCount, cut.truncated]).toEqual([3, true]);
    expect((await refusal('list_files', { path: 'README.md' })).code).toBe('INVALID_INPUT');
    expect((await refusal('list_files', { path: 'none' })).code).toBe('NOT_FOUND');
    expect((await refusal('list_files', { path: '.git' })).code).toBe('PATH_DENIED');
    expect((await refusal('list_files', { path: '../outside' })).code).toBe('PATH_DENIED');
  });

  it('gives the size of this moment, also of a file that was written to in place', async () => {
    await using ws = await workspace({ a: 'one' });
    const { call } = testFiles(ws);
    await call('list_files', {});
    appendFileSync(ws.path('a'), 'two');
    expect((await call('list_files', {})).data.tree).toEqual([{ path: 'a', kind: 'file', size: 6 }]);
  });
});

describe('glob_files', () => {
  it('matches names without "/" and paths with it, below the folder it is given', async () => {
    await using ws = await workspace({ 'src/a.ts': 'x', 'src/deep/b.ts': '', 'a.ts': '', 'a.js': '', '.env': '', 'dist/c.ts': '' });
    const { call } = testFiles(ws);
    const paths = async (input: { pattern: string } & Record<string, unknown>) =>
      (await call('glob_files', input)).data.files.map(({ path }) => path);
    expect(await paths({ pattern: '*.ts' })).toEqual(['a.ts', 'src/a.ts', 'src/deep/b.ts']);
    expect(await paths({ pattern: 'src/*.ts' })).toEqual(['src/a.ts']);
    expect(await paths({ pattern: '**/*.{ts,js}', path: 'src' })).toEqual(['src/a.ts', 'src/deep/b.ts']);
    expect(await paths({ pattern: '*.ts', path: 'src/deep' })).toEqual(['src/deep/b.ts']);
    expect(await paths({ pattern: '*', includeIgnored: true })).toEqual(['a.js', 'a.ts', 'dist/c.ts', 'src/a.ts', 'src/deep/b.ts']);
    expect(await paths({ pattern: '.env' })).toEqual([]);
  });

  it('gives the newest first when asked, counts all and says when it is cut', async () => {
    await using ws = await workspace({ a: '1', b: '22', c: '333' });
    for (const [at, name] of ['b', 'c', 'a'].entries()) utimesSync(ws.path(name), 1000, 5000 - at);
    const { data, truncated } = await testFiles(ws).call('glob_files', { pattern: '*', sortBy: 'mtime', maxResults: 2 });
    expect(data).toMatchObject({ count: 3, files: [{ path: 'b', size: 2, mtimeMs: 5_000_000 }, { path: 'c' }] });
    expect(truncated).toBe(true);
  });
});

describe('a pattern that cannot be read or leads outside', () => {
  it('S07 is refused wherever one is taken, and does not look like an empty result', async () => {
    await using ws = await workspace({ 'src/a.ts': 'needle' });
    const { refusal } = testFiles(ws);
    const codes = async (pattern: string) => [
      (await refusal('glob_files', { pattern })).code,
      (await refusal('glob_files', { pattern, path: 'src' })).code,
      (await refusal('search_code', { query: 'needle', fileGlob: pattern })).code,
      (await refusal('search_code', { query: 'needle', fileGlob: pattern, paths: ['src/a.ts'] })).code,
    ];
    for (const pattern of ['[[', '{', '*.{ts', 'a\\', '!', 'src/'])
      expect(await codes(pattern), pattern).toEqual(Array(4).fill('INVALID_INPUT'));
    for (const pattern of ['../*', '/etc/*', '~/*', 'src/../../x', '{/etc,src}/*', 'C:/x/*'])
      expect(await codes(pattern), pattern).toEqual(Array(4).fill('PATH_DENIED'));
    const unclosed = await refusal('glob_files', { pattern: 'src/[ab' });
    expect(unclosed.failure).toMatchObject({ detail: { character: 5 }, recovery: 'Write \\[ for the character itself.' });
  });
});

describe('read_image', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const webp = Buffer.from('524946460000000057454250', 'hex');
  it.each([
    ['a.txt', png, 'image/png'],
    ['a', Buffer.from('ffd8ffe0', 'hex'), 'image/jpeg'],
    ['a.png', Buffer.from('GIF89a'), 'image/gif'],
    ['a.webp', webp, 'image/webp'],
  ])('B14 knows %s by its bytes', async (path, bytes, mimeType) => {
    await using ws = await workspace({ [path]: bytes });
    const { data, images } = await testFiles(ws).call('read_image', { path });
    expect(data).toMatchObject({ path, mimeType, bytes: bytes.length });
    expect(images).toEqual([{ data: bytes.toString('base64'), mimeType }]);
  });

  it('refuses what is no such image, or too large a one', async () => {
    await using ws = await workspace({
      'a.png': 'text',
      'b.svg': '<svg/>',
      'big.png': Buffer.concat([png, Buffer.alloc(4096)]),
      'c.riff': Buffer.from('RIFF....WAVE'),
    });
    const { refusal } = testFiles(ws);
    for (const path of ['a.png', 'b.svg', 'c.riff']) expect((await refusal('read_image', { path })).code).toBe('UNSUPPORTED_ENCODING');
    expect((await refusal('read_image', { path: 'big.png', maxBytes: 1024 })).failure).toMatchObject({ code: 'FILE_TOO_LARGE' });
  });
});

describe('read_instructions', () => {
  it('collects them in order, each once, bounded and called untrusted', async () => {
    await using ws = await workspace({
      'AGENTS.md': 'root',
      'CONTRIBUTING.md': 'c'.repeat(5000),
      'pkg/AGENTS.md': 'nested',
      'node_modules/x/AGENTS.md': 'no',
      'README.md': 'no',
    });
    symlinkSync('AGENTS.md', ws.path('CLAUDE.md'));
    writeFileSync(`${ws.outside}/GEMINI.md`, 'CANARY');
    symlinkSync(`${ws.outside}/GEMINI.md`, ws.path('GEMINI.md'));
    const { data, truncated, warnings } = await testFiles(ws).call('read_instructions', { maxBytesPerFile: 1024 });
    expect(data.files.map(({ path, truncated: isCut }) => [path, isCut])).toEqual([
      ['AGENTS.md', false],
      ['CONTRIBUTING.md', true],
      ['pkg/AGENTS.md', false],
    ]);
    expect(data.files[1]).toMatchObject({ bytes: 5000 });
    expect(data.note).toContain('untrusted');
    expect(truncated).toBe(true);
    expect(warnings?.join()).toContain('GEMINI.md was left out');
    expect(JSON.stringify(data)).not.toContain('CANARY');
  });

  it('B28 keeps the whole answer small', async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}/AGENTS.md`, 'é'.repeat(8000)]));
    await using ws = await workspace(files);
    const { data, truncated } = await testFiles(ws).call('read_instructions', {});
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(100 * 1024);
    expect(truncated).toBe(true);
  });
});
