// Deleting files too large to hold: taken back like any other change while there is room for their bytes, and never lost unasked.
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, openSync, readdirSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { key, remove, undo } from '../../testing/deeds.ts';
import { desk, type Desk } from '../../testing/desk.ts';
import { refused } from '../../testing/refused.ts';

const MIB = 1024 * 1024;
const RANDOM = randomBytes(40 * MIB);
const RANDOM_HASH = sha256(RANDOM);
/** One byte more than is held. */
const BIG = Buffer.alloc(8 * MIB + 1, `a line${'.'.repeat(1000)}\n`);
const BIG_HASH = sha256(BIG);

/** Writes over the first byte of a file, which keeps its size. */
function poke(path: string): void {
  const file = openSync(path, 'r+');
  writeSync(file, '!', 0);
  closeSync(file);
}

const staging = (at: Desk) => readdirSync(join(at.state.home, 'blobs', 'staging'));
const pathOfBlob = (at: Desk, hash: string) => join(at.state.home, 'blobs', 'sha256', hash.slice(0, 2), hash);
const deletion = (path: string, expectedHash: string) => ({ kind: 'delete', path, expectedHash });
const planOf = async (at: Desk, operations: object[]) => (await at.call('preview_changes', { operations })).data;
const applying = ({ planId, planHash }: Record<string, unknown>) => ({ planId, planHash, idempotencyKey: key() });

