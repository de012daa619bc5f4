// The measured comparisons: every contender in turn, round by round in one run, told as medians and ratios. Never a test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { ensurePeer, programOf } from '../peers.ts';
import { bareServer, desktopCommander, drawbridge, ripgrep, serverFilesystem, type Contender } from './contenders.ts';
import { loadLine, measureLoad } from './load.ts';
import { manifestLine, measureManifest } from './manifest.ts';
import { FILES, NEEDLE, pathOf, plant } from './tree.ts';

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const ROUNDS = { read: 100, edit: 60, search: 15, trivial: 300 };
const WARM = 3;
/** A contender that has taken this long drops out of the later rounds; its median stands on the rounds it had. */
const LANE_BUDGET_MS = 10_000;
const ROUNDS_MIN = 5;

interface Result {
  what: string;
  contender: string;
  rounds: number;
  p50Ms: number;
  p95Ms: number;
  /** Our median against this contender's: below 1 we are faster. */
  ratio: number;
}

const quantile = (sorted: number[], q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Runs each contender once a round, so that a slow moment of the machine meets all of them. */
async function measure(what: string, rounds: number, lanes: { name: string; once(round: number): Promise<void> }[]): Promise<Result[]> {
  process.stderr.write(`measuring: ${what}\n`);
  const times = new Map(lanes.map((lane) => [lane.name, [] as number[]]));
  for (let round = 0; round < rounds + WARM; round += 1) {
    for (const lane of lanes) {
      const spent = times.get(lane.name) ?? [];
      if (spent.length >= ROUNDS_MIN && spent.reduce((sum, ms) => sum + ms, 0) > LANE_BUDGET_MS) continue;
      const ms = await timed(() => lane.once(round));
      if (round >= WARM) spent.push(ms);
    }
  }
  const sorted = new Map([...times].map(([name, all]) => [name, all.sort((a, b) => a - b)]));
  const ours = quantile(sorted.get('drawbridge') ?? [], 0.5);
  return [...sorted].map(([contender, all]) => {
    const p50Ms = quantile(all, 0.5);
    return { what, contender, rounds: all.length, p50Ms, p95Ms: quantile(all, 0.95), ratio: ours / p50Ms };
  });
}

function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`The bench got a wrong answer: ${what}`);
}

const has =
  <K extends 'read' | 'edit' | 'search' | 'trivial'>(kind: K) =>
  (one: Contender): one is Contender & Required<Pick<Contender, K>> =>
    one[kind] !== undefined;

async function runAll(root: string, contenders: Contender[]): Promise<Result[]> {
  const reads = contenders.filter(has('read')).map((one) => ({
    name: one.name,
    async once(round: number) {
      const text = await one.read(pathOf(round * 7 + 1));
      expect(text.includes('const '), `${one.name} read`);
    },
  }));
  const edits = contenders.filter(has('edit')).map((one) => {
    const path = `edit-${one.name}.ts`;
    return {
      name: one.name,
      once: (round: number) => one.edit(path, `value${round};`, `value${round + 1};`),
    };
  });
  for (const one of contenders)
    writeFileSync(join(root, `edit-${one.name}.ts`), `${'// a line of text that stays\n'.repeat(280)}const x = value0;\n`);
  const searches = contenders.filter(has('search')).map((one) => ({
    name: one.name,
    async once() {
      const found = await one.search();
      expect(found === FILES / 1000, `${one.name} found ${found} lines with ${NEEDLE}`);
    },
  }));
  const trivials = contenders.filter(has('trivial')).map((one) => ({ name: one.name, once: () => one.trivial() }));
  return [
    ...(await measure('a trivial call', ROUNDS.trivial, trivials)),
    ...(await measure('read a 5 KB file', ROUNDS.read, reads)),
    ...(await measure('edit an 8 KB file', ROUNDS.edit, edits)),
    ...(await measure(`search ${FILES} files`, ROUNDS.search, searches)),
  ];
}

/** What guards, rights, schemas and the account of a call cost beside the same SDK without them. */
function addedMs(results: readonly Result[]): number {
  const p50Of = (name: string) => results.find((one) => one.what === 'a trivial call' && one.contender === name)?.p50Ms ?? NaN;
  return p50Of('drawbridge') - p50Of('bare SDK server');
}

function print(results: Result[]): void {
  const lines = results.map((r) => [
    r.what,
    r.contender,
    String(r.rounds),
    r.p50Ms.toFixed(2),
    r.p95Ms.toFixed(2),
    r.contender === 'drawbridge' ? '1.00' : r.ratio.toFixed(2),
  ]);
  const head = ['what', 'contender', 'rounds', 'p50 ms', 'p95 ms', 'drawbridge / contender'];
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of [head, ...lines])
    process.stdout.write(
      `${line.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}\n`,
    );
  process.stdout.write(
    `\nThe pipeline adds ${addedMs(results).toFixed(2)} ms to a trivial call at the median.\n` +
      'Edits: drawbridge journals and flushes each change to the disk before it answers; the peers do neither.\n' +
      'desktop-commander looks for its telemetry host on each call, which costs it time on a machine without one.\n',
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'string' } } });
  const work = mkdtempSync(join(tmpdir(), 'drawbridge-bench-'));
  const root = join(work, 'tree');
  const home = join(work, 'home');
  const contenders: Contender[] = [];
  try {
    mkdirSync(root);
    mkdirSync(home);
    plant(root, join(repository, 'node_modules/svelte/src'));
    contenders.push(
      await drawbridge(join(repository, 'dist/bridge/main.js'), root, join(home, 'drawbridge')),
      await serverFilesystem(
        programOf(await ensurePeer('@modelcontextprotocol/server-filesystem', '2026.8.31'), 'mcp-server-filesystem'),
        root,
      ),
      await desktopCommander(programOf(await ensurePeer('@wonderwhy-er/desktop-commander', '0.2.52'), 'desktop-commander'), root, home),
      ripgrep(rgPath, root),
      await bareServer(),
    );
    const results = await runAll(root, contenders);
    print(results);
    process.stderr.write('measuring: a whole tree before and after a program\n');
    const manifest = await measureManifest(join(repository, 'node_modules/svelte/src'));
    process.stdout.write(manifestLine(manifest));
    process.stderr.write('measuring: many clients over HTTP\n');
    const load = await measureLoad(root, join(work, 'load-home'));
    process.stdout.write(loadLine(load));
    for (const error of load.errors.slice(0, 5)) process.stdout.write(`  ${error}\n`);
    const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, platform: process.platform };
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine, results, manifest, load }, null, 2)}\n`);
  } finally {
    for (const one of contenders) await one.close();
    rmSync(work, { recursive: true, force: true });
  }
}

await main();
