// Through the real pipeline: bytes for which there is no room are lost only under the owner's answer to that very question.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBlobs } from '../../base/blobs/blobs.ts';
import { sha256 } from '../../base/digest.ts';
import { silentLog } from '../../base/log.ts';
import { atomically } from '../../base/store/store.ts';
import { createIdempotency } from '../../invocation/idempotency.ts';
import { createInvoker } from '../../invocation/invoke.ts';
import { createMutationQueue } from '../../invocation/queue.ts';
import { createRunning } from '../../invocation/running.ts';
import { callerOf } from '../../testing/desk.ts';
import { testState } from '../../testing/state.ts';
import { workspace } from '../../testing/workspace.ts';
import { createAccess } from '../access/service.ts';
import { createApprovals } from '../approvals/service.ts';
import { changeOperations } from '../changes/operations.ts';
import { createChanges } from '../changes/service.ts';
import { createEvents } from '../events/service.ts';
import { createFiles } from '../files/service.ts';
import { createGrants } from '../grants/service.ts';
import { createProjects } from '../projects/service.ts';
import { createSettings } from '../settings/service.ts';
import { editOperations } from './operations.ts';

const MIB = 1024 * 1024;

/** The pipeline over a project of big files, each of its own bytes, and a store that takes so many bytes. */
async function pipeline(names: readonly string[], capBytes: number) {
  const state = testState();
  const { store, clock, home } = state;
  const ws = await workspace(Object.fromEntries(names.map((name) => [name, Buffer.alloc(9 * MIB, name)])));
  const events = createEvents({ store, clock });
  const projects = createProjects({ store, clock, events, home });
  const access = createAccess({ store, clock, events });
  const grants = createGrants({ store, clock, events });
  const approvals = createApprovals({ store, clock, events, grants, consoleUrl: () => null });
  const policy = createSettings({ store, clock, events, isHideable: () => true, projects: projects.list, callers: () => access.callers() });
  const blobs = createBlobs({ dir: join(home, 'blobs'), store, capBytes, clock });
  const files = createFiles({ clock, log: silentLog });
  const changes = createChanges({ store, blobs, files, clock, log: silentLog, projects });
  const invoke = createInvoker({
    ...{ projects, events, approvals, grants, policy, blobs, clock },
    operations: [...editOperations(changes, files), ...changeOperations(changes)],
    idempotency: createIdempotency(store, clock),
    queue: createMutationQueue(),
    running: createRunning(),
    atomically: (durability, work) => atomically(store, durability, work),
    log: silentLog,
    limits: { requestBodyBytes: MIB },
  });
  const { project } = await projects.add(ws.root);
  const { workspaceId, epoch } = await projects.open(project.projectId);
  const context = { workspaceId, workspaceEpoch: epoch };
  const caller = () => callerOf('token:a');
  return {
    ws,
    blobs,
    approve: () =>
      approvals
        .list({ status: 'pending', limit: 9 })
        .map(({ approvalId, argumentsHash }) => approvals.decide({ approvalId, argumentsHash, decision: 'approve', by: 'owner' })),
    async remove(name: string) {
      const input = { path: name, expectedHash: sha256(ws.bytes(name)) };
      return (await invoke({ operation: 'delete_path', input, context, caller, surface: 'test', session: 'test' })).envelope;
    },
    async [Symbol.asyncDispose]() {
      state[Symbol.dispose]();
      await ws[Symbol.asyncDispose]();
    },
  };
}

describe('a big file for whose bytes there is no room', () => {
  it('is deleted once the owner has allowed it, and not again under that answer', async () => {
    await using at = await pipeline(['a.bin'], 4 * MIB);
    const question = (await at.remove('a.bin')).error;
    expect(question?.code).toBe('APPROVAL_REQUIRED');
    const [decided] = at.approve();
    expect(decided?.approval.reasons.join()).toContain('find no room');
    const { data, warnings } = await at.remove('a.bin');
    expect(data).toMatchObject({ deleted: true });
    expect(warnings.join()).toContain('cannot be undone');
    expect(at.ws.list()).toEqual([]);
    at.ws.write('a.bin', Buffer.alloc(9 * MIB, 'a.bin'));
    expect((await at.remove('a.bin')).error?.code).toBe('APPROVAL_REQUIRED');
  });

  it('is not deleted because there was room when nothing was asked: of two calls at once one goes through', async () => {
    await using at = await pipeline(['a.bin', 'b.bin'], 10 * MIB);
    const both = await Promise.all([at.remove('a.bin'), at.remove('b.bin')]);
    const refused = both.find((answer) => !answer.ok)?.error;
    expect(both.filter((answer) => answer.ok)).toHaveLength(1);
    expect(['RESOURCE_LIMIT', 'APPROVAL_REQUIRED']).toContain(refused?.code);
    const [left = ''] = at.ws.list();
    expect(at.ws.list()).toHaveLength(1);
    expect((await at.remove(left)).error?.code).toBe('APPROVAL_REQUIRED');
    at.approve();
    expect((await at.remove(left)).ok).toBe(true);
    expect([at.ws.list(), at.blobs.usage()]).toMatchObject([[], { bytes: 9 * MIB, droppedBlobs: 0 }]);
  });
});
