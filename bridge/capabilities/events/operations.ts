// The account of events as operations of the owner.
import { ownerContract } from '#shared/contracts/owner.ts';
import { implement, type Operation } from '../../operation.ts';
import type { Events } from './service.ts';

const { event_list, event_verify } = ownerContract;

export const eventOperations = (events: Events): Operation[] =>
  implement(
    { event_list, event_verify },
    {
      event_list: async (input) => ({
        data: { events: events.list(input), head: events.head(), epoch: events.epoch, gap: events.hasGap(input.after ?? 0) },
      }),
      event_verify: async ({ knownPosition, knownHash }) => ({
        data: events.verify(
          knownPosition === undefined || knownHash === undefined ? undefined : { position: knownPosition, hash: knownHash },
        ),
      }),
    },
  );
