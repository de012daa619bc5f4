// Kept bytes: the same once however often they are put, verified when read, and bounded by a cap that never takes what is needed.
import { existsSync, readdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testState, type TestState } from '../../testing/state.ts';
import { sha256 } from '../digest.ts';
import { createBlobs } from './blobs.ts';

const opened = (state: TestState, capBytes = 1024) => {
  const dir = join(state.home, 'blobs');
  const open = () => createBlobs({ dir, store: state.store, capBytes, clock: state.clock });
  const path = (hash: string) => join(dir, 'sha256', hash.slice(0, 2), hash);
  return { dir, open, path, blobs: open() };
};

const codeOf = (work: () => unknown) => {
  try {
    work();
    return 'OK';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('blobs', () => {
  it('keeps bytes by their hash, once, and gives them back verified', async () => {
    using state = testState();
    const { blobs, path } = opened(state);
    const hash = await blobs.put(Buffer.from('hello'));
    expect(hash).toBe(sha256('hello'));
    const before = statSync(path(hash), { bigint: true });
    expect(await blobs.put(Buffer.from('hello'))).toBe(hash);
    expect(statSync(path(hash), { bigint: true }).ino).toBe(before.ino);
    expect(Number(before.mode) & 0o777).toBe(0o600);
    expect(blobs.get(hash).toString()).toBe('hello');
    expect(blobs.usage()).toMatchObject({ blobs: 1, bytes: 5, capBytes: 1024, droppedBlobs: 0 });
  });

  it('refuses damaged and missing bytes, and a put mends them', async () => {
    using state = testState();
    const { blobs, path } = opened(state);
    const hash = await blobs.put(Buffer.from('hello'));
    writeFileSync(path(hash), 'hellO');
    expect(codeOf(() => blobs.get(hash))).toBe('INTERNAL_ERROR');
    unlinkSync(path(hash));
    expect(blobs.has(hash)).toBe(false);
    expect(codeOf(() => blobs.get(hash))).toBe('INTERNAL_ERROR');
    await blobs.put(Buffer.from('hello'));
    expect(blobs.get(hash).toString()).toBe('hello');
    expect(() => blobs.get('../../etc/passwd')).toThrow();
  });

  it('removes what a crash left in staging when it opens', () => {
    using state = testState();
    const { dir, open } = opened(state);
    writeFileSync(join(dir, 'staging', 'half'), 'x');
    open();
    expect(readdirSync(join(dir, 'staging'))).toEqual([]);
  });

  it('drops the blobs that were used longest ago to stay under the cap, and remembers that it did', async () => {
    using state = testState();
    const { blobs, path } = opened(state, 100);
    const [first, second] = [await blobs.put(Buffer.alloc(40, 'a')), await blobs.put(Buffer.alloc(40, 'b'))];
    state.clock.advance(1000);
    await blobs.put(Buffer.alloc(40, 'a')); // used again: now the younger one
    const third = await blobs.put(Buffer.alloc(40, 'c'));
    expect([first, second, third].map((hash) => blobs.has(hash))).toEqual([true, false, true]);
    expect(existsSync(path(second))).toBe(false);
    expect(codeOf(() => blobs.get(second))).toBe('NOT_FOUND');
    expect(blobs.usage()).toMatchObject({ blobs: 2, bytes: 80, droppedBlobs: 1, droppedBytes: 40 });
    expect(await blobs.put(Buffer.alloc(40, 'b'))).toBe(second); // kept again
    expect(blobs.has(second)).toBe(true);
  });

  it('never drops what an owner needs: a full store refuses instead', async () => {
    using state = testState();
    const { blobs } = opened(state, 100);
    const needed = await blobs.put(Buffer.alloc(60, 'a'));
    blobs.protect(() => new Set([needed]));
    const other = await blobs.put(Buffer.alloc(30, 'b'));
    await expect(blobs.put(Buffer.alloc(50, 'c'))).rejects.toMatchObject({ code: 'RESOURCE_LIMIT' });
    expect([blobs.has(needed), blobs.has(other)]).toEqual([true, true]);
    await blobs.put(Buffer.alloc(35, 'd'));
    expect([blobs.has(needed), blobs.has(other)]).toEqual([true, false]);
  });

  it('never drops what is staged and not yet recorded, and drops what a crash left unrecorded', async () => {
    using state = testState();
    const { blobs, path, open } = opened(state, 100);
    const staged = await blobs.stage([Buffer.alloc(60, 'a')]);
    await staged.keep();
    const hash = staged.hashes[0] ?? '';
    await blobs.put(Buffer.alloc(50, 'b'));
    expect(existsSync(path(hash))).toBe(true);
    const reopened = open(); // as after a crash: nobody speaks for the staged bytes any more
    await reopened.put(Buffer.alloc(90, 'c'));
    expect(existsSync(path(hash))).toBe(false);
  });

  it('two puts of the same bytes at once both end durable', async () => {
    using state = testState();
    const { blobs } = opened(state);
    const hashes = await Promise.all([1, 2, 3].map(() => blobs.put(Buffer.from('same'))));
    expect(new Set(hashes).size).toBe(1);
    expect(blobs.usage()).toMatchObject({ blobs: 1, bytes: 4 });
  });
});