describe('a file too large to hold', () => {
  it('is deleted without a question and put back with all that it had, as often as one likes', { timeout: 60_000 }, async () => {
    await using at = await desk({ files: { 'd/big.bin': RANDOM } });
    chmodSync(at.ws.path('d/big.bin'), 0o750);
    const before = at.snapshot();
    const { asked, answer } = await at.allowed('delete_path', { path: 'd/big.bin', expectedHash: RANDOM_HASH });
    expect([asked, answer.warnings]).toEqual([null, []]);
    expect(at.ws.list()).toEqual(['d/']);
    expect(at.blobs.usage()).toMatchObject({ blobs: 1, bytes: RANDOM.length });
    const shown = await at.call('change_inspect', { changesetId: answer.data.changesetId }, { caller: 'owner' });
    expect(shown.data).toMatchObject({
      undo: { possible: true },
      files: [{ diff: `--- a/d/big.bin\n+++ /dev/null\nToo large to show: ${RANDOM.length} bytes before, 0 bytes after\n` }],
    });
    const undone = await undo(at, answer.data.changesetId);
    expect(at.snapshot()).toEqual(before);
    const redone = await undo(at, undone.data.changesetId);
    expect(at.ws.list()).toEqual(['d/']);
    await undo(at, redone.data.changesetId);
    expect(at.snapshot()).toEqual(before);
    expect(at.blobs.usage()).toMatchObject({ blobs: 1, droppedBlobs: 0 });
    expect(staging(at)).toEqual([]);
  });

  it('is part of a plan with other files, all or none', { timeout: 60_000 }, async () => {
    let here: Desk | null = null;
    let work: ((at: Desk) => void) | null = null;
    await using at = await desk({
      files: { 'a.txt': 'a', 'big.bin': BIG, 'more.bin': RANDOM },
      onStage: (stage) => void (stage === 'swapping:2' && here !== null && work?.(here)),
    });
    here = at;
    const operations = [
      { kind: 'replace_file', path: 'a.txt', content: 'A', expectedHash: sha256('a') },
      deletion('big.bin', BIG_HASH),
      deletion('more.bin', RANDOM_HASH),
    ];
    const before = at.snapshot();
    const plan = await planOf(at, operations);
    expect(plan).toMatchObject({ requiresApproval: false, risk: 'high' });
    work = ({ ws }) => poke(ws.path('more.bin'));
    expect(await at.code('apply_changes', applying(plan))).toBe('FILE_CHANGED');
    expect({ ...at.snapshot(), 'more.bin': '' }).toEqual({ ...before, 'more.bin': '' });
    work = null;
    at.ws.write('more.bin', RANDOM);
    const { data } = await at.call('apply_changes', applying(await planOf(at, operations)));
    expect(data).toMatchObject({ rollbackAvailable: true });
    expect(at.ws.list()).toEqual(['a.txt']);
    await undo(at, data.changesetId);
    expect(at.snapshot()).toEqual(before);
  });

  it('is deleted by a patch that names every line of it, byte for byte', async () => {
    await using at = await desk({ files: { 'big.txt': BIG, 'windows.txt': BIG.toString().replaceAll('\n', '\r\n') } });
    const lines = BIG.toString().split('\n'); // The last one has no end.
    const header = (path: string) => `--- a/${path}\n+++ /dev/null\n@@ -1,${lines.length} +0,0 @@\n`;
    const patchOf = (path: string, some = lines) => `${header(path)}-${some.join('\n-')}\n\\ No newline at end of file\n`;
    const wish = (path: string, patch = patchOf(path)) => ({ patch, expectedHashes: [{ path, expectedHash: at.hash(path) }] });
    const other = lines.with(5000, 'another line');
    for (const input of [wish('big.txt', patchOf('big.txt', other)), wish('windows.txt')])
      expect(await refused(at, 'apply_patch', input)).toMatchObject({
        code: 'FILE_TOO_LARGE',
        recovery: expect.stringContaining('delete_path') as string,
      });
    const { asked, answer } = await at.allowed('apply_patch', wish('big.txt'));
    expect(asked).toBeNull();
    expect(at.ws.list()).toEqual(['windows.txt']);
    await undo(at, answer.data.changesetId);
    expect(at.hash('big.txt')).toBe(BIG_HASH);
  });

  it('that is written to while it is copied is not deleted, and nothing of the copy is left', { timeout: 60_000 }, async () => {
    await using at = await desk({ files: { 'big.bin': Buffer.concat([RANDOM, RANDOM, RANDOM, RANDOM]) } });
    const expectedHash = at.hash('big.bin');
    const copy = join(at.state.home, 'blobs', 'staging', expectedHash);
    const isCopying = () => (statSync(copy, { throwIfNoEntry: false })?.size ?? 0) > MIB;
    const ended = at.code('delete_path', { path: 'big.bin', expectedHash });
    while (!isCopying()) await new Promise((resolve) => setImmediate(resolve));
    poke(at.ws.path('big.bin')); // Where it was copied already.
    expect(staging(at)).toEqual([expectedHash]);
    expect(await ended).toBe('FILE_CHANGED');
    expect(at.ws.bytes('big.bin').toString('latin1', 0, 1)).toBe('!');
    expect([staging(at), at.blobs.usage().blobs, at.blobs.free().bytes]).toEqual([[], 0, 1 << 30]);
    expect((await at.call('change_history', {})).data['changesets']).toEqual([]);
  });

  it('is not put back from damaged bytes', async () => {
    await using at = await desk({ files: { 'big.bin': BIG } });
    const changesetId = await remove(at, 'big.bin');
    poke(pathOfBlob(at, BIG_HASH));
    expect(await at.code('rollback_changes', { changesetId, idempotencyKey: key() })).toBe('INTERNAL_ERROR');
    expect(at.ws.list()).toEqual([]);
    const file = openSync(pathOfBlob(at, BIG_HASH), 'r+');
    writeSync(file, BIG, 0, 1, 0);
    closeSync(file);
    await undo(at, changesetId);
    expect(at.hash('big.bin')).toBe(BIG_HASH);
  });

  it('that is a manifest is asked about, because its scripts cannot be read', async () => {
    await using at = await desk({ files: { 'package.json': BIG } });
    const input = { path: 'package.json', expectedHash: BIG_HASH };
    const { asked, answer } = await at.allowed('delete_path', input);
    expect(asked?.reasons).toEqual(['package.json: it is too large to be read as JSON, so a change of its scripts cannot be ruled out.']);
    const back = await at.asks('rollback_changes', { changesetId: answer.data.changesetId, idempotencyKey: key() });
    expect(back?.reasons).toEqual(asked?.reasons);
  });
});

