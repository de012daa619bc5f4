// Bytes too many to hold: kept under the hash they were proven to have or not at all, read back verified, and never at the cost of others.
import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failed } from '../../failed.ts';
import { testState, type TestState } from '../../testing/state.ts';
import { sha256 } from '../digest.ts';
import { createBlobs, type Stream } from './blobs.ts';

const MIB = 1024 * 1024;

const opened = (state: TestState, capBytes: number) => {
  const dir = join(state.home, 'blobs');
  const path = (hash: string) => join(dir, 'sha256', hash.slice(0, 2), hash);
  const blobs = createBlobs({ dir, store: state.store, capBytes, clock: state.clock });
  return { path, blobs, staging: () => readdirSync(join(dir, 'staging')) };
};

/** The bytes as a stream in pieces of 64 KiB, each given out in the same memory. */
function streamOf(bytes: Buffer, hash = sha256(bytes)): Stream & { begun: number } {
  const stream = {
    hash,
    size: bytes.length,
    begun: 0,
    unlike: (found: string) => new Failed('FILE_CHANGED', `The bytes are ${found}.`),
    async *pieces() {
      stream.begun += 1;
      const piece = Buffer.alloc(64 * 1024);
      for (let at = 0; at < bytes.length; at += piece.length) {
        const length = bytes.copy(piece, 0, at);
        yield piece.subarray(0, length);
        await new Promise((resolve) => setImmediate(resolve));
        piece.fill(0);
      }
    },
  };
  return stream;
}

async function gathered(stream: Stream): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream.pieces()) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

async function keep(blobs: ReturnType<typeof createBlobs>, state: TestState, stream: Stream): Promise<void> {
  const staged = await blobs.stage([stream]);
  await staged.keep();
  state.store.transaction(staged.record)();
}

describe('a stream', () => {
  it('is kept by its hash, once, and given back piece by piece', async () => {
    using state = testState();
    const { blobs, staging } = opened(state, 100 * MIB);
    const bytes = randomBytes(5 * MIB + 3);
    const stream = streamOf(bytes);
    await keep(blobs, state, stream);
    expect(blobs.get(stream.hash).equals(bytes)).toBe(true);
    const back = blobs.stream(stream.hash);
    expect(back.size).toBe(bytes.length);
    expect((await gathered(back)).equals(bytes)).toBe(true);
    await keep(blobs, state, stream);
    expect(stream.begun).toBe(1);
    expect(staging()).toEqual([]);
    expect(blobs.usage()).toMatchObject({ blobs: 1, bytes: bytes.length });
  });

  it('whose bytes are not those of its hash leaves nothing behind, nor do those that came with it', async () => {
    using state = testState();
    const { blobs, staging } = opened(state, 100 * MIB);
    const [good, bad] = [streamOf(randomBytes(3 * MIB)), streamOf(randomBytes(MIB), 'f'.repeat(64))];
    const before = blobs.free();
    await expect(blobs.stage([good, Buffer.from('small'), bad])).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(staging()).toEqual([]);
    expect(blobs.has(good.hash)).toBe(false);
    expect(blobs.free()).toEqual(before);
    await keep(blobs, state, good);
    expect(blobs.has(good.hash)).toBe(true);
  });

  it('that two bring at once stays when one of them gives up', async () => {
    using state = testState();
    const { blobs, staging } = opened(state, 100 * MIB);
    const bytes = randomBytes(2 * MIB);
    const first = blobs.stage([streamOf(bytes), streamOf(randomBytes(4 * MIB), 'f'.repeat(64))]);
    const second = blobs.stage([streamOf(bytes)]);
    await expect(first).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    const staged = await second;
    await staged.keep();
    state.store.transaction(staged.record)();
    expect(blobs.get(sha256(bytes)).equals(bytes)).toBe(true);
    expect(staging()).toEqual([]);
  });

  it('that was damaged or is gone says so at its end or its beginning', async () => {
    using state = testState();
    const { blobs, path } = opened(state, 100 * MIB);
    const stream = streamOf(randomBytes(3 * MIB));
    expect(() => blobs.stream(stream.hash)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    await keep(blobs, state, stream);
    const file = openSync(path(stream.hash), 'r+');
    writeSync(file, 'x', 2 * MIB);
    closeSync(file);
    await expect(gathered(blobs.stream(stream.hash))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    writeFileSync(path(stream.hash), 'short');
    await expect(gathered(blobs.stream(stream.hash))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await keep(blobs, state, stream); // Another size is seen, and mended.
    expect((await gathered(blobs.stream(stream.hash))).length).toBe(3 * MIB);
    appendFileSync(path(stream.hash), 'x');
    await expect(gathered(blobs.stream(stream.hash))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

describe('what is free', () => {
  it('is the cap without what is kept and what is on its way, and is free again when that fails', async () => {
    using state = testState();
    const { blobs } = opened(state, 10 * MIB);
    expect(blobs.free()).toEqual({ bytes: 10 * MIB, by: 'cap' });
    await keep(blobs, state, streamOf(randomBytes(4 * MIB)));
    expect(blobs.free().bytes).toBe(6 * MIB);
    const staging = blobs.stage([streamOf(randomBytes(2 * MIB))]);
    expect(blobs.free().bytes).toBe(4 * MIB);
    const staged = await staging;
    await staged.keep();
    expect(blobs.free().bytes).toBe(4 * MIB);
    state.store.transaction(staged.record)();
    expect(blobs.free().bytes).toBe(4 * MIB);
    await expect(blobs.stage([streamOf(randomBytes(MIB), 'f'.repeat(64))])).rejects.toThrow();
    expect(blobs.free().bytes).toBe(4 * MIB);
    await (await blobs.stage([randomBytes(MIB)])).keep(); // Never recorded: it belongs to a call that failed.
    expect(blobs.free().bytes).toBe(3 * MIB);
    await blobs.put(randomBytes(3 * MIB));
    expect(blobs.free().bytes).toBe(0);
  });

  it('is what the disk has, when that is less', () => {
    using state = testState();
    expect(opened(state, Number.MAX_SAFE_INTEGER).blobs.free()).toMatchObject({ by: 'disk' });
  });
});
