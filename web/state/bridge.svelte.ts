// The bridge itself: its version, addresses, store, and the difference between its clock and ours.
import type { z } from 'zod';
import type { Contracts } from '#shared/contracts.ts';
import type { Connect } from '../link/client.ts';
import { Attempt } from './attempt.svelte.ts';
import type { Clock } from './clock.svelte.ts';
import { Known } from './known.svelte.ts';

export type BridgeStatus = z.output<Contracts['bridge_status']['output']>;

export class Bridge {
  readonly status: Known<BridgeStatus>;
  readonly linking = new Attempt();
  /** A fresh one-time link for another browser, shown until the page is left. */
  link = $state.raw<{ ownerLink: string; expiresAt: number } | null>(null);
  readonly #connect: Connect;

  constructor(connect: Connect, clock: Clock) {
    this.#connect = connect;
    this.status = new Known(async () => {
      const sent = Date.now();
      const status = await connect().bridge_status({});
      clock.measure(sent, Date.now(), status.now);
      return status;
    });
  }

  async makeLink(): Promise<void> {
    const link = await this.linking.run(() => this.#connect().link_create({}));
    if (link !== undefined) this.link = link;
  }
}
