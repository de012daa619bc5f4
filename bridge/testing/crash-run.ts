// One life of the part of the bridge that changes files: recovers what the last life left, says what it found, then applies changes until it is killed.
import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createBlobs } from '../base/blobs/blobs.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { openStore } from '../base/store/store.ts';
import { createChanges, type Recovered } from '../capabilities/changes/service.ts';
import { createFiles } from '../capabilities/files/service.ts';
import { createIdempotency } from '../invocation/idempotency.ts';
import { Failed } from '../failed.ts';
import { migrations } from '../migrations.ts';
import type { Call } from '../operation.ts';
import { draftsFor, FILES, readWorld } from './crash-world.ts';
import { callerOf } from './desk.ts';

/** argv: state folder, project, the last version that was answered for, stage to die at ("none": when killed from outside; "stop": after recovery). */
const [home = '', root = '', version = '0', dieAt = 'stop'] = process.argv.slice(2);
const say = (line: object) => void writeSync(1, `${JSON.stringify(line)}\n`);

const store = openStore(join(home, 'state.sqlite'), migrations);
const clock = systemClock();
const blobs = createBlobs({ dir: join(home, 'blobs'), store, capBytes: 1 << 30, clock });
const project = { projectId: 'prj_0000000000', name: 'p', root, workspaceId: 'ws', epoch: `epoch ${process.pid}` };
const onStage = (stage: string) => {
  if (stage === dieAt) process.kill(process.pid, 'SIGKILL');
};
/** As the registry does it: a project whose folder is gone cannot be opened. */
async function open() {
  if (!existsSync(root)) throw new Failed('NOT_FOUND', 'The project is not there.');
  return project;
}

const files = createFiles({ clock, log: silentLog });
const changes = createChanges({ store, blobs, files, clock, log: silentLog, projects: { open }, onStage });
const idempotency = createIdempotency(store, clock);

const scopeOf = (from: number) => ({ principal: 'token:a', workspace: 'ws', operation: 'apply_changes', key: `from version ${from}` });

/** As the composition root does it. */
function settle(found: readonly Recovered[]): void {
  for (const { reservation, receipt, isUndone } of found) {
    if (reservation === null) continue;
    if (receipt !== null) idempotency.settle(reservation, { data: receipt, warnings: [] });
    else if (isUndone) idempotency.release(reservation);
  }
  const open = store.prepare<[], { reservation: string }>("SELECT reservation FROM idempotency WHERE state = 'reserved'").all();
  for (const { reservation } of open) if (!changes.hasBegun(reservation)) idempotency.release(reservation);
}

function receiptOf(from: number): unknown {
  try {
    return idempotency.replay(scopeOf(from), 'arguments')?.data ?? 'free';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

async function applyFrom(from: number): Promise<void> {
  const reservation = idempotency.reserve(scopeOf(from), 'arguments');
  const call: Call = {
    operation: 'apply_changes',
    caller: callerOf('token:a'),
    project,
    hasProject: true,
    signal: new AbortController().signal,
    surface: 'test',
    session: 'test',
    reservation,
  };
  const { steps } = await changes.resolve(project, draftsFor(from));
  const hashes = Object.fromEntries(steps.map((step) => [step.destPath ?? step.path, step.after?.hash ?? null]));
  const receipt = (changesetId: string) => ({ changesetId, from, hashes });
  const changesetId = await changes.apply(call, { steps, receipt });
  idempotency.settle(reservation, { data: receipt(changesetId), warnings: [] });
}

const found = await changes.recover();
settle(found);
const leftBehind = store
  .prepare("SELECT status, count(*) AS n FROM changesets WHERE status NOT IN ('committed', 'failed') GROUP BY status")
  .all();
const world = existsSync(root) ? readWorld(root) : {};
say({
  world,
  recovered: found.map(({ told }) => [told.status, told.files.length === FILES ? 'all' : told.files.join()]),
  receipt: receiptOf(Number(version)),
  leftBehind,
});
if (dieAt !== 'stop') {
  say({ ready: true });
  for (let from = Number(/\d+/.exec(world['replaced-0'] ?? '')?.[0]); ; from += 1) {
    await applyFrom(from);
    say({ committed: from + 1 });
  }
}
store.close();
