// What the owner is told of the bridge: the whole size on disk, and what was dropped to stay under the cap.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownerContract } from '#shared/contracts/owner.ts';
import { createBlobs } from '../../base/blobs/blobs.ts';
import type { Call } from '../../operation.ts';
import { testState, type TestState } from '../../testing/state.ts';
import { bridgeOperations } from './operations.ts';
import { databaseBytes } from './size.ts';

const KIB = 1024;

async function statusOf(state: TestState, blobs: ReturnType<typeof createBlobs>) {
  const operations = bridgeOperations({
    version: '1.2.3',
    epoch: 'ep_1',
    home: state.home,
    clock: state.clock,
    address: () => ({ mcpUrl: null, consoleUrl: null }),
    usage: () => ({ ...blobs.usage(), databaseBytes: databaseBytes(join(state.home, 'state.sqlite')) }),
    createLink: () => ({ ownerLink: '', expiresAt: 0 }),
    setup: async () => Promise.reject(new Error('not asked')),
  });
  const outcome = await operations.find(({ name }) => name === 'bridge_status')?.run({}, {} as Call);
  return ownerContract.bridge_status.output.parse(outcome?.data).store;
}

it('counts the write-ahead log into the size of the database', async () => {
  using state = testState();
  const blobs = createBlobs({ dir: join(state.home, 'blobs'), store: state.store, capBytes: 1_000_000, clock: state.clock });
  const before = await statusOf(state, blobs);
  state.store.exec('CREATE TABLE filler (text TEXT)');
  state.store.prepare('INSERT INTO filler VALUES (?)').run('x'.repeat(200 * KIB));
  const after = await statusOf(state, blobs);
  expect(after.databaseBytes - before.databaseBytes).toBeGreaterThan(200 * KIB);
  const files = ['', '-wal', '-shm'].map((ending) => statSync(join(state.home, `state.sqlite${ending}`)).size);
  expect(after.databaseBytes).toBe(files.reduce((sum, size) => sum + size));
  expect(databaseBytes(join(state.home, 'none'))).toBe(0);
});

it('tells how many kept bytes were dropped at the cap', async () => {
  using state = testState();
  const blobs = createBlobs({ dir: join(state.home, 'blobs'), store: state.store, capBytes: 10 * KIB, clock: state.clock });
  expect(await statusOf(state, blobs)).toMatchObject({ blobs: 0, droppedBlobs: 0, droppedBytes: 0, capBytes: 10 * KIB });
  for (const letter of ['a', 'b', 'c']) await blobs.put(Buffer.from(letter.repeat(4 * KIB)));
  const { blobs: kept, bytes, droppedBlobs, droppedBytes } = await statusOf(state, blobs);
  expect([kept + droppedBlobs, bytes + droppedBytes]).toEqual([3, 12 * KIB]);
  expect(droppedBlobs).toBeGreaterThan(0);
});
