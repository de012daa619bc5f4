// The kept output against a model of it, and pages of it put together again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageOf } from './page.ts';
import { openSpool, type Spool } from './spool.ts';

const limits = { segmentBytes: 8, keptBytes: 32 };

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-spool-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a spool', () => {
  it('keeps the newest bytes exactly, says what it let go, and is the same after a restart (property)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 20 }),
        fc.nat(120),
        fc.integer({ min: 1, max: 50 }),
        (chunks, offset, max) =>
          inFolder((folder) => {
            const spool = openSpool(folder, 'stdout', limits);
            for (const chunk of chunks) spool.append(Buffer.from(chunk));
            const all = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
            for (const one of [spool, openSpool(folder, 'stdout', limits)]) {
              expect([one.size(), one.size() - one.from() <= limits.keptBytes + limits.segmentBytes]).toEqual([all.length, true]);
              expect(one.size() - one.from()).toBeGreaterThanOrEqual(Math.min(all.length, limits.keptBytes));
              const at = Math.max(offset, one.from());
              expect(one.read(offset, max)).toEqual(all.subarray(at, at + max));
            }
            expect(openSpool(folder, 'stderr', limits).size()).toBe(0);
          }),
      ),
      { numRuns: 60 },
    );
  });

  it('B17 gives pages that make the whole text again, no character cut, whatever their size (property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 4, max: 20 }), (text, maxBytes) =>
        inFolder((folder) => {
          const spool = openSpool(folder, 'stdout', { segmentBytes: 16, keptBytes: 1 << 20 });
          spool.append(Buffer.from(text));
          expect(paged(spool, maxBytes)).toBe(text);
        }),
      ),
    );
  });

  it('goes on over bytes that are no text', () => {
    inFolder((folder) => {
      const spool = openSpool(folder, 'stdout', limits);
      spool.append(Buffer.from([0xff, 0x80, 0x80, 0x80, 0x80, 0xe0, 0x41, 0xf0, 0x9f]));
      expect(paged(spool, 4)).toContain('A');
    });
  });

  it('waits with half of a character until the rest of it is there', () => {
    inFolder((folder) => {
      const spool = openSpool(folder, 'stdout', limits);
      const bridge = Buffer.from('a🌉');
      spool.append(bridge.subarray(0, 3));
      const first = pageOf(spool, { offset: 0, maxBytes: 100, isClean: false, isEnded: false });
      expect(first).toMatchObject({ content: 'a', nextOffset: 1, endOfStream: false });
      spool.append(bridge.subarray(3));
      expect(pageOf(spool, { offset: 1, maxBytes: 100, isClean: false, isEnded: true })).toMatchObject({
        content: '🌉',
        endOfStream: true,
      });
    });
  });
});

function paged(spool: Spool, maxBytes: number): string {
  let text = '';
  for (let offset = 0; ;) {
    const page = pageOf(spool, { offset, maxBytes, isClean: false, isEnded: true });
    text += page.content;
    if (page.endOfStream) return text;
    expect(page.nextOffset).toBeGreaterThan(offset);
    offset = page.nextOffset;
  }
}
