// read_files on real bytes: what comes back is what is on disk, how much was left out is said, and what is no text is named.
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testFiles } from '../../testing/files.ts';
import { workspace } from '../../testing/workspace.ts';

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
type Wish = { path: string; startLine?: number; endLine?: number; tailLines?: number; numbered?: boolean };

async function readOne(files: Record<string, string | Uint8Array>, wish: Wish) {
  await using ws = await workspace(files);
  const { data, ...more } = await testFiles(ws).call('read_files', { files: [wish] });
  return { file: data.files[0], error: data.errors[0]?.error, ...more };
}

describe('read_files', () => {
  it('gives the text as it is, with the hash of the raw bytes', async () => {
    for (const content of [
      '',
      'one',
      'a\nb\n',
      'a\r\nb\r\nc',
      'a\rb\r',
      '\ufeffa\r\n',
      'mixed\r\na\nb\rc\r\n',
      'é\u{1f600}\n',
      '{"a":"\\u0000"}',
    ]) {
      const { file, truncated } = await readOne({ 'a.txt': content }, { path: 'a.txt' });
      const total = content.split('\n').length - (content === '' || content.endsWith('\n') ? 1 : 0);
      expect(file).toEqual({
        path: 'a.txt',
        content,
        startLine: 1,
        endLine: total,
        totalLines: total,
        bytes: Buffer.byteLength(content),
        hash: sha256(content),
        truncated: false,
      });
      expect(truncated).toBe(false);
    }
  });

  it.each<[Omit<Wish, 'path'>, { content: string; startLine: number; endLine: number }]>([
    [{ startLine: 2 }, { content: 'b\nc\nd', startLine: 2, endLine: 4 }],
    [{ endLine: 2 }, { content: 'a\nb\n', startLine: 1, endLine: 2 }],
    [
      { startLine: 2, endLine: 3 },
      { content: 'b\nc\n', startLine: 2, endLine: 3 },
    ],
    [
      { startLine: 3, endLine: 99 },
      { content: 'c\nd', startLine: 3, endLine: 4 },
    ],
    [{ startLine: 5 }, { content: '', startLine: 5, endLine: 4 }],
    [{ startLine: 99 }, { content: '', startLine: 99, endLine: 98 }],
    [{ tailLines: 1 }, { content: 'd', startLine: 4, endLine: 4 }],
    [{ tailLines: 2 }, { content: 'c\nd', startLine: 3, endLine: 4 }],
    [{ tailLines: 99 }, { content: 'a\nb\nc\nd', startLine: 1, endLine: 4 }],
    [
      { startLine: 2, endLine: 3, numbered: true },
      { content: '2\tb\n3\tc\n', startLine: 2, endLine: 3 },
    ],
    [
      { tailLines: 1, numbered: true },
      { content: '4\td', startLine: 4, endLine: 4 },
    ],
  ])('reads %j', async (wish, expected) => {
    const { file } = await readOne({ 'a.txt': 'a\nb\nc\nd' }, { path: 'a.txt', ...wish });
    expect(file).toMatchObject({ ...expected, totalLines: 4, hash: sha256('a\nb\nc\nd'), truncated: false });
  });

  it('gives ranges that join to the whole file, wherever it is cut', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', '\n', '\r', 'é', '\u{1f600}'), maxLength: 40 }),
        fc.integer({ min: 1, max: 6 }),
        async (text, step) => {
          await using ws = await workspace({ a: text });
          const { call } = testFiles(ws);
          let joined = '';
          for (let line = 1, total = 1; line <= total; line += step) {
            const { data } = await call('read_files', { files: [{ path: 'a', startLine: line, endLine: line + step - 1 }] });
            total = data.files[0]!.totalLines!;
            joined += data.files[0]!.content;
          }
          expect(joined).toBe(text);
        },
      ),
      { numRuns: 50 },
    ));

  it('refuses a contradictory range, beside the files that can be read', async () => {
    await using ws = await workspace({ a: 'x', b: 'y' });
    const wishes: Wish[] = [{ path: 'a', startLine: 3, endLine: 2 }, { path: 'a', startLine: 1, tailLines: 2 }, { path: 'b' }];
    const { data, brief } = await testFiles(ws).call('read_files', { files: wishes });
    expect(data.errors.map(({ error }) => error.code)).toEqual(['INVALID_INPUT', 'INVALID_INPUT']);
    expect(data.files.map((file) => file.content)).toEqual(['y']);
    expect(brief).toBe('Read b, 2 refused');
  });

  it('B28 answers a 400 KB file with its first lines, its size and its hash, and says that it is cut', async () => {
    const content = Array.from({ length: 8000 }, (_, at) => `line ${at + 1} ${'x'.repeat(38)}`).join('\n');
    const { file, truncated } = await readOne({ 'big.txt': content }, { path: 'big.txt' });
    expect(Buffer.byteLength(content)).toBeGreaterThan(390_000);
    expect(file).toMatchObject({
      startLine: 1,
      totalLines: 8000,
      bytes: Buffer.byteLength(content),
      hash: sha256(content),
      truncated: true,
    });
    expect(truncated).toBe(true);
    expect(content.startsWith(file!.content)).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(file))).toBeLessThan(32 * 1024);
    expect(file!.content.split('\n')).toHaveLength(file!.endLine + 1);
    const next = await readOne({ 'big.txt': content }, { path: 'big.txt', startLine: file!.endLine + 1, endLine: file!.endLine + 1 });
    expect(next.file!.content).toBe(`${content.split('\n')[file!.endLine]}\n`);
  });

  it('B28 keeps the end of a tail that does not fit, and shares one answer among ten files', async () => {
    const content = Array.from({ length: 8000 }, (_, at) => `line ${at + 1} ${'x'.repeat(38)}\n`).join('');
    const tail = await readOne({ 'big.txt': content }, { path: 'big.txt', tailLines: 5000 });
    expect(tail.file).toMatchObject({ endLine: 8000, truncated: true });
    expect(content.endsWith(tail.file!.content)).toBe(true);
    expect(tail.warnings?.[0]).toContain('only the last');
    await using ws = await workspace(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`f${at}`, content])));
    const { data } = await testFiles(ws).call('read_files', { files: Array.from({ length: 10 }, (_, at) => ({ path: `f${at}` })) });
    expect(data.files.every((file) => file.endLine > 20 && file.truncated)).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(32 * 1024);
  });

  it('B28 cuts one endless line at a character and says so', async () => {
    const content = `${'é'.repeat(200_000)}\nend`;
    const { file, warnings } = await readOne({ a: content }, { path: 'a' });
    expect(file).toMatchObject({ startLine: 1, endLine: 1, totalLines: 2, truncated: true });
    expect(file!.content).toMatch(/^é+$/);
    expect(warnings?.[0]).toContain('line 1 alone has 400001 bytes');
  });
});

