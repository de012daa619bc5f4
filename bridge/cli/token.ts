// drawbridge token: bearers that the owner issues, lists and revokes. One is printed once, on stdout alone, and kept nowhere.
import type { z } from 'zod';
import type { Token, TokenScope } from '#shared/contracts/owner.ts';
import { remark, say } from './output.ts';
import { asOwner } from './owner.ts';
import { visible } from './visible.ts';

export interface TokenOptions {
  home?: string;
  name: string;
  scopes: z.infer<typeof TokenScope>[];
  project: string[];
  days: number;
  json: boolean;
}

export async function issueToken({ home, name, scopes, project, days, json }: TokenOptions): Promise<void> {
  const projectIds = project.length === 0 ? {} : { projectIds: project };
  const { token, bearer } = await asOwner(home, (call) => call('token_issue', { name, scopes, days, ...projectIds }));
  if (json) return say(JSON.stringify({ token, bearer }));
  say(bearer);
  remark(`Token ${token.tokenId} for ${token.scopes.join(', ')} until ${new Date(token.expiresAt).toISOString()}. It is not shown again.`);
  remark('A script sends it as "Authorization: Bearer …"; "drawbridge token revoke" or the console ends it.');
}

export async function listTokens({ home, json }: Pick<TokenOptions, 'json'> & { home?: string }): Promise<void> {
  const { tokens, now } = await asOwner(home, (call) => call('token_list', {}));
  if (json) return say(JSON.stringify({ tokens, now }));
  for (const token of tokens) say(describe(token, now));
}

export async function revokeToken(tokenId: string, { home, json }: Pick<TokenOptions, 'json'> & { home?: string }): Promise<void> {
  const { token } = await asOwner(home, (call) => call('token_revoke', { tokenId }));
  if (json) return say(JSON.stringify({ token }));
  say(`${token.tokenId}  revoked; it holds no longer, and its open streams have ended`);
}

function describe({ tokenId, name, scopes, projectIds, expiresAt, revokedAt }: Token, now: number): string {
  const until = new Date(expiresAt).toISOString();
  const state = revokedAt !== null ? 'revoked' : expiresAt <= now ? 'expired' : `until ${until}`;
  return [tokenId, state, scopes.join(','), projectIds === null ? 'every project' : projectIds.join(','), visible(name)].join('  ');
}
