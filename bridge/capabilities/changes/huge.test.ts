// Files of any size: others get their turn while one is hashed, and what was hashed is what is moved or deleted.
import { chmodSync, closeSync, openSync, statSync, truncateSync, utimesSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { remove, undo } from '../../testing/deeds.ts';
import { desk, type Desk } from '../../testing/desk.ts';

const GIB = 1024 * 1024 * 1024;
/** SHA-256 of that many zeros. */
const GIB_HASH = '49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14';

/** Writes over the first bytes of a file, which keeps its size. */
function poke(path: string, text: string): void {
  const file = openSync(path, 'r+');
  writeSync(file, text, 0);
  closeSync(file);
}

describe('a huge file', () => {
  it('is moved without holding anybody up, from the last look at all files to the swap', { timeout: 120_000 }, async () => {
    let turns = 0;
    let timer: NodeJS.Timeout | null = null;
    await using at = await desk({
      files: { 'huge.img': '' },
      onStage(stage) {
        if (stage === 'temps-written') timer = setInterval(() => (turns += 1), 1);
        if (stage === 'swapped' && timer !== null) clearInterval(timer);
      },
    });
    truncateSync(at.ws.path('huge.img'), GIB);
    await at.call('move_path', { path: 'huge.img', destPath: 'moved.img', expectedHash: GIB_HASH });
    expect(at.ws.list()).toEqual(['moved.img']);
    expect(turns).toBeGreaterThan(20);
  });

  it('is copied, deleted and put back without holding anybody up', { timeout: 120_000 }, async () => {
    let turns = 0;
    await using at = await desk({ files: { 'huge.img': '' } });
    truncateSync(at.ws.path('huge.img'), 256 * 1024 * 1024);
    const changesetId = await counted(() => remove(at, 'huge.img'));
    expect(turns).toBeGreaterThan(20);
    turns = 0;
    await counted(() => undo(at, changesetId));
    expect(turns).toBeGreaterThan(20);

    async function counted<T>(work: () => Promise<T>): Promise<T> {
      const timer = setInterval(() => (turns += 1), 1);
      return work().finally(() => clearInterval(timer));
    }
  });

  const BIG = Buffer.alloc(3 * 1024 * 1024, 'a line\n');

  /** A plan that first moves a small file and then the big one, with something done to the big one after all were looked at. */
  async function planned(work: (path: string) => void) {
    let here: Desk | null = null;
    const at = await desk({
      files: { 'a.txt': 'a', 'big.bin': BIG },
      onStage: (stage) => void (stage === 'swapping:1' && here !== null && work(here.ws.path('big.bin'))),
    });
    here = at;
    const operations = [
      { kind: 'move', path: 'a.txt', destPath: 'b.txt', expectedHash: sha256('a') },
      { kind: 'move', path: 'big.bin', destPath: 'moved.bin', expectedHash: sha256(BIG) },
    ];
    const { planId, planHash } = (await at.call('preview_changes', { operations })).data;
    const code = await at.code('apply_changes', { planId, planHash, idempotencyKey: 'key-12345' });
    return { at, code, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
  }

  it('that was written to after it was hashed is not moved, also when its size and times were put back', async () => {
    await using run = await planned((path) => {
      const { atime, mtime } = statSync(path);
      poke(path, 'B');
      utimesSync(path, atime, mtime);
    });
    expect(run.code).toBe('FILE_CHANGED');
    expect(run.at.ws.list()).toEqual(['a.txt', 'big.bin']);
    expect(run.at.ws.bytes('big.bin').toString('utf8', 0, 2)).toBe('B ');
  });

  it('of which only the rights changed after it was hashed is hashed once more and moved', async () => {
    await using run = await planned((path) => chmodSync(path, 0o600));
    expect(run.code).toBe('OK');
    expect(run.at.hash('moved.bin')).toBe(sha256(BIG));
    expect(statSync(run.at.ws.path('moved.bin')).mode & 0o777).toBe(0o600);
  });
});
