// Client programs that signed in, and the sign-ins that wait for the owner's answer.
import type { ClientProgram, Consent } from '#shared/contracts/clients.ts';
import type { TokenScope } from '#shared/contracts/owner.ts';
import type { z } from 'zod';
import type { Connect } from '../link/client.ts';
import { Attempt } from './attempt.svelte.ts';
import { Known } from './known.svelte.ts';

export interface ConsentAnswer {
  consentId: string;
  allow: boolean;
  scopes?: z.infer<typeof TokenScope>[];
  projectIds?: string[];
}

export class Clients {
  readonly list: Known<readonly ClientProgram[]>;
  readonly deciding = new Attempt();
  readonly revoking = new Attempt();
  readonly #connect: Connect;

  constructor(connect: Connect) {
    this.#connect = connect;
    this.list = new Known(async () => (await connect().client_list({})).clients);
  }

  find(clientId: string): ClientProgram | undefined {
    return this.list.value?.find((client) => client.clientId === clientId);
  }

  consent(consentId: string): Known<Consent> {
    return new Known(async () => (await this.#connect().consent_show({ consentId })).consent);
  }

  /** Where the browser goes on; undefined when the answer did not get through. */
  async decide(answer: ConsentAnswer): Promise<string | undefined> {
    return (await this.deciding.run(() => this.#connect().consent_decide(answer)))?.resumeUrl;
  }

  async revoke(clientId: string): Promise<boolean> {
    const revoked = await this.revoking.run(() => this.#connect().client_revoke({ clientId }));
    if (revoked !== undefined) await this.list.refresh();
    return revoked !== undefined;
  }
}
