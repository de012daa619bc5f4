// What the authorization server needs of the bridge, and the words both ends of a token agree on.
import type { FetchDocument } from '../base/http/outbound.ts';
import type { Log } from '../base/log.ts';

export const scopeNames = ['read', 'write', 'exec'] as const;
export type ScopeName = (typeof scopeNames)[number];
export const PREFIX = 'dodo:';
export const wireScopes: readonly string[] = scopeNames.map((name) => PREFIX + name);

export interface OauthClients {
  shelf(model: string): unknown;
  secret(name: string, make: () => string): string;
  ask(request: { consentId: string; clientId: string; name: string; redirectHost: string; scopes: ScopeName[] }): void;
  finish(consentId: string, proof: string): { allowed: boolean; scopes: ScopeName[] } | null;
}

export interface OauthParts {
  clients: OauthClients;
  /** Where the MCP endpoint and the console are; null until both listen. */
  address: { mcpUrl: string | null; consoleUrl: string | null };
  /** How a client's own document is fetched. */
  fetchDocument: FetchDocument;
  log: Log;
}

/** The same listener in the three spellings that it answers to. */
export function spellingsOf(mcpUrl: string): readonly string[] {
  const { port, pathname } = new URL(mcpUrl);
  return ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}${pathname}`);
}
