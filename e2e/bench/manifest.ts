// What it costs to know a whole tree before and after a program, beside the same question put to git and a bare walk of stamps.
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createBlobs } from '../../bridge/base/blobs/blobs.ts';
import { silentLog } from '../../bridge/base/log.ts';
import { createChanges } from '../../bridge/capabilities/changes/service.ts';
import { createFiles } from '../../bridge/capabilities/files/service.ts';
import { createManifests, type Manifests } from '../../bridge/capabilities/manifests/service.ts';
import { desk, type Desk } from '../../bridge/testing/desk.ts';
import { plant } from './tree.ts';

const ROUNDS = 12;
/** Until the files of a fresh tree are old enough for their stamps to be trusted. */
const REST_MS = 2500;

export interface ManifestCost {
  files: number;
  mebibytes: number;
  /** Everything is read and kept. */
  firstMs: number;
  /** Of an unchanged tree, in a bridge that has just started. */
  restartedMs: number;
  /** Medians of an unchanged tree, in turn. */
  observeMs: number;
  settleMs: number;
  gitStatusMs: number;
  statWalkMs: number;
}

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function statWalk(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== '.git') statWalk(path);
    else lstatSync(path);
  }
}

/** What a new bridge knows: the state on the disk and nothing else. */
function restarted({ ws, state }: Desk): Manifests {
  const { store, clock } = state;
  const blobs = createBlobs({ dir: join(state.home, 'blobs'), store, capBytes: 1 << 30, clock });
  const files = createFiles({ clock, log: silentLog });
  const projects = { open: async () => ws.project };
  const changes = createChanges({ store, blobs, files, clock, log: silentLog, projects });
  return createManifests({ store, blobs, files, clock, log: silentLog, changes, projects });
}

export async function measureManifest(realPackage: string): Promise<ManifestCost> {
  await using at = await desk();
  const { root } = at.ws;
  plant(root, realPackage);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 1 << 28 });
  git('init', '-q');
  git('add', '-A');
  await wait(REST_MS);
  const observe = (by: Manifests) => by.observe(at.callFor('run_command'), { label: 'bench' });
  const first = await timedObservation(() => observe(at.manifests));
  at.manifests.forget(first.observationId);
  const fresh = restarted(at);
  const restartedMs = await timed(async () => fresh.forget((await observe(fresh)).observationId));
  const times = { observe: [] as number[], settle: [] as number[], git: [] as number[], walk: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const seen = await timedObservation(() => observe(at.manifests));
    times.observe.push(seen.ms);
    times.settle.push(await timed(() => at.manifests.settle(seen.observationId)));
    times.git.push(await timed(() => git('status', '--porcelain')));
    times.walk.push(await timed(() => statWalk(root)));
  }
  return {
    files: first.kept.files,
    mebibytes: first.kept.bytes / 1024 / 1024,
    firstMs: first.ms,
    restartedMs,
    observeMs: median(times.observe),
    settleMs: median(times.settle),
    gitStatusMs: median(times.git),
    statWalkMs: median(times.walk),
  };
}

async function timedObservation<T extends object>(work: () => Promise<T>): Promise<T & { ms: number }> {
  const start = performance.now();
  const seen = await work();
  return { ...seen, ms: performance.now() - start };
}

export const manifestLine = (cost: ManifestCost): string =>
  `\nA tree of ${cost.files} files (${cost.mebibytes.toFixed(0)} MiB), unchanged: ${cost.observeMs.toFixed(0)} ms before a program and ` +
  `${cost.settleMs.toFixed(0)} ms after it, beside git status ${cost.gitStatusMs.toFixed(0)} ms ` +
  `(${(cost.observeMs / cost.gitStatusMs).toFixed(2)}x) and a bare walk of stamps ${cost.statWalkMs.toFixed(0)} ms ` +
  `(${(cost.observeMs / cost.statWalkMs).toFixed(2)}x); the first time ${cost.firstMs.toFixed(0)} ms, ` +
  `after a new start ${cost.restartedMs.toFixed(0)} ms\n`;
