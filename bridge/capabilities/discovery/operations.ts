// The operation that finds operations.
import { discoveryContract } from '#shared/contracts/discovery.ts';
import { Failed } from '../../failed.ts';
import { implement, type Operation } from '../../operation.ts';
import type { Discovery } from './service.ts';

export const discoveryOperations = (discovery: Discovery): Operation[] =>
  implement(discoveryContract, {
    async dodo_discover({ operation, knownSchemaHash, ...query }) {
      if (operation === undefined) {
        const { next, ...data } = discovery.search(query);
        return {
          data,
          brief: `${data.totalMatches} operations found`,
          truncated: next !== null,
          ...(next === null ? {} : { nextCursor: next }),
        };
      }
      if (query.query !== undefined || query.domain !== undefined || query.cursor !== undefined)
        throw new Failed('INVALID_INPUT', 'Either search, or name one operation; not both. Nothing was done.');
      return { data: discovery.describe(operation, knownSchemaHash), brief: operation };
    },
  });
