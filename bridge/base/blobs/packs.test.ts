// Many small blobs as one file: each is given back by its own hash, is counted once, and goes only when nobody needs any of its pack.
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testState, type TestState } from '../../testing/state.ts';
import { sha256 } from '../digest.ts';
import { createBlobs, type Blobs } from './blobs.ts';

const opened = (state: TestState, capBytes = 1 << 20) => {
  const dir = join(state.home, 'blobs');
  const open = () => createBlobs({ dir, store: state.store, capBytes, clock: state.clock });
  const files = () =>
    readdirSync(join(dir, 'sha256')).flatMap((part) =>
      readdirSync(join(dir, 'sha256', part)).map((name) => join(dir, 'sha256', part, name)),
    );
  return { open, files, blobs: open() };
};

async function packed(state: TestState, blobs: Blobs, list: readonly Buffer[]): Promise<string[]> {
  const staged = await blobs.pack(list);
  await staged.keep();
  state.store.transaction(staged.record)();
  return staged.hashes;
}

async function joined(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(Buffer.from(piece));
  return Buffer.concat(all).toString('hex');
}

const named = (count: number, word = 'blob') => Array.from({ length: count }, (_unused, at) => Buffer.from(`${word} ${at}`.padEnd(10)));
const codeOf = async (work: () => unknown) =>
  Promise.resolve()
    .then(work)
    .then(
      () => 'OK',
      (error: { code: string }) => error.code,
    );

describe('a pack', () => {
  it('is one file, from which each is given back whole or piece by piece, also after a new start', async () => {
    using state = testState();
    const { blobs, open, files } = opened(state);
    const list = named(500);
    const hashes = await packed(state, blobs, list);
    expect(hashes).toEqual(list.map((bytes) => sha256(bytes)));
    expect(files()).toHaveLength(1);
    for (const again of [blobs, open()]) {
      expect(again.usage()).toMatchObject({ blobs: 500, bytes: 5032 });
      for (const at of [0, 1, 499]) {
        expect(again.has(hashes[at] ?? '')).toBe(true);
        expect(again.get(hashes[at] ?? '')).toEqual(list[at]);
        expect(again.stream(hashes[at] ?? '').size).toBe(10);
        expect(await joined(again.stream(hashes[at] ?? '').pieces())).toBe(list[at]?.toString('hex'));
      }
    }
  });

  it('holds nothing that is kept already, and what it holds is not kept once more alone', async () => {
    using state = testState();
    const { blobs, files } = opened(state);
    const [alone] = [await blobs.put(Buffer.from('blob 1    '))];
    await packed(state, blobs, named(3));
    expect(blobs.usage()).toMatchObject({ blobs: 3, bytes: 62 });
    await blobs.put(Buffer.from('blob 2    '));
    await packed(state, blobs, named(3));
    expect(files()).toHaveLength(2);
    expect(blobs.get(alone ?? '').toString()).toBe('blob 1    ');
  });

  it('that was cut short says so, and what is put again is kept alone', async () => {
    using state = testState();
    const { blobs, files } = opened(state);
    const [first, last] = await packed(state, blobs, named(2));
    truncateSync(files()[0] ?? '', 47);
    expect([blobs.has(first ?? ''), blobs.has(last ?? '')]).toEqual([true, false]);
    expect(await codeOf(() => blobs.get(last ?? ''))).toBe('INTERNAL_ERROR');
    expect(await codeOf(() => blobs.stream(last ?? ''))).toBe('INTERNAL_ERROR');
    await blobs.put(named(2)[1] as Buffer);
    expect(blobs.get(last ?? '').toString()).toBe('blob 1    ');
    expect(blobs.get(first ?? '').toString()).toBe('blob 0    ');
  });

  it('goes as a whole and only when none of it is needed; what was used last goes last', async () => {
    using state = testState();
    const { blobs, files } = opened(state, 180);
    const needed = new Set<string>();
    blobs.protect(() => needed);
    const first = await packed(state, blobs, named(4, 'a'));
    state.clock.advance(1000);
    const second = await packed(state, blobs, named(4, 'b'));
    state.clock.advance(1000);
    blobs.use([first[2] ?? '']);
    expect(blobs.drops()).toBe(0);
    state.clock.advance(1000);
    const third = await packed(state, blobs, named(4, 'c'));
    expect(second.map((hash) => blobs.has(hash))).toEqual([false, false, false, false]);
    expect(await codeOf(() => blobs.get(second[0] ?? ''))).toBe('NOT_FOUND');
    expect(first.every((hash) => blobs.has(hash))).toBe(true);
    expect([blobs.drops(), files().length]).toEqual([1, 2]);
    needed.add(first[3] ?? '').add(third[0] ?? '');
    expect(await codeOf(() => packed(state, blobs, named(4, 'd')))).toBe('RESOURCE_LIMIT');
    needed.delete(first[3] ?? '');
    await packed(state, blobs, named(4, 'd'));
    expect([blobs.has(first[3] ?? ''), blobs.has(third[3] ?? '')]).toEqual([false, true]);
  });

  it('and blobs of their own keep every byte, in any order and with any repetition', async () => {
    const list = fc.array(fc.uint8Array({ minLength: 0, maxLength: 40 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ list, isPack: fc.boolean() }), { maxLength: 6 }), async (rounds) => {
        using state = testState();
        const { blobs, open, files } = opened(state);
        const all = new Map<string, Buffer>();
        for (const round of rounds) {
          const buffers = round.list.map((bytes) => Buffer.from(bytes));
          if (round.isPack) await packed(state, blobs, buffers);
          else for (const bytes of buffers) await blobs.put(bytes);
          for (const bytes of buffers) all.set(sha256(bytes), bytes);
        }
        const again = open();
        for (const [hash, bytes] of all) expect(again.get(hash)).toEqual(bytes);
        expect(again.usage().blobs).toBe(all.size);
        expect(files().reduce((sum, path) => sum + statSync(path).size, 0)).toBe(again.usage().bytes);
      }),
      { numRuns: 25 },
    );
  });
});
