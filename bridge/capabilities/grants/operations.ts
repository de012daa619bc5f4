// Grants as operations of the owner. No client can make, widen or see one.
import { grantsContract } from '#shared/contracts/grants.ts';
import type { Clock } from '../../base/clock.ts';
import { Failed } from '../../failed.ts';
import { implement, type Operation } from '../../operation.ts';
import type { Projects } from '../projects/service.ts';
import type { Grants } from './service.ts';

export interface GrantOperationParts {
  grants: Grants;
  clock: Clock;
  projects: Pick<Projects, 'open'>;
  /** What a client can call at all. */
  isGrantable: (operation: string) => boolean;
}

export const grantOperations = ({ grants, clock, projects, isGrantable }: GrantOperationParts): Operation[] =>
  implement(grantsContract, {
    grant_list: async (input) => ({ data: { grants: grants.list(input), now: clock.now() } }),
    grant_create: async ({ projectId, usesMax, ...wish }, call) => {
      if (!isGrantable(wish.operation))
        throw new Failed('INVALID_INPUT', 'No operation of that name can be granted to a client. Nothing was granted.');
      const project = await projects.open(projectId);
      const more = { project, reasons: null, approvalId: null, usesMax: usesMax ?? null, by: call.caller.name };
      const grant = grants.create({ ...wish, ...more });
      return { data: { grant }, brief: `${grant.callerName}: ${grant.operation}` };
    },
    grant_revoke: async ({ grantId }, call) => {
      const grant = grants.revoke(grantId, call.caller.name);
      return { data: { grant }, brief: `${grant.callerName}: ${grant.operation}` };
    },
  });
