// The tokens of clients. A bearer is held only until the owner has stored it or leaves the page.
import type { z } from 'zod';
import type { Contracts } from '#shared/contracts.ts';
import type { Token } from '#shared/contracts/owner.ts';
import type { Connect } from '../link/client.ts';
import { Attempt } from './attempt.svelte.ts';
import { Known } from './known.svelte.ts';

export type TokenWish = z.input<Contracts['token_issue']['input']>;
export type TokenState = 'valid' | 'expired' | 'revoked';

export class Tokens {
  readonly list: Known<readonly Token[]>;
  readonly issuing = new Attempt();
  readonly revoking = new Attempt();
  readonly choosing = new Attempt();
  issued = $state.raw<{ token: Token; bearer: string } | null>(null);
  readonly #connect: Connect;

  constructor(connect: Connect) {
    this.#connect = connect;
    this.list = new Known(async () => (await connect().token_list({})).tokens);
  }

  find(tokenId: string): Token | undefined {
    return this.list.value?.find((token) => token.tokenId === tokenId);
  }

  async issue(wish: TokenWish): Promise<void> {
    const issued = await this.issuing.run(() => this.#connect().token_issue(wish));
    if (issued === undefined) return;
    this.issued = issued;
    await this.list.refresh();
  }

  forget(): void {
    this.issued = null;
  }

  /** Which projects it may reach; null is every one. */
  async choose(tokenId: string, projectIds: string[] | null): Promise<boolean> {
    const chosen = await this.choosing.run(() => this.#connect().token_projects({ tokenId, projectIds }));
    if (chosen !== undefined) await this.list.refresh();
    return chosen !== undefined;
  }

  async revoke(tokenId: string): Promise<boolean> {
    const revoked = await this.revoking.run(() => this.#connect().token_revoke({ tokenId }));
    if (revoked !== undefined) await this.list.refresh();
    return revoked !== undefined;
  }
}

export function tokenState(token: Token, nowMs: number): TokenState {
  if (token.revokedAt !== null) return 'revoked';
  return token.expiresAt <= nowMs ? 'expired' : 'valid';
}
