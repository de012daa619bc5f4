// kill -9 in the middle of a change over many files: afterwards all are old or all are new, and the key answers truthfully.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { overHttp } from './mcp.ts';
import { drawbridge, place, repositoryAt, start } from './product.ts';

const FILES = 50;
const name = (n: number): string => `src/file${n}.txt`;
const oldText = (n: number): string => `old ${n}\n${'line\n'.repeat(200)}`;
const newText = (n: number): string => `new ${n}\n${'line\n'.repeat(200)}`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const patch = Array.from({ length: FILES }, (_, n) => `--- a/${name(n)}\n+++ b/${name(n)}\n@@ -1 +1 @@\n-old ${n}\n+new ${n}\n`).join('');
const change = {
  patch,
  expectedHashes: Array.from({ length: FILES }, (_, n) => ({ path: name(n), expectedHash: sha256(oldText(n)) })),
  idempotencyKey: 'crash-0001',
};

/** How many of the files hold the new text; throws when one holds neither. */
function countNew(root: string): number {
  return Array.from({ length: FILES }, (_, n) => {
    const text = readFileSync(join(root, name(n)), 'utf8');
    if (text === newText(n)) return 1;
    expect(text).toBe(oldText(n));
    return 0;
  }).reduce<number>((sum, one) => sum + one, 0);
}

/** Waits until the bridge has put a temporary or a changed file into the folder, then a little longer. */
async function untilUnderWay(root: string, extraMs: number): Promise<void> {
  const isUntouched = () => readdirSync(join(root, 'src')).length === FILES && readFileSync(join(root, name(0)), 'utf8') === oldText(0);
  while (isUntouched()) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, extraMs));
}

describe('kill -9 in the middle of a change', () => {
  it.each([0, 1, 2, 4, 8, 16])('leaves all files old or all new, %i ms after the first byte changed', async (extraMs) => {
    using work = place();
    const files = Object.fromEntries(Array.from({ length: FILES }, (_, n) => [name(n), oldText(n)]));
    const root = repositoryAt(join(work.path, 'shop'), files);
    const home = join(work.path, 'home');
    const bearer = JSON.parse(drawbridge('token', '--name', 'crash', '--json', '--home', home)) as { bearer: string };

    const first = await start(home, '--project', root);
    const before = await overHttp(first.line.mcpUrl, bearer.bearer);
    const interrupted = before.call('apply_patch', change).then(
      (answer) => answer,
      () => null,
    );
    await untilUnderWay(root, extraMs);
    await first.kill();
    await before.client.close(); // The client would otherwise wait for the dead bridge to come back.
    const fate = await interrupted;

    await using second = await start(home, '--project', root);
    const found = countNew(root);
    expect([0, FILES]).toContain(found);
    if (fate !== null) expect([fate.error, found]).toEqual([null, FILES]);
    expect(readdirSync(join(root, 'src')).sort()).toEqual(
      Object.keys(files)
        .map((path) => path.slice(4))
        .sort(),
    );

    await using after = await overHttp(second.line.mcpUrl, bearer.bearer);
    const again = await after.call('apply_patch', change);
    expect(again.error).toBeNull();
    expect(again.warnings.some((warning) => warning.startsWith('replayed'))).toBe(found === FILES);
    expect(countNew(root)).toBe(FILES);
    const history = await after.call('change_history');
    const committed = (history.data?.['changesets'] as { status: string }[]).filter((one) => one.status === 'committed');
    expect(committed).toHaveLength(1);
  });
});
