// Rights are an intersection: what the caller holds, narrowed to this project and this operation, never widened.
import type { OperationContract } from '#shared/contract.ts';
import { Failed } from '../failed.ts';
import type { Caller, ProjectHandle } from '../operation.ts';

/** Throws WORKSPACE_ACCESS_REQUIRED when this caller may not use the project at all. */
export function requireProjectAccess(caller: Caller, project: ProjectHandle): void {
  if (caller.projectIds !== null && !caller.projectIds.has(project.projectId))
    throw new Failed('WORKSPACE_ACCESS_REQUIRED', 'This caller has no access to that project. Nothing was done.');
}

/** Throws FORBIDDEN, naming the scope the operation wants. */
export function requireScope(caller: Caller, operation: string, contract: OperationContract): void {
  if (!caller.scopes.has(contract.scope))
    throw new Failed(
      'FORBIDDEN',
      `${operation} needs the scope ${contract.scope}, which this caller does not hold here. Nothing was done.`,
      {
        detail: { requiredScope: `dodo:${contract.scope}` },
      },
    );
}

/** The caller echoes the pair that the overview gave; the owner's console names projects by id and is exempt. */
export function requireCurrentContext(
  caller: Caller,
  project: ProjectHandle,
  context: { workspaceId?: string | undefined; workspaceEpoch?: string | undefined },
): void {
  if (caller.kind === 'owner') return;
  const next = { recovery: 'Call project_overview and use the workspaceId and workspaceEpoch it answers with.' };
  if (context.workspaceId === undefined || context.workspaceEpoch === undefined)
    throw new Failed('WORKSPACE_MISMATCH', 'The call lacks its workspaceId or workspaceEpoch. Nothing was done.', next);
  if (context.workspaceId !== project.workspaceId)
    throw new Failed('WORKSPACE_MISMATCH', 'The workspaceId is not the one of this project. Nothing was done.', next);
  if (context.workspaceEpoch !== project.epoch)
    throw new Failed(
      'STALE_WORKSPACE',
      'The workspaceEpoch is from before the bridge or the project was opened anew. Nothing was done.',
      next,
    );
}
