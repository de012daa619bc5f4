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

  it('tells of a line that is too long once, as soon as it is, and goes on with the next', () => {
    const chunks = ['ab\n', '12345', '67890', 'more and more\n', 'cd\nef'].map((text) => Buffer.from(text));
    expect(run(chunks, 8)).toEqual({ lines: ['ab', 'cd'], tooLong: 1 });
    expect(run(chunks.slice(0, 3), 8)).toEqual({ lines: ['ab'], tooLong: 1 });
    expect(run([Buffer.from('12345678\n123456789\n')], 8)).toEqual({ lines: ['12345678'], tooLong: 1 });
  });
});
