// Files too large to hold: moved and deleted by their hash, refused with the way out by what needs all their text, and never lost unasked.
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { desk } from '../../testing/desk.ts';
import { refused } from '../../testing/refused.ts';

const LIMIT_BYTES = 8 * 1024 * 1024;
const BIG = Buffer.alloc(LIMIT_BYTES + 1, 'a line.\n');
const WHOLE = BIG.subarray(0, LIMIT_BYTES);
const expectedHash = sha256(BIG);

describe('a file larger than is read as a whole', () => {
  it('is refused by what needs all of its text, with the limit and what to do instead', async () => {
    await using at = await desk({ files: { 'big.txt': BIG } });
    const patch = '--- a/big.txt\n+++ b/big.txt\n@@ -1 +1 @@\n-a line.\n+b\n';
    const calls: [string, Record<string, unknown>][] = [
      ['edit_file', { path: 'big.txt', edits: [{ find: 'a', replace: 'b' }], expectedHash }],
      ['write_file', { path: 'big.txt', content: 'small', expectedHash }],
      ['apply_patch', { patch, expectedHashes: [{ path: 'big.txt', expectedHash }] }],
      [
        'apply_patch',
        {
          patch: patch.replace('+++ b/big.txt', '+++ /dev/null').replace('+1 @@\n-a line.\n+b', '+0,0 @@\n-a line.'),
          expectedHashes: [{ path: 'big.txt', expectedHash }],
        },
      ],
    ];
    for (const [operation, input] of calls) {
      const failure = await refused(at, operation, input);
      expect(failure).toMatchObject({ code: 'FILE_TOO_LARGE', detail: { path: 'big.txt', bytes: BIG.length, limitBytes: LIMIT_BYTES } });
      expect(failure).toMatchObject({ recovery: expect.stringMatching(/read_files.*delete_path and move_path/) as string });
    }
    const grown = await refused(at, 'write_file', { path: 'new.txt', content: BIG.toString(), expectedHash: 'absent' });
    expect(grown).toMatchObject({ code: 'FILE_TOO_LARGE', recovery: 'Write it as several smaller files.' });
  });

  it('is moved by its hash without a question, and back', async () => {
    await using at = await desk({ files: { 'big.txt': BIG, 'dir/': '' } });
    const { ino } = statSync(at.ws.path('big.txt'));
    const input = { path: 'big.txt', destPath: 'dir/big.txt', expectedHash };
    expect(await at.asks('move_path', input)).toBeNull();
    const { data } = await at.call('move_path', input);
    expect(data).toMatchObject({ hash: expectedHash });
    await at.call('rollback_changes', { changesetId: data.changesetId, idempotencyKey: 'key-12345' });
    expect(statSync(at.ws.path('big.txt')).ino).toBe(ino);
    expect((await refusedMove(at, 'f'.repeat(64))).detail).toMatchObject({ currentHash: expectedHash });
  });

  it('is deleted only after the owner was asked, because it cannot be put back; and that is said', async () => {
    await using at = await desk({ files: { 'big.txt': BIG } });
    const input = { path: 'big.txt', expectedHash };
    const asked = await at.asks('delete_path', input);
    expect(asked).toMatchObject({ summary: 'Delete big.txt', files: [] });
    expect(asked?.reasons).toEqual([`big.txt: with ${BIG.length} bytes it is too large to be kept, so this cannot be undone.`]);
    const { data, warnings } = await at.call('delete_path', input);
    expect(warnings?.join()).toContain('cannot be undone');
    expect(at.ws.list()).toEqual([]);
    expect(at.blobs.has(expectedHash)).toBe(false);
    const undo = { changesetId: data.changesetId, idempotencyKey: 'key-12345' };
    await expect(at.call('rollback_changes', undo)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'These earlier bytes were never kept. Nothing was changed.',
    });
    const inspected = await at.call('change_inspect', { changesetId: data.changesetId }, { caller: 'owner' });
    expect(inspected.data).toMatchObject({ undo: { possible: false }, files: [{ diff: 'The bytes of this change are not kept.\n' }] });
  });

  it('is not deleted under an answer that was given while another file was there', async () => {
    await using at = await desk({ files: { 'big.txt': 'small' } });
    await expect(at.asks('delete_path', { path: 'big.txt', expectedHash })).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(await at.asks('delete_path', { path: 'big.txt', expectedHash: sha256('small') })).toBeNull();
    at.ws.write('big.txt', BIG);
    expect((await refused(at, 'delete_path', { path: 'big.txt', expectedHash: sha256('small') })).code).toBe('FILE_CHANGED');
  });

  it('is deleted by a plan of its own, which asks and claims no way back', async () => {
    await using at = await desk({ files: { 'big.txt': BIG, 'a.txt': 'a' } });
    const operation = { kind: 'delete', path: 'big.txt', expectedHash };
    const mixed = await refused(at, 'preview_changes', {
      operations: [{ kind: 'delete', path: 'a.txt', expectedHash: sha256('a') }, operation],
    });
    expect(mixed).toMatchObject({ code: 'FILE_TOO_LARGE', recovery: 'Delete it in a change of its own.' });
    const { data } = await at.call('preview_changes', { operations: [operation] });
    expect(data).toMatchObject({ requiresApproval: true, risk: 'high', files: [{ bytesBefore: BIG.length, bytesAfter: 0 }] });
    expect(JSON.stringify(data['files'])).toContain('Too large to show');
    const applying = { planId: data['planId'], planHash: data['planHash'], idempotencyKey: 'key-12345' };
    expect((await at.asks('apply_changes', applying))?.reasons).toHaveLength(1);
    expect((await at.call('apply_changes', applying)).data).toMatchObject({ rollbackAvailable: false });
  });

  it('that is gone when its deletion fails is named, and nothing else is claimed', async () => {
    await using at = await desk({
      files: { 'big.txt': BIG },
      onStage(stage) {
        if (stage === 'swapped') throw new Error('the power failed');
      },
    });
    await expect(at.call('delete_path', { path: 'big.txt', expectedHash })).rejects.toMatchObject({
      code: 'PARTIAL_RECOVERY_REQUIRED',
      failure: { detail: { files: ['big.txt'] } },
    });
  });

  it('is kept and put back up to the last byte that can be, without a question', async () => {
    await using at = await desk({ files: { 'whole.txt': WHOLE } });
    const input = { path: 'whole.txt', expectedHash: sha256(WHOLE) };
    expect(await at.asks('delete_path', input)).toBeNull();
    const { data, warnings } = await at.call('delete_path', input);
    expect(warnings).toEqual([]);
    await at.call('rollback_changes', { changesetId: data.changesetId, idempotencyKey: 'key-12345' });
    expect(at.hash('whole.txt')).toBe(sha256(WHOLE));
  });
});

async function refusedMove(at: Awaited<ReturnType<typeof desk>>, hash: string) {
  const error: unknown = await at
    .call('move_path', { path: 'big.txt', destPath: 'x', expectedHash: hash })
    .catch((thrown: unknown) => thrown);
  return (error as { failure: { detail: unknown } }).failure;
}
