// The tokens table: its statements and what a row means. A row holds a digest, never a bearer.
import type { Scope } from '#shared/contract.ts';
import type { Token } from '#shared/contracts/owner.ts';
import type { Store } from '../../base/store/store.ts';
import type { Caller } from '../../operation.ts';

export type TokenScope = 'read' | 'write' | 'exec';

export interface TokenRow {
  token_id: string;
  name: string;
  digest: string;
  scopes: string;
  project_ids: string | null;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export const toToken = (row: TokenRow): Token => ({
  tokenId: row.token_id,
  name: row.name,
  scopes: JSON.parse(row.scopes) as TokenScope[],
  projectIds: row.project_ids === null ? null : (JSON.parse(row.project_ids) as string[]),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
});

export const toCaller = (row: TokenRow): Caller => ({
  kind: 'client',
  principal: `token:${row.token_id}`,
  name: row.name,
  scopes: new Set(JSON.parse(row.scopes) as Scope[]),
  projectIds: row.project_ids === null ? null : new Set(JSON.parse(row.project_ids) as string[]),
});

export const tokenRows = (store: Store) => ({
  byId: store.prepare<[string], TokenRow>('SELECT * FROM tokens WHERE token_id = ?'),
  byDigest: store.prepare<[string], TokenRow>('SELECT * FROM tokens WHERE digest = ?'),
  all: store.prepare<[], TokenRow>('SELECT * FROM tokens ORDER BY created_at DESC, rowid DESC'),
  active: store.prepare<[number], TokenRow>('SELECT * FROM tokens WHERE revoked_at IS NULL AND expires_at > ? ORDER BY created_at'),
  insert: store.prepare('INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)'),
  revoke: store.prepare('UPDATE tokens SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL'),
  projects: store.prepare('UPDATE tokens SET project_ids = ? WHERE token_id = ?'),
  used: store.prepare('UPDATE tokens SET last_used_at = ? WHERE token_id = ?'),
});
