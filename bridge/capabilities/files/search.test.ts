// search_code on real trees: what is there is found, what was not looked at is counted, and nothing from outside is ever shown.
import { execFileSync } from 'node:child_process';
import { linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { testFiles, type FileAnswer } from '../../testing/files.ts';
import { workspace } from '../../testing/workspace.ts';

type Search = FileAnswer<'search_code'>['data'];
const places = ({ matches }: Search) => matches.map(({ path, line, column }) => `${path}:${line}:${column}`);
const nothing = { ignored: 0, secret: 0, protected: 0, symlink: 0, binary: 0, tooLarge: 0, unreadable: 0, special: 0 };

async function searched(files: Record<string, string | Uint8Array>, input: { query: string } & Record<string, unknown>) {
  await using ws = await workspace(files);
  return (await testFiles(ws).call('search_code', input)).data;
}

describe('B15 search_code', () => {
  it('looks in dot folders, not in .git, secrets, ignored or special files, and counts each', async () => {
    await using ws = await workspace({
      '.github/w.yml': 'needle',
      '.env': 'needle',
      '.git/config': 'needle',
      '.gitignore': '*.log\n',
      'a.log': 'needle',
      'dist/a.js': 'needle',
      'a(b).ts': 'needle',
      '-x': 'needle',
      '-': 'needle',
      tool: Buffer.from('needle\0'),
      'big.txt': Buffer.alloc(8 * 1024 * 1024 + 1, 'needle\n'),
      'src/a.ts': 'needle',
    });
    symlinkSync('..', ws.path('src/loop'));
    symlinkSync('a.ts', ws.path('src/b.ts'));
    writeFileSync(`${ws.outside}/secret`, 'needle CANARY');
    linkSync(`${ws.outside}/secret`, ws.path('hard'));
    execFileSync('mkfifo', [ws.path('pipe')]);
    const { call } = testFiles(ws);
    for (const round of ['cold', 'warm', 'again']) {
      const { data, warnings } = await call('search_code', { query: 'needle' });
      expect([round, ...places(data)]).toEqual([round, '-:1:1', '-x:1:1', '.github/w.yml:1:1', 'a(b).ts:1:1', 'src/a.ts:1:1']);
      expect(data).toMatchObject({
        outcome: 'matches',
        totalMatches: 5,
        totalIsComplete: true,
        engine: 'ripgrep',
        mode: 'literal',
        filesSearched: 6,
      });
      expect(data.skipped).toEqual({ ...nothing, ignored: 2, secret: 1, protected: 1, symlink: 2, binary: 1, tooLarge: 1, special: 2 });
      expect(warnings).toEqual([]);
      expect(JSON.stringify(data)).not.toContain('CANARY');
    }
    const all = await call('search_code', { query: 'needle', includeIgnored: true });
    expect(places(all.data)).toContain('dist/a.js:1:1');
    expect(places(all.data)).not.toContain('.env:1:1');
    expect(all.data.skipped).toMatchObject({ ignored: 0, secret: 1, protected: 1 });
  });

  it('tells "nothing matches" from "nothing was looked at"', async () => {
    const files = { 'src/a.ts': 'x', 'dist/b.js': 'needle', bin: Buffer.from([0]) };
    expect(await searched(files, { query: 'needle' })).toMatchObject({ outcome: 'no_match', filesSearched: 1, totalIsComplete: true });
    expect(await searched(files, { query: 'needle', paths: ['dist'] })).toMatchObject({
      outcome: 'not_searched',
      filesSearched: 0,
      skipped: { ignored: 1 },
    });
    expect(await searched(files, { query: 'needle', paths: ['dist/b.js'] })).toMatchObject({
      outcome: 'not_searched',
      skipped: { ignored: 1 },
    });
    expect(await searched(files, { query: 'needle', fileGlob: '*.none' })).toMatchObject({ outcome: 'not_searched' });
    expect(await searched(files, { query: 'needle', paths: ['bin'] })).toMatchObject({ outcome: 'not_searched', skipped: { binary: 1 } });
    expect(await searched({}, { query: 'needle' })).toMatchObject({ outcome: 'not_searched', skipped: nothing });
    expect(await searched(files, { query: 'needle', paths: ['dist'], includeIgnored: true })).toMatchObject({
      outcome: 'matches',
      filesSearched: 1,
    });
  });

  it.each<[string, 'literal' | 'regex', string[]]>([
    ['colou?r', 'literal', ['a:3:1']],
    ['colou?r', 'regex', ['a:1:1', 'a:2:1']],
    ['foo(', 'literal', ['a:4:1']],
    ['a|b', 'literal', ['a:5:1']],
    ['C:\\x', 'literal', ['a:6:1']],
    ['-n', 'literal', ['a:7:1']],
    ['--files', 'literal', ['a:7:4']],
    ['-f', 'regex', ['a:7:5']],
    ['^$', 'regex', ['a:8:1']],
    ['[', 'literal', ['a:9:1']],
    ['\u4f60', 'literal', ['a:10:3']],
    ['$(x) %s $1', 'literal', ['a:11:1']],
  ])('finds %s (%s)', async (query, mode, expected) => {
    const lines = ['color', 'colour', 'colou?r', 'foo(x', 'a|b', 'C:\\x', '-n --files', '', '[', '\u{1f600}\u4f60', '$(x) %s $1'];
    expect(places(await searched({ a: `${lines.join('\n')}\n` }, { query, mode }))).toEqual(expected);
  });

  it.each(['foo(', '[', '*a', 'a{2,1}', '\\p{Foo}', '(?=a)', '(\\w{1000}){1000}'])(
    'refuses the regular expression %s with the literal search as a way on',
    async (query) => {
      await using ws = await workspace({ a: 'x' });
      const refusal = await testFiles(ws).refusal('search_code', { query, mode: 'regex' });
      expect(refusal.failure).toMatchObject({ code: 'INVALID_INPUT', detail: { suggestion: { mode: 'literal', query } } });
      expect(refusal.message).toMatch(/^The pattern was not understood: /);
    },
  );

  it('refuses a query that no line can match', async () => {
    await using ws = await workspace({ a: 'x' });
    const { refusal } = testFiles(ws);
    for (const query of ['a\nb', 'a\rb', 'a\0b']) expect((await refusal('search_code', { query })).code).toBe('INVALID_INPUT');
    expect((await refusal('search_code', { query: '\\n', mode: 'regex' })).code).toBe('INVALID_INPUT');
  });

  it('S24 is not slowed down by a pattern made to backtrack', async () => {
    const data = await searched({ a: `${'a'.repeat(50_000)}!\n` }, { query: '(a+)+$', mode: 'regex' });
    expect(data).toMatchObject({ outcome: 'no_match', filesSearched: 1, totalIsComplete: true });
    const glob = await searched({ [`${'a'.repeat(250)}`]: 'x' }, { query: 'x', fileGlob: `${'*a'.repeat(60)}*b` });
    expect(glob.outcome).toBe('not_searched');
  });

  it('B15 stops at its time budget and says so', async () => {
    await using ws = await workspace({ a: 'x', b: 'y' });
    let elapsed = 0;
    const clock = { ...systemClock(), monotonic: () => (elapsed += 1000) };
    const { data, truncated } = await testFiles(ws, clock).call('search_code', { query: 'x' });
    expect(data).toMatchObject({ outcome: 'incomplete', totalIsComplete: false });
    expect(truncated).toBe(true);
  });

  it('ends when its caller goes away', async () => {
    await using ws = await workspace({ a: 'x' });
    const call = testFiles(ws).call('search_code', { query: 'x' }, { signal: AbortSignal.abort() });
    const outcome = await call.then(
      ({ data }) => data.outcome,
      (error: { code: string }) => error.code,
    );
    expect(['incomplete', 'TIMEOUT']).toContain(outcome);
  });

  it('finds nothing by way of the settings of ripgrep or an ignore file of another tool', async () => {
    await using ws = await workspace({ 'a.ts': 'needle', '.ignore': '*', '.rgignore': '*', '.ripgreprc': '--invert-match' });
    process.env['RIPGREP_CONFIG_PATH'] = ws.path('.ripgreprc');
    const { data } = await testFiles(ws).call('search_code', { query: 'needle' });
    delete process.env['RIPGREP_CONFIG_PATH'];
    expect(places(data)).toEqual(['a.ts:1:1']);
  });
});

describe('what a match says', () => {
  it('gives the line, its column in UTF-16 units and the lines around it', async () => {
    const files = { 'a.ts': '\ufefffirst\r\n\u{1f600}é needle\r\nthird\r\n\r\nfifth needle needle\r\n' };
    const data = await searched(files, { query: 'needle', contextLines: 1 });
    expect(data.matches).toEqual([
      { path: 'a.ts', line: 2, column: 5, lineText: '\u{1f600}é needle', before: ['first'], after: ['third'] },
      { path: 'a.ts', line: 5, column: 7, lineText: 'fifth needle needle', before: [''], after: [] },
    ]);
    expect(data).toMatchObject({ totalMatches: 2, files: [{ path: 'a.ts', matches: 2 }] });
    const uneven = await searched(files, { query: 'third', contextBefore: 2, contextAfter: 0 });
    expect(uneven.matches[0]).toMatchObject({ before: ['first', '\u{1f600}é needle'], after: [] });
    expect(places(await searched(files, { query: '^first$', mode: 'regex' }))).toEqual(['a.ts:1:1']);
  });

  it('shows a window of at most 500 characters around a match far into a line', async () => {
    const data = await searched({ a: `${'x'.repeat(40_000)}needle${'y'.repeat(40_000)}` }, { query: 'needle' });
    expect(data.matches[0]).toMatchObject({ line: 1, column: 40_001 });
    expect(data.matches[0]!.lineText).toHaveLength(500);
    expect(data.matches[0]!.lineText).toMatch(/^…x+needley+…$/);
    const emoji = await searched({ a: `${'\u{1f600}'.repeat(2000)}needle${'\u{1f600}'.repeat(2000)}` }, { query: 'needle' });
    expect(emoji.matches[0]!.column).toBe(4001);
    expect(emoji.matches[0]!.lineText.isWellFormed()).toBe(true);
  });

  it('ignores case by the rules of Unicode when told to', async () => {
    expect(places(await searched({ a: 'ÉTÉ\nété\n' }, { query: 'été', caseSensitive: false }))).toEqual(['a:1:1', 'a:2:1']);
    expect(places(await searched({ a: 'ÉTÉ\nété\n' }, { query: 'été' }))).toEqual(['a:2:1']);
  });

  it('shows text in another encoding with what can be read of it', async () => {
    const data = await searched({ a: Buffer.from('caf\u00e9 needle\n', 'latin1') }, { query: 'needle' });
    expect(data.matches[0]).toMatchObject({ line: 1, lineText: 'caf\ufffd needle', column: 6 });
  });

  it('B14 never shows what is not text, wherever its NUL stands', async () => {
    const late = Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(600_000, 'x\n'), Buffer.from('\0\n')]);
    const wide = Buffer.from('\ufeffneedle\n', 'utf16le');
    await using ws = await workspace({ late, wide, 'a.txt': 'needle', cjk: Buffer.from('\ufeff\u4f60\u597d', 'utf16le') });
    const { call } = testFiles(ws);
    for (const outputMode of ['content', 'files', 'count', 'content'] as const) {
      const { data } = await call('search_code', { query: 'needle', outputMode });
      expect(data).toMatchObject({ totalMatches: 1, skipped: { binary: 2 }, files: [{ path: 'a.txt', matches: 1 }] });
    }
    expect((await call('search_code', { query: '\u4f60' })).data).toMatchObject({ totalMatches: 0, matches: [] });
  });

  it('counts by file without showing text', async () => {
    const files = { 'b.ts': 'x\nx\n', 'a.ts': 'x', 'c.ts': 'y' };
    for (const outputMode of ['files', 'count'])
      expect(await searched(files, { query: 'x', outputMode })).toMatchObject({
        matches: [],
        files: [
          { path: 'a.ts', matches: 1 },
          { path: 'b.ts', matches: 2 },
        ],
        totalMatches: 3,
      });
  });

  it('keeps to the paths and the glob it is given', async () => {
    const files = { 'src/a.ts': 'x', 'src/b.js': 'x', 'lib/a.ts': 'x', 'src/deep/c.ts': 'x' };
    expect(places(await searched(files, { query: 'x', paths: ['src'] }))).toEqual(['src/a.ts:1:1', 'src/b.js:1:1', 'src/deep/c.ts:1:1']);
    expect(places(await searched(files, { query: 'x', paths: ['src/deep', 'src', 'lib/a.ts', 'src/a.ts'], fileGlob: '*.ts' }))).toEqual([
      'lib/a.ts:1:1',
      'src/a.ts:1:1',
      'src/deep/c.ts:1:1',
    ]);
    expect(places(await searched(files, { query: 'x', fileGlob: 'src/**/*.ts' }))).toEqual(['src/a.ts:1:1', 'src/deep/c.ts:1:1']);
  });

  it('B02 refuses to start outside the project, and starts at what a link inside it means', async () => {
    await using ws = await workspace({ 'src/a.ts': 'x', '.env': 'x' });
    symlinkSync(ws.outside, ws.path('link'));
    symlinkSync('src', ws.path('alias'));
    const { call, refusal } = testFiles(ws);
    const code = async (path: string) => (await refusal('search_code', { query: 'x', paths: [path] })).code;
    expect(await code('link')).toBe('PATH_DENIED');
    expect(await code('../outside')).toBe('PATH_DENIED');
    expect(await code('.env')).toBe('SECRET_PATH_DENIED');
    expect(await code('none')).toBe('NOT_FOUND');
    expect(places((await call('search_code', { query: 'x', paths: ['alias'] })).data)).toEqual(['src/a.ts:1:1']);
  });
});
