// Lines out of chunks: the same whatever the chunks, and a line that is too long costs nothing but itself.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSplitter } from './splitter.ts';

function run(chunks: readonly Uint8Array[], limitBytes: number): { lines: string[]; tooLong: number } {
  const lines: string[] = [];
  let tooLong = 0;
  const splitter = createSplitter({ limitBytes, onLine: (line) => lines.push(line.toString('utf8')), onTooLong: () => (tooLong += 1) });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  return { lines, tooLong };
}

describe('splitter', () => {
  it('gives the same lines however the bytes are cut into chunks (property)', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''))), fc.nat(20), (texts, size) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += size + 1) chunks.push(bytes.subarray(at, at + size + 1));
        expect(run(chunks, 1_000_000)).toEqual({ lines: texts, tooLong: 0 });
      }),
    );
  });

  it('tells of a line that is too long once, at its end, and goes on with the next', () => {
    const chunks = ['ab\n', '12345', '67890', 'more and more\n', 'cd\nef'].map((text) => Buffer.from(text));
    expect(run(chunks, 8)).toEqual({ lines: ['ab', 'cd'], tooLong: 1 });
    expect(run(chunks.slice(0, 3), 8)).toEqual({ lines: ['ab'], tooLong: 0 });
    expect(run([Buffer.from('12345678\n123456789\n')], 8)).toEqual({ lines: ['12345678'], tooLong: 1 });
  });

  it('gives the two ends of what was too long, however it is cut into chunks (property)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 600, max: 3000 }), (size, length) => {
        const line = Buffer.from(Array.from({ length }, (_unused, index) => 97 + (index % 26)));
        const seen: { head: Buffer; tail: Buffer }[] = [];
        const splitter = createSplitter({ limitBytes: 100, onLine: () => undefined, onTooLong: (ends) => seen.push(ends) });
        for (let at = 0; at < length; at += size) splitter.push(line.subarray(at, at + size));
        splitter.push(Buffer.from('\n'));
        expect(seen).toHaveLength(1);
        expect(line.subarray(-512).equals(seen[0]?.tail ?? Buffer.alloc(0))).toBe(true);
        expect(line.subarray(0, 100).equals(seen[0]?.head.subarray(0, 100) ?? Buffer.alloc(0))).toBe(true);
      }),
    );
  });
});
