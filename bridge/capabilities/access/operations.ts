// Tokens as operations of the owner.
import { ownerContract, type UnlistedReach } from '#shared/contracts/owner.ts';
import type { Clock } from '../../base/clock.ts';
import { implement, type Operation } from '../../operation.ts';
import type { Access } from './service.ts';

const { token_issue, token_list, token_revoke, token_projects } = ownerContract;

export interface AccessOperationParts {
  access: Access;
  clock: Clock;
  /** What a token without a list of projects reaches as things stand. */
  unlistedReach: () => UnlistedReach;
}

export const accessOperations = ({ access, clock, unlistedReach }: AccessOperationParts): Operation[] =>
  implement(
    { token_issue, token_list, token_revoke, token_projects },
    {
      token_issue: async (input) => {
        const issued = access.issue(input);
        return { data: issued, brief: `token for ${issued.token.name}` };
      },
      token_list: async () => ({ data: { tokens: access.list(), unlistedReach: unlistedReach(), now: clock.now() } }),
      token_revoke: async ({ tokenId }) => {
        const token = access.revoke(tokenId);
        return { data: { token }, brief: `token of ${token.name}` };
      },
      token_projects: async ({ tokenId, projectIds }) => {
        const token = access.setProjects(tokenId, projectIds);
        return { data: { token }, brief: `projects of ${token.name}` };
      },
    },
  );
