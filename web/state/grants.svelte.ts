// The owner's standing answers: what was allowed for a while, how often it was used, and ending it.
import type { Grant } from '#shared/contracts/grants.ts';
import type { Connect } from '../link/client.ts';
import { Attempt } from './attempt.svelte.ts';
import type { Clock } from './clock.svelte.ts';
import { Known } from './known.svelte.ts';

export class Grants {
  readonly list: Known<readonly Grant[]>;
  /** Those that still answer, by the bridge's clock; the newest first. */
  readonly active: readonly Grant[];
  readonly over: readonly Grant[];
  readonly #connect: Connect;
  readonly #clock: Clock;
  readonly #ending: Record<string, Attempt> = {};

  constructor(connect: Connect, clock: Clock) {
    this.#connect = connect;
    this.#clock = clock;
    this.list = new Known(async () => (await connect().grant_list({})).grants);
    this.active = $derived.by(() => (this.list.value ?? []).filter((grant) => this.isActive(grant)));
    this.over = $derived.by(() => (this.list.value ?? []).filter((grant) => !this.isActive(grant)));
  }

  isActive({ status, until }: Grant): boolean {
    return status === 'active' && until > this.#clock.nowMs;
  }

  find(grantId: string): Grant | undefined {
    return this.list.value?.find((grant) => grant.grantId === grantId);
  }

  /** The one that was made by the answer to this request. */
  ofApproval(approvalId: string): Grant | undefined {
    return this.list.value?.find((grant) => grant.approvalId === approvalId);
  }

  ending(grantId: string): Attempt {
    return (this.#ending[grantId] ??= new Attempt());
  }

  /** Whether it has ended. */
  async end(grantId: string): Promise<boolean> {
    const ended = await this.ending(grantId).run(() => this.#connect().grant_revoke({ grantId }));
    await this.list.refresh();
    return ended !== undefined;
  }
}