describe('B14 what is text', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  it.each<[string, { path?: string; kind: string; bytes: Uint8Array }]>([
    ['an ELF program without an ending', { path: 'tool', kind: 'an ELF program', bytes: Buffer.from('7f454c460201010000000000', 'hex') }],
    ['a PNG named .txt', { kind: 'a PNG image', bytes: png }],
    ['UTF-16LE text with a mark', { kind: 'UTF-16 text', bytes: Buffer.from('\ufeffhello', 'utf16le') }],
    ['UTF-16LE text without a mark', { kind: 'binary data', bytes: Buffer.from('hello', 'utf16le') }],
    ['UTF-16 text without any NUL', { kind: 'UTF-16 text', bytes: Buffer.from('\ufeff\u4f60\u597d', 'utf16le') }],
    ['a NUL after a megabyte', { kind: 'binary data', bytes: Buffer.concat([Buffer.alloc(1024 * 1024, 'a'), Buffer.from([0])]) }],
    ['Latin-1', { kind: 'text in another encoding', bytes: Buffer.from('caf\u00e9', 'latin1') }],
    ['a character cut off at the end', { kind: 'text in another encoding', bytes: Buffer.from('é').subarray(0, 1) }],
  ])('refuses %s with its kind, size and hash', async (_, { path = 'a.txt', bytes, kind }) => {
    const { error } = await readOne({ [path]: bytes }, { path });
    expect(error).toMatchObject({ code: 'UNSUPPORTED_ENCODING', detail: { kind, bytes: bytes.length, hash: sha256(bytes) } });
  });

  it('reads text whose characters lie across every round offset', async () => {
    for (const offset of [1000, 4096, 8192, 65536, 131_072]) {
      const content = `${'a'.repeat(offset - 1)}\u4f60\n`;
      const { file, error } = await readOne({ a: content }, { path: 'a', tailLines: 1 });
      expect(error).toBeUndefined();
      expect(file).toMatchObject({ hash: sha256(content), totalLines: 1 });
      expect(file!.content.endsWith('\u4f60\n')).toBe(true);
    }
  });

  it('answers with valid JSON for every control character', async () => {
    const content = `${Array.from({ length: 31 }, (_, at) => String.fromCharCode(at + 1)).join('')}\u2028`;
    const { file } = await readOne({ a: content }, { path: 'a' });
    expect((JSON.parse(JSON.stringify(file)) as { content: string }).content).toBe(content);
  });
});

