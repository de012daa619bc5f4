// kill -9 while a big file is copied, deleted or put back: afterwards it is there whole or gone whole, and can be put back; in little memory.
import { spawn } from 'node:child_process';
import { randomBytes, createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled } from '../../testing/bundle.ts';
import { removeFolder, temporaryFolder } from '../../testing/folder.ts';

const MIB = 1024 * 1024;

let program = '';
let remove = () => {};
beforeAll(async () => ({ program, remove } = await bundled('big-run')));
afterAll(() => remove());

interface Place extends Disposable {
  home: string;
  root: string;
  hash: string;
}

/** A project with one file of so many random bytes. */
function place(mebibytes: number): Place {
  const base = temporaryFolder('big');
  const [home, root] = [join(base, 'home'), join(base, 'proj')];
  for (const folder of [root, join(home, 'blobs', 'staging')]) mkdirSync(folder, { recursive: true });
  const file = openSync(join(root, 'big.bin'), 'w');
  const hash = createHash('sha256');
  for (let count = 0; count < mebibytes; count += 1) {
    const bytes = randomBytes(MIB);
    hash.update(bytes);
    writeSync(file, bytes);
  }
  closeSync(file);
  return { home, root, hash: hash.digest('hex'), [Symbol.dispose]: () => removeFolder(base) };
}

interface Life {
  recovered: string[];
  /** null: the file is not there. */
  hash: string | null;
  names: string[];
  /** The last change of the file that was done whole. */
  last: 'apply' | 'undo' | null;
  grewBytes?: number;
  signal: string | null;
}

interface Deed {
  act?: 'delete' | 'undo';
  /** Dies by itself at this stage of the deed. */
  stage?: string;
  /** Is killed once this holds. */
  when?: () => boolean;
}

async function live({ home, root, hash }: Place, { act, stage = 'none', when }: Deed = {}): Promise<Life> {
  const child = spawn(process.execPath, [program, home, root, hash, act ?? 'look', stage], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, errors, hasEnded] = ['', '', false];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const ended = new Promise<[number | null, string | null]>((resolve) => child.on('close', (...end) => resolve(end)));
  void ended.then(() => (hasEnded = true));
  while (when !== undefined && !hasEnded && !when()) await new Promise((resolve) => setImmediate(resolve));
  if (when !== undefined) child.kill('SIGKILL');
  const [code, signal] = await ended;
  if (code !== 0 && signal === null) throw new Error(`The process failed: ${errors}`);
  const lines = said.split('\n').filter((line) => line !== '');
  return { ...(Object.assign({}, ...lines.map((line) => JSON.parse(line) as object)) as Life), signal };
}

/** Whether a file whose name ends so is being written in the folder, some way along. */
const isGrowing = (folder: string, ending: string) => () =>
  readdirSync(folder).some(
    (name) => name.endsWith(ending) && (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) > 2 * MIB,
  );

/** All old or all new, with nothing left about; says which. */
async function proven(at: Place): Promise<'there' | 'gone'> {
  const life = await live(at);
  expect(life.names).toEqual(life.hash === null ? [] : ['big.bin']);
  expect([null, at.hash]).toContain(life.hash);
  expect(life.last).toBe(life.hash === null ? 'apply' : life.last === null ? null : 'undo');
  expect(readdirSync(join(at.home, 'blobs', 'staging'))).toEqual([]);
  return life.hash === null ? 'gone' : 'there';
}

/** What is gone can be put back, and what is there can be deleted and put back. */
async function usable(at: Place): Promise<void> {
  if ((await proven(at)) === 'there') await live(at, { act: 'delete' });
  expect(await proven(at)).toBe('gone');
  await live(at, { act: 'undo' });
  expect(await live(at)).toMatchObject({ hash: at.hash, last: 'undo' });
}

describe('after kill -9 in the middle of deleting a big file', () => {
  const stages = ['images-kept', 'journalled', 'temps-written', 'swapping:0', 'swapped', 'folders-synced', 'committed'];

  it.each(stages)('at "%s", it is there whole or gone whole, and can be put back', { timeout: 60_000 }, async (stage) => {
    using at = place(20);
    expect((await live(at, { act: 'delete', stage })).signal).toBe('SIGKILL');
    expect(await proven(at)).toBe(stages.indexOf(stage) < stages.indexOf('swapped') ? 'there' : 'gone');
    await usable(at);
  });

  it('while its bytes are copied, it is there whole and nothing of the copy is left', { timeout: 60_000 }, async () => {
    using at = place(100);
    const life = await live(at, { act: 'delete', when: isGrowing(join(at.home, 'blobs', 'staging'), at.hash) });
    expect(life.signal).toBe('SIGKILL');
    expect(await proven(at)).toBe('there');
    await usable(at);
  });
});

describe('after kill -9 in the middle of putting a big file back', () => {
  const stages = ['journalled', 'temps-written', 'swapping:0', 'swapped', 'committed'];

  it.each(stages)('at "%s", it is there whole or gone whole', { timeout: 60_000 }, async (stage) => {
    using at = place(20);
    await live(at, { act: 'delete' });
    expect((await live(at, { act: 'undo', stage })).signal).toBe('SIGKILL');
    expect(await proven(at)).toBe(stages.indexOf(stage) < stages.indexOf('swapped') ? 'gone' : 'there');
    await usable(at);
  });

  it('while its bytes are written, it is gone whole and nothing of them is left', { timeout: 60_000 }, async () => {
    using at = place(100);
    await live(at, { act: 'delete' });
    expect((await live(at, { act: 'undo', when: isGrowing(at.root, '.tmp') })).signal).toBe('SIGKILL');
    expect(await proven(at)).toBe('gone');
    await usable(at);
  });
});

it('a file of 300 MiB is deleted and put back in less than 64 MiB of memory', { timeout: 120_000 }, async () => {
  using at = place(300);
  for (const act of ['delete', 'undo'] as const) {
    const { grewBytes } = await live(at, { act });
    expect(grewBytes).toBeLessThan(64 * MIB);
  }
  expect(await live(at)).toMatchObject({ hash: at.hash, last: 'undo' });
});
