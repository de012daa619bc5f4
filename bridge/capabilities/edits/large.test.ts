// Files too large to hold: moved by their hash, and refused with the way out by what needs all their text.
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

  it('is not deleted under an answer that was given while another file was there', async () => {
    await using at = await desk({ files: { 'big.txt': 'small' } });
    await expect(at.asks('delete_path', { path: 'big.txt', expectedHash })).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(await at.asks('delete_path', { path: 'big.txt', expectedHash: sha256('small') })).toBeNull();
    at.ws.write('big.txt', BIG);
    expect((await refused(at, 'delete_path', { path: 'big.txt', expectedHash: sha256('small') })).code).toBe('FILE_CHANGED');
  });

  it('is held, deleted and put back up to the last byte that can be', async () => {
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
