// Immutable plans: what was reviewed is bound by a hash over its id and its payload, and nothing else can be applied under it.
import { z } from 'zod';
import { newId } from '#shared/ids.ts';
import { FileAction } from '#shared/contracts/changes.ts';
import type { Blobs } from '../../base/blobs/blobs.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/digest.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import type { Draft } from './draft.ts';
import type { Step } from './step.ts';

const PLAN_MS = 15 * 60 * 1000;
const ENDED_KEPT_MS = 24 * 60 * 60 * 1000;

const PlanStep = z.object({
  action: FileAction,
  path: z.string(),
  destPath: z.string().nullable(),
  beforeHash: z.string().nullable(),
  afterHash: z.string().nullable(),
  isExecutable: z.boolean(),
});
const Payload = z.object({ steps: z.array(PlanStep) });
type PlanStep = z.infer<typeof PlanStep>;

interface PlanRow {
  plan_id: string;
  project_id: string;
  epoch: string;
  principal: string;
  plan_hash: string;
  payload: string;
  expires_at: number;
  used_by: string | null;
}

/** Who plans, and where. */
export interface Planner {
  project: ProjectHandle;
  principal: string;
  operation: string;
}

export interface StoredPlan {
  planId: string;
  planHash: string;
  expiresAt: number;
}

export type Plans = ReturnType<typeof createPlans>;

export function createPlans({ store, blobs, clock }: { store: Store; blobs: Blobs; clock: Clock }) {
  const insert = store.prepare(
    `INSERT INTO plans (plan_id, project_id, epoch, principal, operation, plan_hash, payload, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const purge = store.prepare('DELETE FROM plans WHERE expires_at < ?');
  const byId = store.prepare<[string], PlanRow>('SELECT * FROM plans WHERE plan_id = ?');
  const begun = store.prepare<[string], { changeset_id: string }>(
    "SELECT changeset_id FROM changesets WHERE plan_id = ? AND status = 'failed' ORDER BY created_at DESC, rowid DESC LIMIT 1",
  );
  const live = store.prepare<[number], { payload: string }>('SELECT payload FROM plans WHERE used_by IS NULL AND expires_at > ?');

  return {
    /** Keeps the bytes the plan would write, and the plan. */
    async keep({ project, principal, operation }: Planner, steps: readonly Step[]): Promise<StoredPlan> {
      const images = steps.flatMap(({ action, after }) => (after?.bytes && action !== 'move' ? [after.bytes] : []));
      const staged = await blobs.stage(images);
      await staged.keep();
      const planId = newId('plan');
      const payload = JSON.stringify({ steps: steps.map(toPlanStep) });
      const planHash = hashOf(planId, payload);
      const now = clock.now();
      store.transaction(() => {
        purge.run(now - ENDED_KEPT_MS);
        staged.record();
        insert.run(planId, project.projectId, project.epoch, principal, operation, planHash, payload, now, now + PLAN_MS);
      })();
      return { planId, planHash, expiresAt: now + PLAN_MS };
    },

    /** What the plan does, once it is proven to be the reviewed one and this caller's own. */
    take({ project, principal }: Omit<Planner, 'operation'>, asked: { planId: string; planHash: string }): Draft[] {
      const row = byId.get(asked.planId);
      if (row === undefined || row.project_id !== project.projectId)
        throw new Failed('NOT_FOUND', 'There is no such plan. Nothing was changed.');
      if (row.principal !== principal) throw new Failed('FORBIDDEN', 'This plan belongs to another caller. Nothing was changed.');
      refuseEnded(row, { epoch: project.epoch, now: clock.now(), begun: begun.get(row.plan_id)?.changeset_id ?? null });
      if (row.plan_hash !== asked.planHash || hashOf(row.plan_id, row.payload) !== asked.planHash)
        throw new Failed('PLAN_HASH_MISMATCH', 'The hash is not the one of this plan. Nothing was changed.', {
          recovery: 'Send the planHash that came with the plan.',
        });
      return Payload.parse(JSON.parse(row.payload)).steps.flatMap((planned) => toDraft(planned, blobs));
    },

    /** The bytes that a plan may still need. */
    needs: (): string[] =>
      live.all(clock.now()).flatMap((row) => Payload.parse(JSON.parse(row.payload)).steps.flatMap((planned) => planned.afterHash ?? [])),
  };
}

const hashOf = (planId: string, payload: string): string => sha256(`${planId}\n${payload}`);

/** `begun`: the change of an earlier try, which was put back. */
function refuseEnded(row: PlanRow, now: { epoch: string; now: number; begun: string | null }): void {
  const recovery = 'Preview the changes again.';
  if (row.used_by !== null)
    throw new Failed('PLAN_EXPIRED', 'This plan was applied already. Nothing was changed now.', { detail: { changesetId: row.used_by } });
  if (row.epoch !== now.epoch && now.begun !== null)
    throw new Failed(
      'PLAN_EXPIRED',
      'Applying this plan was broken off and every file was put back; the bridge was restarted since. Nothing was changed now.',
      {
        ...{ recovery, detail: { changesetId: now.begun } },
      },
    );
  if (row.epoch !== now.epoch)
    throw new Failed('PLAN_EXPIRED', 'The bridge was restarted since this plan was made. Nothing was changed.', { recovery });
  if (row.expires_at <= now.now) throw new Failed('PLAN_EXPIRED', 'This plan is older than 15 minutes. Nothing was changed.', { recovery });
}

const toPlanStep = (step: Step): PlanStep => ({
  action: step.action,
  path: step.path,
  destPath: step.destPath,
  beforeHash: step.before?.hash ?? null,
  afterHash: step.after?.hash ?? null,
  isExecutable: step.isExecutable,
});

/** The folders a plan makes are made again as they are missing then. */
function toDraft({ action, path, destPath, beforeHash, afterHash, isExecutable }: PlanStep, blobs: Blobs): Draft[] {
  const expectedHash = beforeHash ?? 'absent';
  switch (action) {
    case 'create':
    case 'replace':
      return [{ kind: 'write', path, bytes: blobs.get(afterHash ?? ''), expectedHash, createParents: true, isExecutable }];
    case 'delete':
      return [{ kind: 'delete', path, expectedHash }];
    case 'move':
      return [{ kind: 'move', path, destPath: destPath ?? '', expectedHash }];
    case 'mkdir':
      return [];
    case 'rmdir':
      throw new Error('No plan removes a folder.');
  }
}
