// What a start settles before anything is accepted: keys whose call never reached the journal are free again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from './base/log.ts';
import { createBegun } from './capabilities/git/begun.ts';
import { createCore } from './core.ts';
import { createIdempotency } from './invocation/idempotency.ts';
import { locationsOf, makeHome } from './locations.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'drawbridge-core-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a key that was reserved by a call cut off before the journal can be used again', async () => {
  const locations = locationsOf(join(folder, 'home'), join(folder, 'web'));
  makeHome(locations);
  const options = { locations, version: '0', log: silentLog, launch: { command: 'node', args: [] } };
  const scope = { principal: 'token:a', workspace: 'ws', operation: 'write_file', key: 'key-00001' };
  const first = await createCore(options);
  const before = createIdempotency(first.store, first.clock);
  before.reserve(scope, 'a');
  expect(() => before.replay(scope, 'a')).toThrow('not known');
  first.store.close();
  const second = await createCore(options);
  expect(createIdempotency(second.store, second.clock).replay(scope, 'a')).toBeNull();
  second.store.close();
});

it('a key of a commit that may stand is not run again', async () => {
  const locations = locationsOf(join(folder, 'home'), join(folder, 'web'));
  makeHome(locations);
  const options = { locations, version: '0', log: silentLog, launch: { command: 'node', args: [] } };
  const scope = { principal: 'token:a', workspace: 'ws', operation: 'git_commit', key: 'key-00001' };
  const first = await createCore(options);
  const reservation = createIdempotency(first.store, first.clock).reserve(scope, 'a');
  createBegun(join(locations.git, 'begun')).note(reservation);
  first.store.close();
  const second = await createCore(options);
  expect(() => createIdempotency(second.store, second.clock).replay(scope, 'a')).toThrow('not known');
  second.store.close();
});
