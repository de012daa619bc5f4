// drawbridge token: an owner-issued bearer. It is printed once, on stdout alone, and kept nowhere.
import type { z } from 'zod';
import type { TokenScope } from '#shared/contracts/owner.ts';
import { remark, say } from './output.ts';
import { asOwner } from './owner.ts';

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
  remark('Clients take it from the variable DRAWBRIDGE_TOKEN; the console revokes it under Connections.');
}
