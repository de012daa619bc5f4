// Client programs and consents as operations of the owner.
import { clientsContract } from '#shared/contracts/clients.ts';
import type { UnlistedReach } from '#shared/contracts/owner.ts';
import type { Clock } from '../../base/clock.ts';
import { Failed } from '../../failed.ts';
import { implement, type Operation } from '../../operation.ts';
import type { Clients } from './service.ts';

export interface ClientOperationParts {
  clients: Clients;
  clock: Clock;
  /** Where the browser finishes a decided sign-in; null while nothing listens. */
  /** What a client without a list of projects reaches as things stand. */
  unlistedReach: () => UnlistedReach;
  resumeUrl: (consentId: string, proof: string) => string | null;
}

export const clientOperations = ({ clients, clock, unlistedReach, resumeUrl }: ClientOperationParts): Operation[] =>
  implement(clientsContract, {
    client_list: async () => ({ data: { clients: clients.list(), unlistedReach: unlistedReach(), now: clock.now() } }),
    client_revoke: async ({ clientId }) => {
      const client = clients.revoke(clientId);
      return { data: { client }, brief: `client ${client.name}` };
    },
    client_projects: async ({ clientId, projectIds }) => {
      const client = clients.setProjects(clientId, projectIds);
      return { data: { client }, brief: `projects of ${client.name}` };
    },
    consent_show: async ({ consentId }) => ({
      data: { consent: clients.show(consentId), unlistedReach: unlistedReach(), now: clock.now() },
    }),
    consent_decide: async (decision) => {
      if (resumeUrl(decision.consentId, '') === null) throw new Failed('NOT_SUPPORTED', 'Nothing listens to finish a sign-in.');
      const { proof, name } = clients.decide(decision);
      return {
        data: { resumeUrl: resumeUrl(decision.consentId, proof) ?? '' },
        brief: `${decision.allow ? 'allowed' : 'denied'} ${name}`,
      };
    },
  });
