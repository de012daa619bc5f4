// kill -9 of the bridge while a program runs in a project: the next one settles what the program did, and it can be taken back.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled } from '../../testing/bundle.ts';
import { removeFolder, temporaryFolder } from '../../testing/folder.ts';
import { treeOf } from '../../testing/tree.ts';
import type { SettledLate } from './service.ts';

let program = '';
let remove = () => {};
beforeAll(async () => ({ program, remove } = await bundled('manifest-run')));
afterAll(() => remove());

const FILES = 400;

interface Place extends Disposable {
  home: string;
  root: string;
}

function place(): Place {
  const base = temporaryFolder('manifest');
  const [home, root] = [join(base, 'home'), join(base, 'proj')];
  for (const folder of [home, join(root, 'src')]) mkdirSync(folder, { recursive: true });
  for (let n = 0; n < FILES; n += 1) writeFileSync(join(root, 'src', `f${n}.txt`), `file ${n}\n`.repeat(50));
  return { home, root, [Symbol.dispose]: () => removeFolder(base) };
}

interface Life {
  late: SettledLate[];
  changes: string[];
  stages: string[];
  signal: string | null;
}

async function live(
  { home, root }: Place,
  deed: { act?: string; line?: string; killAt?: string; afterMs?: number; until?: string } = {},
): Promise<Life> {
  const { act = 'look', line = '', killAt, afterMs = 0, until } = deed;
  const killLater = async () => {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    while (until !== undefined && !existsSync(join(root, until))) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGKILL');
  };
  const child = spawn(process.execPath, [program, home, root, act, line], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
    if (killAt !== undefined && chunk.includes(`"${killAt}"`)) void killLater();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => child.on('close', (...end) => resolve(end)));
  if (code !== 0 && signal === null) throw new Error(`The process failed: ${errors}`);
  const [first, ...rest] = said.split('\n').filter((text) => text !== '');
  const stages = rest.map((text) => (JSON.parse(text) as { stage: string }).stage);
  return { ...(JSON.parse(first ?? '{}') as Pick<Life, 'late' | 'changes'>), stages, signal };
}

const WORK =
  'rm src/f1*.txt; for f in src/f2*.txt; do echo more >> $f; done; chmod 755 src/f3.txt; mkdir made; echo n > made/n.txt; ln -s src l';

/** What the program left stands, is one change, and goes away wholly when that is taken back. */
async function settledWell(at: Place, before: Record<string, string>): Promise<Life> {
  const left = treeOf(at.root);
  const life = await live(at);
  expect(treeOf(at.root)).toEqual(left);
  expect((await live(at)).late).toEqual([]);
  await live(at, { act: 'undo' });
  expect(treeOf(at.root)).toEqual(before);
  return life;
}

describe('after kill -9 of the bridge', () => {
  it('in the middle of a program, what it did until then is one change that says so', { timeout: 60_000 }, async () => {
    using at = place();
    const before = treeOf(at.root);
    const life = await live(at, { act: 'run', line: `${WORK}; touch done; sleep 3`, killAt: 'observed', until: 'done' });
    expect(life).toMatchObject({ signal: 'SIGKILL', stages: ['observed'] });
    const { late, changes } = await settledWell(at, before);
    expect(late).toMatchObject([{ label: 'sh', warnings: [expect.stringContaining('The bridge ended while this ran')] }]);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatch(/^sh: interrupted: Change \d+ files: /);
  });

  it.each([0, 5, 10, 20, 40, 80])('%i ms into settling, it is settled once', { timeout: 60_000 }, async (afterMs) => {
    using at = place();
    const before = treeOf(at.root);
    const life = await live(at, { act: 'run', line: WORK, killAt: 'ran', afterMs });
    expect(life.stages).toContain('ran');
    expect((await settledWell(at, before)).changes).toHaveLength(1);
  });

  it('before the program did anything, there is no change', async () => {
    using at = place();
    await live(at, { act: 'run', line: 'exec sleep 3', killAt: 'observed' });
    expect(await live(at)).toMatchObject({ late: [{ changesetId: null, files: [] }], changes: [] });
  });

  it('the canary fires: without recovery nothing knows of what the program did', { timeout: 60_000 }, async () => {
    using at = place();
    const life = await live(at, { act: 'run', line: WORK, killAt: 'ran' });
    expect(life.changes).toEqual([]);
    expect(readFileSync(join(at.root, 'src/f20.txt'), 'utf8')).toContain('more');
  });
});
