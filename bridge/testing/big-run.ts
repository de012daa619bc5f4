// One life of the part of the bridge that deletes a big file and puts it back: recovers, says what it found, acts, and says what that took.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createBlobs } from '../base/blobs/blobs.ts';
import { systemClock } from '../base/clock.ts';
import { sha256 } from '../base/digest.ts';
import { silentLog } from '../base/log.ts';
import { openStore } from '../base/store/store.ts';
import { createChanges } from '../capabilities/changes/service.ts';
import { createFiles } from '../capabilities/files/service.ts';
import { migrations } from '../migrations.ts';
import type { Call } from '../operation.ts';
import { callerOf } from './desk.ts';

/** argv: state folder, project, hash of the file, what to do ("look", "delete", "undo"), stage to die at ("none": killed from outside, if at all). */
const [home = '', root = '', expectedHash = '', act = 'look', dieAt = 'none'] = process.argv.slice(2);
const say = (line: object) => void writeSync(1, `${JSON.stringify(line)}\n`);
const NAME = 'big.bin';

const store = openStore(join(home, 'state.sqlite'), migrations);
const clock = systemClock();
const blobs = createBlobs({ dir: join(home, 'blobs'), store, capBytes: 1 << 30, clock });
const project = { projectId: 'prj_0000000000', name: 'p', root, workspaceId: 'ws', epoch: `epoch ${process.pid}` };
const files = createFiles({ clock, log: silentLog });
let isWarm = false;
const onStage = (stage: string) => {
  if (isWarm && stage === dieAt) process.kill(process.pid, 'SIGKILL');
};
const changes = createChanges({ store, blobs, files, clock, log: silentLog, projects: { open: async () => project }, onStage });

const call: Call = {
  operation: 'delete_path',
  caller: callerOf('token:a'),
  project,
  hasProject: true,
  signal: new AbortController().signal,
  surface: 'test',
  session: 'test',
  reservation: null,
};
const receipt = (changesetId: string) => ({ changesetId });

async function remove(path: string, hash: string): Promise<string> {
  const { steps } = await changes.resolve(project, [{ kind: 'delete', path, expectedHash: hash }]);
  return changes.apply(call, { steps, receipt });
}

async function undo(changesetId: string): Promise<string> {
  const { steps } = await changes.undoFor(call, changesetId);
  return changes.apply(call, { steps, receipt, undoes: changesetId });
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** So that what is measured is the big file alone, and not what any first change takes. */
async function warmUp(): Promise<void> {
  writeFileSync(join(root, 'small.bin'), 'small');
  await undo(await remove('small.bin', sha256('small')));
  await remove('small.bin', sha256('small'));
  isWarm = true;
}

const standing = () => changes.history(call, 100).find((one) => one.status === 'committed' && one.files[0]?.path === NAME);

const recovered = await changes.recover();
if (act === 'look') {
  const hash = existsSync(join(root, NAME)) ? await hashOf(join(root, NAME)) : null;
  say({ recovered: recovered.map(({ told }) => told.status), hash, names: readdirSync(root), last: standing()?.kind ?? null });
} else {
  await warmUp();
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 1);
  if (act === 'delete') await remove(NAME, expectedHash);
  else await undo(standing()?.changesetId ?? '');
  clearInterval(timer);
  say({ grewBytes: most - before });
}
store.close();
