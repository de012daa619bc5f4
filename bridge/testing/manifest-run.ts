// One life of the part of the bridge that watches over a program: recovers what the last life left, says what it found, then runs one.
import { execFileSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createBlobs } from '../base/blobs/blobs.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { openStore } from '../base/store/store.ts';
import { createChanges } from '../capabilities/changes/service.ts';
import { createFiles } from '../capabilities/files/service.ts';
import { createManifests } from '../capabilities/manifests/service.ts';
import { migrations } from '../migrations.ts';
import type { Call } from '../operation.ts';
import { callerOf } from './desk.ts';

/** argv: state folder, project, what to do ("look", "run", "undo"), the shell line to run. */
const [home = '', root = '', act = 'look', line = ''] = process.argv.slice(2);
const say = (words: object) => void writeSync(1, `${JSON.stringify(words)}\n`);

const store = openStore(join(home, 'state.sqlite'), migrations);
const clock = systemClock();
const blobs = createBlobs({ dir: join(home, 'blobs'), store, capBytes: 1 << 30, clock });
const project = { projectId: 'prj_0000000000', name: 'p', root, workspaceId: 'ws', epoch: `epoch ${process.pid}` };
const projects = { open: async () => project };
const files = createFiles({ clock, log: silentLog });
const changes = createChanges({ store, blobs, files, clock, log: silentLog, projects });
const manifests = createManifests({ store, blobs, files, clock, log: silentLog, changes, projects });

const call: Call = {
  operation: 'run_command',
  caller: callerOf('token:a'),
  project,
  hasProject: true,
  signal: new AbortController().signal,
  surface: 'test',
  session: 'test',
  reservation: null,
};

await changes.recover();
const late = await manifests.recover();
const committed = () => changes.history(call, 100).filter(({ status }) => status === 'committed');
say({ late, changes: committed().map(({ summary }) => summary) });
if (act === 'run') {
  const { observationId } = await manifests.observe(call, { label: 'sh' });
  say({ stage: 'observed' });
  execFileSync('sh', ['-c', line], { cwd: root });
  say({ stage: 'ran' });
  await manifests.settle(observationId);
  say({ stage: 'settled' });
}
if (act === 'undo') {
  const { steps } = await changes.undoFor(call, committed()[0]?.changesetId ?? '');
  await changes.apply(call, { steps, receipt: () => ({}), undoes: committed()[0]?.changesetId ?? '' });
}
store.close();
