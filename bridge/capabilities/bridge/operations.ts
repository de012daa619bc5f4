// The bridge about itself, for the owner: where it listens, what it holds, a fresh way in.
import { ownerContract, type clientKinds } from '#shared/contracts/owner.ts';
import type { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { implement, type Operation } from '../../operation.ts';

const { bridge_status, client_setup, link_create } = ownerContract;
type ClientSetup = z.input<(typeof client_setup)['output']>;

export interface BridgeFacts {
  version: string;
  epoch: string;
  home: string;
  clock: Clock;
  address(): { mcpUrl: string | null; consoleUrl: string | null };
  usage(): z.input<(typeof bridge_status)['output']>['store'];
  createLink(): { ownerLink: string; expiresAt: number };
  setup(client: (typeof clientKinds)[number], projectId: string | undefined): Promise<ClientSetup>;
}

export function bridgeOperations(facts: BridgeFacts): Operation[] {
  const startedAt = facts.clock.now();
  return implement(
    { bridge_status, client_setup, link_create },
    {
      bridge_status: async () => ({
        data: {
          version: facts.version,
          epoch: facts.epoch,
          startedAt,
          now: facts.clock.now(),
          ...facts.address(),
          home: facts.home,
          store: facts.usage(),
        },
      }),
      client_setup: async ({ client, projectId }) => ({ data: await facts.setup(client, projectId) }),
      link_create: async () => ({ data: facts.createLink() }),
    },
  );
}
