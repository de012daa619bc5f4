// Head, range and tail of files too large to hold: the right lines, and in a process of its own the memory and time they cost.
import { execFileSync } from 'node:child_process';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { filesContract } from '#shared/contracts/files.ts';
import { sha256 } from '../../base/digest.ts';
import { testFiles } from '../../testing/files.ts';
import { workspace, type Workspace } from '../../testing/workspace.ts';

const GIB = 1024 ** 3;
const repository = join(import.meta.dirname, '..', '..', '..');

/** A log of 6 GiB that takes no room on disk: text, a hole, text. */
function sparse(ws: Workspace, name: string): void {
  writeFileSync(ws.path(name), 'first\nsecond\nthird\n');
  truncateSync(ws.path(name), 6 * GIB);
  appendFileSync(ws.path(name), '\nlast but one\nthe last\n');
}

describe('a file larger than is read as a whole', () => {
  it('is refused as a whole, with the way to read its head or its tail', async () => {
    await using ws = await workspace({});
    sparse(ws, 'big.log');
    const { data } = await testFiles(ws).call('read_files', { files: [{ path: 'big.log' }] });
    expect(data.errors[0]?.error).toMatchObject({ code: 'FILE_TOO_LARGE', detail: { bytes: 6 * GIB + 23, limitBytes: 8 * 1024 * 1024 } });
    expect(data.errors[0]?.error.recovery).toMatch(/startLine.*tailLines/);
  });

  it('gives head and tail with its size, and claims no hash and no count', async () => {
    await using ws = await workspace({});
    sparse(ws, 'big.log');
    const wishes = [{ endLine: 2 }, { startLine: 2, endLine: 3, numbered: true }, { tailLines: 1 }, { tailLines: 2, numbered: true }];
    const { data } = await testFiles(ws).call('read_files', { files: wishes.map((wish) => ({ path: 'big.log', ...wish })) });
    expect(data.errors).toEqual([]);
    const known = { bytes: 6 * GIB + 23, hash: null, totalLines: null, truncated: false };
    expect(data.files).toEqual([
      { path: 'big.log', content: 'first\nsecond\n', startLine: 1, endLine: 2, ...known },
      { path: 'big.log', content: '2\tsecond\n3\tthird\n', startLine: 2, endLine: 3, ...known },
      { path: 'big.log', content: 'the last\n', startLine: -1, endLine: -1, ...known },
      { path: 'big.log', content: '-2\tlast but one\n-1\tthe last\n', startLine: -2, endLine: -1, ...known },
    ]);
  });

  it('B28 numbers a tail as the contract says: from 1 where lines are counted, from the end where they are not', async () => {
    const line = 'x'.repeat(1023);
    await using ws = await workspace({
      'small.txt': `${line}\n`.repeat(8 * 1024),
      'big.txt': `${line}\n`.repeat(8 * 1024 + 1),
      'empty.txt': '',
    });
    const wishes = ['small.txt', 'big.txt', 'empty.txt'].map((path) => ({ path, tailLines: 3, numbered: true }));
    const { data } = await testFiles(ws).call('read_files', { files: wishes });
    expect(data.files).toMatchObject([
      {
        startLine: 8190,
        endLine: 8192,
        totalLines: 8192,
        bytes: 8 * 1024 * 1024,
        content: `8190\t${line}\n8191\t${line}\n8192\t${line}\n`,
      },
      { startLine: -3, endLine: -1, totalLines: null, hash: null, content: `-3\t${line}\n-2\t${line}\n-1\t${line}\n` },
      { startLine: 1, endLine: 0, totalLines: 0, content: '' },
    ]);
    const told = JSON.stringify(z.toJSONSchema(filesContract.read_files.input, { io: 'input' }));
    expect(told).toMatch(/numbers them from 1; in a file over 8 MiB, whose lines are not counted, from the end: -1 is the last line/);
  });

  it('is hashed when that is asked for, whatever of it is read and whether or not it is text', async () => {
    const big = Buffer.alloc(9 * 1024 * 1024, 'a line.\n');
    const binary = Buffer.alloc(9 * 1024 * 1024);
    await using ws = await workspace({ 'big.txt': big, 'big.bin': binary, 'small.txt': 'a' });
    const read = async (wish: { path: string; tailLines?: number; includeHash?: boolean }) =>
      (await testFiles(ws).call('read_files', { files: [wish] })).data;
    expect((await read({ path: 'big.txt', tailLines: 1, includeHash: true })).files[0]).toMatchObject({
      content: 'a line.\n',
      hash: sha256(big),
    });
    expect((await read({ path: 'small.txt', includeHash: false })).files[0]).toMatchObject({ hash: sha256('a') });
    const detailOf = async (wish: Parameters<typeof read>[0]) => (await read(wish)).errors[0]?.error.detail?.['hash'];
    expect(await detailOf({ path: 'big.txt', includeHash: true })).toBe(sha256(big));
    expect(await detailOf({ path: 'big.txt' })).toBeUndefined();
    expect(await detailOf({ path: 'big.bin', tailLines: 1, includeHash: true })).toBe(sha256(binary));
    expect(await detailOf({ path: 'big.bin', tailLines: 1 })).toBeNull();
  });

  it('is not hashed to its end for a caller that has gone', async () => {
    await using ws = await workspace({});
    sparse(ws, 'big.log');
    const { data } = await testFiles(ws).call(
      'read_files',
      { files: [{ path: 'big.log', tailLines: 1, includeHash: true }] },
      { signal: AbortSignal.abort() },
    );
    expect(data.errors.map(({ error }) => error.code)).toEqual(['TIMEOUT']);
  });

  it('is not text where its bytes are not', async () => {
    await using ws = await workspace({});
    sparse(ws, 'big.log');
    const { data } = await testFiles(ws).call('read_files', {
      files: [
        { path: 'big.log', startLine: 4 },
        { path: 'big.log', tailLines: 9 },
      ],
    });
    expect(data.errors.map(({ error }) => error.code)).toEqual(['UNSUPPORTED_ENCODING']);
    expect(data.files).toMatchObject([{ startLine: -2, truncated: true, content: 'last but one\nthe last\n' }]);
  });

  it('is read on by range until its end, byte for byte', async () => {
    const text = Array.from({ length: 300_000 }, (_, at) => `line ${at + 1} é\u{1f600} ${'x'.repeat(at % 40)}\r\n`).join('');
    await using ws = await workspace({ 'big.txt': text });
    expect(Buffer.byteLength(text)).toBeGreaterThan(8 * 1024 * 1024);
    const { call } = testFiles(ws);
    const read = async (wish: object) => (await call('read_files', { files: [{ path: 'big.txt', ...wish }] })).data.files[0]!;
    let joined = '';
    for (let line = 150_000, step = 0; step < 3; step += 1) {
      const part = await read({ startLine: line });
      expect(part).toMatchObject({ startLine: line, truncated: true });
      joined += part.content;
      line = part.endLine + 1;
    }
    expect(text.slice(text.indexOf('line 150000 ')).startsWith(joined)).toBe(true);
    expect(await read({ startLine: 300_000 })).toMatchObject({
      content: text.slice(text.lastIndexOf('line')),
      endLine: 300_000,
      truncated: false,
    });
    expect(await read({ startLine: 300_001 })).toMatchObject({ content: '', endLine: 300_000, truncated: false });
    expect((await read({ tailLines: 3 })).content).toBe(text.slice(text.lastIndexOf('line 299998 ')));
    expect(await read({ tailLines: 5000 })).toMatchObject({ endLine: -1, truncated: true });
  });

  it('gives part of a line that is longer than an answer, cut at a character', async () => {
    await using ws = await workspace({ 'big.txt': '\u{1f600}'.repeat(3 * 1024 * 1024) });
    const { data, warnings } = await testFiles(ws).call('read_files', {
      files: [
        { path: 'big.txt', startLine: 1 },
        { path: 'big.txt', tailLines: 1 },
      ],
    });
    expect(data.files.map((file) => [/^(\u{1f600})+$/u.test(file.content), file.truncated])).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(warnings).toHaveLength(2);
  });

  it('costs less than 64 MB of memory, also to be hashed, and well under a second at its head and at its tail', async () => {
    await using ws = await workspace({});
    sparse(ws, 'big.log');
    writeFileSync(ws.path('less.log'), 'x\n');
    truncateSync(ws.path('less.log'), GIB / 2);
    appendFileSync(ws.path('less.log'), '\nx\n');
    const child = `
      const { createFiles } = await import('./bridge/capabilities/files/service.ts');
      const { systemClock } = await import('./bridge/base/clock.ts');
      const { silentLog } = await import('./bridge/base/log.ts');
      const files = createFiles({ clock: systemClock(), log: silentLog });
      const call = { project: { root: ${JSON.stringify(ws.root)} }, signal: new AbortController().signal };
      globalThis.gc();
      const before = process.memoryUsage.rss();
      let peak = before;
      const start = performance.now();
      const read = [];
      for (const wish of [{ endLine: 3 }, { tailLines: 2 }]) {
        read.push((await files.readText(call, { path: 'big.log', ...wish }, 24 * 1024)).file.content);
        peak = Math.max(peak, process.memoryUsage.rss());
      }
      const ms = performance.now() - start;
      const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 10);
      const { hash } = (await files.readText(call, { path: 'less.log', tailLines: 1, includeHash: true }, 1024)).file;
      clearInterval(timer);
      console.log(JSON.stringify({ grownBytes: peak - before, ms, read, hash }));
    `;
    const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', child];
    const { grownBytes, ms, read, hash } = JSON.parse(execFileSync(process.execPath, args, { cwd: repository, encoding: 'utf8' })) as {
      grownBytes: number;
      ms: number;
      read: string[];
      hash: string;
    };
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(read).toEqual(['first\nsecond\nthird\n', 'last but one\nthe last\n']);
    expect(grownBytes).toBeLessThan(64 * 1024 * 1024);
    // Reading all of it takes seconds on any machine; this only tells the two apart.
    expect(ms).toBeLessThan(1000);
  });
});
