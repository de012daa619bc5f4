// kill -9 at every named step and at random moments: after the next start every file is old or every file is new, and the receipt says which.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { bundled } from '../../testing/bundle.ts';
import { FILES, worldOf, type World } from '../../testing/crash-world.ts';

let program = '';
let remove = () => {};
beforeAll(async () => ({ program, remove } = await bundled('crash-run')));
afterAll(() => remove());

interface Life {
  /** What stood on the disk once recovery was done, before anything else. */
  world: World;
  /** Each change that was found: its status, and its files. */
  recovered: [string, string][];
  receipt: { from: number; hashes: Record<string, string | null> } | 'free' | string;
  leftBehind: unknown[];
  /** The last version whose change was answered for. */
  committed: number | null;
  signal: string | null;
}

interface Place {
  home: string;
  root: string;
  [Symbol.dispose](): void;
}

function place(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-crash-')));
  const [home, root] = [join(base, 'home'), join(base, 'proj')];
  for (const folder of [home, root]) mkdirSync(folder);
  for (const [path, content] of Object.entries(worldOf(0))) writeFileSync(join(root, path), content);
  return { home, root, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}

/** One process: recovers, then applies changes from `version` on until it dies at a stage, or is killed after `killAfterMs`. */
async function live({ home, root }: Place, version: number, death: { stage?: string; killAfterMs?: number } = {}): Promise<Life> {
  const stage = death.stage ?? (death.killAfterMs === undefined ? 'stop' : 'none');
  const child = spawn(process.execPath, [program, home, root, String(version), stage], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const errors: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk;
    const parts = rest.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    if (parts.includes('{"ready":true}') && death.killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), death.killAfterMs);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => errors.push(chunk));
  const signal = await new Promise<string | null>((resolve) => child.on('close', (_code, by) => resolve(by)));
  if (lines.length === 0) throw new Error(`The process said nothing: ${errors.join('')}`);
  const said = lines.map((line) => JSON.parse(line) as Partial<Life>);
  return { ...(said[0] as Life), committed: said.findLast((line) => line.committed !== undefined)?.committed ?? null, signal };
}

/** Proves that the disk holds exactly one version, and that the receipt of the interrupted change says so. */
function provenVersion(life: Life, from: number): number {
  const version = [from, from + 1].find((candidate) => sameWorld(life.world, worldOf(candidate)));
  if (version === undefined) expect(life.world).toEqual(worldOf(from)); // shows where it differs
  expect(life.leftBehind).toEqual([]);
  if (version === from) expect(life.receipt).toBe('free');
  else expect(life.receipt).toMatchObject({ from, hashes: { 'replaced-0': sha256(worldOf(from + 1)['replaced-0'] ?? '') } });
  return version as number;
}

const sameWorld = (a: World, b: World) =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(b).every((path) => a[path] === b[path]);

describe('after kill -9 in the middle of a change of 200 files', () => {
  const early = ['images-kept', 'journalled', 'folders-made', 'temps-written', 'swapping:0', 'swapping:99', `swapping:${FILES - 1}`];

  it.each([...early, 'swapped', 'folders-synced', 'committed'])('at "%s", every file is old or every file is new', async (stage) => {
    using at = place();
    const first = await live(at, 0, { stage });
    expect(first.signal).toBe('SIGKILL');
    const version = provenVersion(await live(at, 0), 0);
    if (early.includes(stage) && !stage.startsWith('swapping')) expect(version).toBe(0);
    if (['swapped', 'folders-synced', 'committed'].includes(stage)) expect(version).toBe(1);
    expect(readdirSync(at.root, { recursive: true }).filter((name) => String(name).includes('.drawbridge'))).toEqual([]);
    expect(readdirSync(join(at.home, 'blobs', 'staging'))).toEqual([]);
  });

  it('the canary fires: without recovery the files are some old and some new, and temp files lie about', async () => {
    using at = place();
    await live(at, 0, { stage: 'swapping:99' });
    const names = readdirSync(at.root, { recursive: true }).map(String);
    expect(names.filter((name) => name.includes('.drawbridge')).length).toBeGreaterThan(0);
    expect(names.some((name) => name.endsWith('-even')) || names.some((name) => name.endsWith('/file'))).toBe(true);
  });

  it('also when recovery itself is killed', async () => {
    using at = place();
    await live(at, 0, { stage: 'swapping:150' });
    for (const stage of ['reverting:0', 'reverting:120', 'reverted']) {
      const killed = spawn(process.execPath, [program, at.home, at.root, '0', stage], { stdio: 'ignore' });
      expect(await new Promise((resolve) => killed.on('close', (_code, signal) => resolve(signal)))).toBe('SIGKILL');
    }
    expect(provenVersion(await live(at, 0), 0)).toBe(0);
  });

  it('a file that was edited from outside meanwhile is named and left alone, and all others are as before', async () => {
    using at = place();
    await live(at, 0, { stage: 'swapping:150' });
    const path = readdirSync(at.root).find((name) => name.startsWith('comes-and-goes')) ?? 'none';
    writeFileSync(join(at.root, path), 'by hand');
    const life = await live(at, 0);
    expect(life.recovered).toEqual([['recovery_required', path]]);
    expect(life.world).toEqual({ ...worldOf(0), [path]: 'by hand' });
    expect(life.receipt).toBe('RECOVERY_REQUIRED');
  });

  it('a project that is not there waits, untouched, until it is', async () => {
    using at = place();
    await live(at, 0, { stage: 'swapping:150' });
    renameSync(at.root, `${at.root}-away`);
    const life = await live(at, 0);
    expect(life).toMatchObject({ recovered: [['applying', expect.anything()]], receipt: 'RECOVERY_REQUIRED' });
    renameSync(`${at.root}-away`, at.root);
    expect(provenVersion(await live(at, 0), 0)).toBe(0);
  });

  it('at random moments of a row of changes', { timeout: 120_000 }, async () => {
    using at = place();
    let answered = 0;
    for (let round = 0; round < 10; round += 1) {
      const life = await live(at, answered, { killAfterMs: Math.floor(Math.random() * 300) });
      expect(life.signal).toBe('SIGKILL');
      answered = Math.max(provenVersion(life, answered), life.committed ?? 0);
    }
    provenVersion(await live(at, answered), answered);
  });
});
