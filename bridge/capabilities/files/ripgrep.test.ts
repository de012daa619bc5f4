// What ripgrep prints, cut anywhere, and what it complains about, told apart.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workspace } from '../../testing/workspace.ts';
import { createHitReader } from './hits.ts';
import { grep, grepBinary, type GrepRequest } from './ripgrep.ts';

const request = (root: string, more: Partial<GrepRequest>): GrepRequest => ({
  root,
  targets: ['.'],
  pattern: { query: 'needle', mode: 'literal', caseSensitive: true },
  lineBytes: 100,
  remainingMs: () => 20_000,
  signal: new AbortController().signal,
  isKnown: () => true,
  wants: () => true,
  ...more,
});

describe('createHitReader', () => {
  const notice = (path: string) => `${path}: binary file matches (found "\\0" byte around offset 3)\n`;
  const line = (path: string, rest: string) => `${path}\0${rest}\n`;
  const first = [line('a.ts', '1:2:x'), line('a.ts', '2:1:y:z'), notice('bin'), line('new\nline', '7:3:')];
  const printed = [...first, line('./-', '1:1:q'), notice('./odd: name')].join('');
  const known = new Set(['a.ts', 'new\nline', '-']);

  it('reads the same from any cut of the stream, odd names and notices too', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(printed.length), { maxLength: 6 }), (cuts) => {
        const reader = createHitReader({ isKnown: (path) => known.has(path), wants: () => true });
        const edges = [0, ...cuts.sort((a, b) => a - b), printed.length];
        for (const [at, edge] of edges.entries()) reader.push(Buffer.from(printed.slice(edge, edges[at + 1] ?? edge)));
        const told = [...reader.files].map(([path, { count, hits }]) => [
          path,
          count,
          hits.map(({ line, column, text }) => `${line}:${column}:${text.toString()}`),
        ]);
        expect(told).toEqual([
          ['a.ts', 2, ['1:2:x', '2:1:y:z']],
          ['new\nline', 1, ['7:3:']],
          ['-', 1, ['1:1:q']],
        ]);
        expect([...reader.binary].sort()).toEqual(['bin', 'odd: name']);
      }),
    );
  });

  it('passes over a file nobody asked about', () => {
    const reader = createHitReader({ isKnown: (path) => path === 'a', wants: () => true });
    reader.push(Buffer.from(['stranger\0', '1:1:secret\n', 'a\0', '1:1:x\n'].join('')));
    expect([...reader.files.keys()]).toEqual(['a']);
  });
});

describe('grep', () => {
  it('counts what could not be read, and does not take it for a wrong pattern', async () => {
    await using ws = await workspace({ 'a.ts': 'needle' });
    const result = await grep(request(ws.root, { targets: ['a.ts', 'a.ts/below', 'gone.ts'] }));
    expect([...result.hits.files.keys()]).toEqual(['a.ts']);
    expect(result).toMatchObject({ unreadable: 1, stoppedBy: null });
  });

  it('stops at its deadline', async () => {
    await using ws = await workspace({ 'a.ts': 'needle' });
    expect(await grep(request(ws.root, { remainingMs: () => 0 }))).toMatchObject({ stoppedBy: 'deadline' });
    expect(await grepBinary(request(ws.root, { remainingMs: () => 0 }))).toBeNull();
    await expect(grep(request(ws.root, { signal: AbortSignal.abort() }))).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('takes more names than one program can be given', async () => {
    const name = (at: number) => `${'n'.repeat(200)}${at}`;
    await using ws = await workspace(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [name(at), 'needle'])));
    const targets = Array.from({ length: 10_000 }, (_, at) => name(at));
    const result = await grep(request(ws.root, { targets }));
    expect(result.hits.files.size).toBe(20);
    expect(result.unreadable).toBe(0);
  });

  it('tells binary files by a NUL anywhere', async () => {
    await using ws = await workspace({
      early: '\0',
      late: `${'x\n'.repeat(200_000)}\0`,
      text: 'x',
      wide: Buffer.from('\ufeffx', 'utf16le'),
      '-': '\0',
    });
    expect([...(await grepBinary(request(ws.root, { targets: ['-', 'early', 'late', 'text', 'wide'] })))!].sort()).toEqual([
      '-',
      'early',
      'late',
      'wide',
    ]);
  });
});