describe('which files', () => {
  it('B01 S07 refuses what is outside, and says nothing of it', async () => {
    await using ws = await workspace({ a: 'x' });
    mkdirSync(`${ws.root}_secret`);
    writeFileSync(`${ws.root}_secret/s`, 'CANARY');
    const paths = [
      `${ws.root}_secret/s`,
      '../proj_secret/s',
      `${ws.root}/../proj_secret/s`,
      `${ws.root}//../proj_secret/s`,
      '%2e%2e/proj_secret/s',
    ];
    const { data } = await testFiles(ws).call('read_files', {
      files: [...paths, 'a/../../proj_secret/s', '~/s', 'C:/s'].map((path) => ({ path })),
    });
    expect(data.files).toEqual([]);
    expect(data.errors.map(({ error }) => error.code)).toEqual(Array.from({ length: 8 }, () => 'PATH_DENIED'));
    expect(JSON.stringify(data.errors.map(({ error }) => error))).not.toContain('proj_secret');
  });

  it('B02 S07 follows links inside the project only, and the policy holds for where they lead', async () => {
    await using ws = await workspace({ 'src/a.ts': 'inside', '.env': 'SECRET=1', '.git/config': 'x' });
    writeFileSync(`${ws.outside}/secret`, 'CANARY');
    symlinkSync('src/a.ts', ws.path('alias.ts'));
    symlinkSync('.env', ws.path('plain.txt'));
    symlinkSync('.git', ws.path('repo'));
    symlinkSync(`${ws.outside}/secret`, ws.path('escape'));
    symlinkSync(ws.outside, ws.path('link'));
    symlinkSync(`${ws.outside}/none`, ws.path('dangling'));
    linkSync(`${ws.outside}/secret`, ws.path('hard'));
    const paths = ['plain.txt', 'repo/config', 'escape', 'link/secret', 'dangling', 'hard', 'src', 'none', 'alias.ts'];
    const { data } = await testFiles(ws).call('read_files', { files: paths.map((path) => ({ path })) });
    expect(data.errors.map(({ path, error }) => [path, error.code])).toEqual([
      ['plain.txt', 'SECRET_PATH_DENIED'],
      ['repo/config', 'PATH_DENIED'],
      ['escape', 'PATH_DENIED'],
      ['link/secret', 'PATH_DENIED'],
      ['dangling', 'PATH_DENIED'],
      ['hard', 'PATH_DENIED'],
      ['src', 'INVALID_INPUT'],
      ['none', 'NOT_FOUND'],
    ]);
    expect(data.files).toMatchObject([{ path: 'src/a.ts', content: 'inside' }]);
    for (const word of ['CANARY', 'SECRET=1', ws.outside]) expect(JSON.stringify(data)).not.toContain(word);
  });

  it('B01 works in a project that is the root of the disk', async () => {
    await using ws = await workspace({ 'src/a.ts': 'needle' });
    const disk = { ...ws, root: '/', project: { ...ws.project, root: '/' } };
    const path = ws.path('src/a.ts').slice(1);
    const { call } = testFiles(disk);
    expect((await call('read_files', { files: [{ path }] })).data.files).toMatchObject([{ path, content: 'needle' }]);
    const folder = ws.root.slice(1);
    expect((await call('search_code', { query: 'needle', paths: [folder] })).data.matches).toMatchObject([{ path, line: 1 }]);
    expect((await call('list_files', { path: folder })).data.tree.map((entry) => entry.path)).toEqual([`${folder}/src`, path]);
  });

  it.each(['.env', '.ENV', 'app/.env.local', 'id_rsa', '.ssh/config', 'a.pem', '.npmrc'])('never reads the secret %s', async (path) => {
    const { error } = await readOne({ [path]: 'CANARY' }, { path });
    expect(error?.code).toBe('SECRET_PATH_DENIED');
  });

  it('B05 reads odd names by their exact bytes', async () => {
    const names = [
      'Ecran\u202fde 10.25.png.txt',
      'e\u0301.txt',
      'a\nb',
      '-x',
      'a b.txt',
      '$(x).txt',
      '\u{1f600}',
      'x'.repeat(255),
      'a"b',
      "a'b",
    ];
    await using ws = await workspace(Object.fromEntries(names.map((name) => [name, name])));
    const { call } = testFiles(ws);
    const { data } = await call('read_files', { files: names.map((path) => ({ path })) });
    expect(data.files.map((file) => file.content)).toEqual(names);
    const listed = await call('list_files', {});
    const round = JSON.parse(JSON.stringify(listed.data.tree)) as { path: string }[];
    expect(round.map(({ path }) => path).sort()).toEqual([...names].sort());
  });

  it('B05 offers the one name that reads the same, and never uses it', async () => {
    const nfd = 'e\u0301.txt';
    const nfc = '\u00e9.txt';
    await using ws = await workspace({ [nfd]: 'x', 'dir\u202fa/b.txt': 'y', 'two\u00a0x': '1', 'two\u202fx': '2', '.env\u202f': 's' });
    const { call } = testFiles(ws);
    const { data } = await call('read_files', { files: [nfc, 'dir a/b.txt', 'two x', '.env ', 'nothing'].map((path) => ({ path })) });
    expect(data.files).toEqual([]);
    expect(data.errors.map(({ error }) => [error.code, error.detail?.['didYouMean']])).toEqual([
      ['NOT_FOUND', nfd],
      ['NOT_FOUND', 'dir\u202fa/b.txt'],
      ['NOT_FOUND', undefined],
      ['SECRET_PATH_DENIED', undefined],
      ['NOT_FOUND', undefined],
    ]);
    await using both = await workspace({ [nfd]: 'nfd', [nfc]: 'nfc' });
    const exact = await testFiles(both).call('read_files', { files: [{ path: nfc }, { path: nfd }] });
    expect(exact.data.files.map((file) => file.content)).toEqual(['nfc', 'nfd']);
  });
});