describe('a file for whose bytes there is no room', () => {
  const capBytes = 9 * MIB;
  const kept = 'x'.repeat(2 * MIB);
  const reason = `big.bin: its ${BIG.length} bytes find no room among the ${capBytes} bytes that may be kept, so this cannot be undone.`;

  /** A store in which something is kept already, so that the cap would do and what is free does not. */
  async function crowded(wishes: Parameters<typeof desk>[0] = {}) {
    const at = await desk({ files: { 'big.bin': BIG, 'kept.txt': kept }, capBytes, ...wishes });
    await remove(at, 'kept.txt');
    return at;
  }

  it('is deleted only after the owner was asked and told why; and nothing is dropped for it', async () => {
    await using at = await crowded();
    const input = { path: 'big.bin', expectedHash: BIG_HASH };
    const { asked, answer } = await at.allowed('delete_path', input);
    expect(asked).toMatchObject({ summary: 'Delete big.bin', files: [], reasons: [reason] });
    expect(answer.warnings?.join()).toContain('cannot be undone');
    expect(at.ws.list()).toEqual([]);
    expect([at.blobs.has(BIG_HASH), at.blobs.has(sha256(kept))]).toEqual([false, true]);
    const { changesetId } = answer.data;
    await expect(undo(at, changesetId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'These earlier bytes were never kept. Nothing was changed.',
    });
    const inspected = await at.call('change_inspect', { changesetId }, { caller: 'owner' });
    expect(inspected.data).toMatchObject({ undo: { possible: false }, files: [{ diff: 'The bytes of this change are not kept.\n' }] });
  });

  it('is not deleted when the room went after nothing was asked; sent again, the owner is asked', async () => {
    await using at = await desk({ files: { 'big.bin': BIG, 'kept.txt': kept }, capBytes });
    const input = { path: 'big.bin', expectedHash: BIG_HASH };
    const ended = at.allowed('delete_path', input, () => remove(at, 'kept.txt'));
    await expect(ended).rejects.toMatchObject({ code: 'RESOURCE_LIMIT', failure: { retryable: true, detail: { path: 'big.bin' } } });
    expect(at.ws.list()).toEqual(['big.bin']);
    expect((await at.asks('delete_path', input))?.reasons).toEqual([reason]);
    // A question that was put about another call is none about this one.
    expect(await at.code('delete_path', input)).toBe('RESOURCE_LIMIT');
    expect(await at.code('delete_path', input, { caller: 'owner' })).toBe('OK');
  });

  it('is kept after all when there is room again once the owner has answered', async () => {
    await using at = await crowded();
    const { asked, answer } = await at.allowed(
      'delete_path',
      { path: 'big.bin', expectedHash: BIG_HASH },
      () => at.state.store.exec('UPDATE blobs SET dropped_at = 1'), // As if the store had been emptied.
    );
    expect([asked?.reasons, answer.warnings]).toEqual([[reason], []]);
    await undo(at, answer.data.changesetId);
    expect(at.hash('big.bin')).toBe(BIG_HASH);
  });

  it('is deleted by a plan and by a patch in a change of its own, which asks and claims no way back', async () => {
    await using at = await crowded();
    at.ws.write('a.txt', 'a');
    const mixed = { operations: [deletion('a.txt', sha256('a')), deletion('big.bin', BIG_HASH)] };
    await expect(at.call('preview_changes', mixed)).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      failure: { recovery: 'Delete it in a change of its own.' },
    });
    const plan = await planOf(at, [deletion('big.bin', BIG_HASH)]);
    expect(plan).toMatchObject({ requiresApproval: true, risk: 'high', files: [{ bytesBefore: BIG.length, bytesAfter: 0 }] });
    expect(JSON.stringify(plan['files'])).toContain('Too large to show');
    const lines = BIG.toString().split('\n');
    const patch = `--- a/big.bin\n+++ /dev/null\n@@ -1,${lines.length} +0,0 @@\n-${lines.join('\n-')}\n\\ No newline at end of file\n`;
    const patching = { patch, expectedHashes: [{ path: 'big.bin', expectedHash: BIG_HASH }] };
    expect((await at.asks('apply_patch', patching))?.reasons).toEqual([reason]);
    const { asked, answer } = await at.allowed('apply_changes', applying(plan));
    expect(asked?.reasons).toEqual([reason]);
    expect(answer.data).toMatchObject({ rollbackAvailable: false });
  });

  it('that is gone when its deletion fails is named, and nothing else is claimed', async () => {
    let isBig = false;
    await using at = await crowded({
      onStage(stage) {
        if (isBig && stage === 'swapped') throw new Error('the power failed');
      },
    });
    isBig = true;
    await expect(at.allowed('delete_path', { path: 'big.bin', expectedHash: BIG_HASH })).rejects.toMatchObject({
      code: 'PARTIAL_RECOVERY_REQUIRED',
      failure: { detail: { files: ['big.bin'] } },
    });
  });

  it('of two in one change the first takes the room from the second', async () => {
    await using at = await desk({ files: { 'a.bin': BIG, 'b.bin': '' }, capBytes: 10 * MIB });
    truncateSync(at.ws.path('b.bin'), 9 * MIB);
    const both = { operations: [deletion('a.bin', BIG_HASH), deletion('b.bin', at.hash('b.bin'))] };
    await expect(at.call('preview_changes', both)).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      failure: { detail: { path: 'b.bin' } },
    });
    expect(await planOf(at, both.operations.slice(1))).toMatchObject({ requiresApproval: false });
  });
});
