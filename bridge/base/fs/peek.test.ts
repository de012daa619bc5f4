// What stands under a name, and whether it still does: a write shows whatever its times are set to, and a large file holds nobody up.
import {
  appendFileSync,
  chmodSync,
  closeSync,
  linkSync,
  openSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { workspace } from '../../testing/workspace.ts';
import { sha256 } from '../digest.ts';
import { openFolder } from './folder.ts';
import { isLarge, isStill, peek } from './peek.ts';

const LARGE = Buffer.alloc(3 * 1024 * 1024, 'a line\n');
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'OK',
    (error: { code: string }) => error.code,
  );

async function place(files: Record<string, string | Uint8Array>) {
  const ws = await workspace(files);
  const folder = await openFolder(ws.root, '.');
  return {
    ws,
    entry: (name: string) => ({ folder, name }),
    async [Symbol.asyncDispose]() {
      folder.close();
      await ws[Symbol.asyncDispose]();
    },
  };
}

/** Writes over the first bytes of a file, which keeps its size. */
function poke(path: string, text: string): void {
  const file = openSync(path, 'r+');
  writeSync(file, text, 0);
  closeSync(file);
}

describe('what stands under a name', () => {
  it.each([
    ['small', Buffer.from('small')],
    ['large', LARGE],
  ])('is a %s file with its hash until anything about it changes', async (size, bytes) => {
    await using at = await place({ 'a.bin': bytes });
    const path = at.ws.path('a.bin');
    const entry = at.entry('a.bin');
    const found = await peek(entry);
    expect(found).toMatchObject({ kind: 'file', hash: sha256(bytes) });
    expect(isLarge(found)).toBe(size === 'large');
    expect(isStill(entry, found)).toBe(true);
    const { atime, mtime } = statSync(path);
    poke(path, 'B'); // As many bytes as before, and the old time put back.
    utimesSync(path, atime, mtime);
    expect(isStill(entry, found)).toBe(false);
    const again = await peek(entry);
    expect(isStill(entry, again)).toBe(true);
    linkSync(path, at.ws.path('b.bin'));
    expect(isStill(entry, again)).toBe(false);
    renameSync(at.ws.path('b.bin'), at.ws.path('c.bin'));
    unlinkSync(path);
    expect(isStill(entry, await peek(at.entry('c.bin')))).toBe(false);
    expect(isStill(entry, { kind: 'absent' })).toBe(true);
  });

  it('is absent, a folder or something else', async () => {
    await using at = await place({ 'd/': '' });
    const [none, folder] = [at.entry('none'), at.entry('d')];
    expect([await peek(none), await peek(folder)]).toMatchObject([{ kind: 'absent' }, { kind: 'directory' }]);
    expect([isStill(none, await peek(none)), isStill(folder, await peek(folder)), isStill(none, await peek(folder))]).toEqual([
      true,
      true,
      false,
    ]);
    expect(isStill(folder, { kind: 'other' })).toBe(false);
  });

  it('is refused when a large file is written to while it is hashed, also where it was read already', async () => {
    await using at = await place({ 'a.bin': LARGE });
    for (const write of [
      (path: string) => appendFileSync(path, 'more'),
      (path: string) => poke(path, 'B'),
      (path: string) => truncateSync(path, 2 * 1024 * 1024),
    ]) {
      const seen = peek(at.entry('a.bin'));
      setTimeout(() => write(at.ws.path('a.bin')), 21);
      const found = await seen.catch((error: { code: string }) => error.code);
      // The hash may be ready before the write: then the write shows.
      if (typeof found === 'string') expect(found).toBe('FILE_CHANGED');
      else {
        await new Promise((resolve) => setTimeout(resolve, 25));
        expect(isStill(at.entry('a.bin'), found)).toBe(false);
      }
    }
  });

  it('that was written a moment before is hashed once a later write can be told from it', async () => {
    await using at = await place({ 'a.bin': LARGE });
    const path = at.ws.path('a.bin');
    for (let round = 0; round < 20; round += 1) {
      chmodSync(path, round % 2 === 0 ? 0o600 : 0o644);
      const found = await peek(at.entry('a.bin'));
      poke(path, String(round)); // In the very next turn.
      expect(isStill(at.entry('a.bin'), found)).toBe(false);
    }
  });

  it('holds nobody up while it is hashed', async () => {
    await using at = await place({ 'a.bin': '' });
    truncateSync(at.ws.path('a.bin'), 256 * 1024 * 1024);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    try {
      expect(await codeOf(peek(at.entry('a.bin')))).toBe('OK');
    } finally {
      clearInterval(timer);
    }
    expect(turns).toBeGreaterThan(10);
  });
});
