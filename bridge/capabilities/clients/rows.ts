// The tables behind sign-ins: clients, consents, and what the authorization server keeps. Secrets are digests here.
import type { Scope } from '#shared/contract.ts';
import type { ClientProgram } from '#shared/contracts/clients.ts';
import type { Store } from '../../base/store/store.ts';
import type { Caller } from '../../operation.ts';

export type ClientScope = ClientProgram['scopes'][number];

export interface ClientRow {
  client_id: string;
  name: string;
  redirect_host: string;
  scopes: string;
  project_ids: string | null;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export interface ConsentRow {
  consent_id: string;
  client_id: string;
  name: string;
  redirect_host: string;
  scopes: string;
  created_at: number;
  expires_at: number;
  allowed: number | null;
  project_ids: string | null;
  proof_digest: string | null;
}

export interface ArtifactRow {
  model: string;
  id: string;
  payload: string;
  client_id: string | null;
  expires_at: number | null;
}

const listOf = <T>(text: string): T[] => JSON.parse(text) as T[];

export const toClient = (row: ClientRow): ClientProgram => ({
  clientId: row.client_id,
  name: row.name,
  redirectHost: row.redirect_host,
  scopes: listOf<ClientScope>(row.scopes),
  projectIds: row.project_ids === null ? null : listOf<string>(row.project_ids),
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
});

export const principalOf = (clientId: string): string => `client:${clientId}`;

/** Both the consent and the token must give a right. */
export const toCaller = (row: ClientRow, tokenScopes: readonly string[]): Caller => ({
  kind: 'client',
  principal: principalOf(row.client_id),
  name: row.name,
  scopes: new Set<Scope>(listOf<ClientScope>(row.scopes).filter((scope) => tokenScopes.includes(scope))),
  projectIds: row.project_ids === null ? null : new Set(listOf<string>(row.project_ids)),
});

export const clientRows = (store: Store) => ({
  byId: store.prepare<[string], ClientRow>('SELECT * FROM clients WHERE client_id = ?'),
  all: store.prepare<[], ClientRow>('SELECT * FROM clients ORDER BY created_at DESC, rowid DESC'),
  admit: store.prepare(
    `INSERT INTO clients VALUES (@clientId, @name, @redirectHost, @scopes, @projectIds, @now, NULL, NULL)
     ON CONFLICT (client_id) DO UPDATE SET name = @name, redirect_host = @redirectHost, scopes = @scopes,
       project_ids = @projectIds, revoked_at = NULL`,
  ),
  revoke: store.prepare('UPDATE clients SET revoked_at = ? WHERE client_id = ? AND revoked_at IS NULL'),
  projects: store.prepare('UPDATE clients SET project_ids = ? WHERE client_id = ?'),
  used: store.prepare('UPDATE clients SET last_used_at = ? WHERE client_id = ?'),
});

export const consentRows = (store: Store) => ({
  byId: store.prepare<[string], ConsentRow>('SELECT * FROM consents WHERE consent_id = ?'),
  insert: store.prepare('INSERT INTO consents VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL)'),
  decide: store.prepare('UPDATE consents SET allowed = ?, scopes = ?, project_ids = ?, proof_digest = ? WHERE consent_id = ?'),
  remove: store.prepare('DELETE FROM consents WHERE consent_id = ?'),
  prune: store.prepare('DELETE FROM consents WHERE expires_at <= ?'),
});

export const artifactRows = (store: Store) => ({
  find: store.prepare<[string, string], ArtifactRow>('SELECT * FROM oauth_artifacts WHERE model = ? AND id = ?'),
  findByUid: store.prepare<[string, string], ArtifactRow>('SELECT * FROM oauth_artifacts WHERE model = ? AND uid = ?'),
  put: store.prepare(
    'INSERT OR REPLACE INTO oauth_artifacts (model, id, payload, client_id, grant_id, uid, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ),
  remove: store.prepare('DELETE FROM oauth_artifacts WHERE model = ? AND id = ?'),
  removeGranted: store.prepare('DELETE FROM oauth_artifacts WHERE model = ? AND grant_id = ?'),
  removeOfClient: store.prepare('DELETE FROM oauth_artifacts WHERE client_id = ?'),
  keepClient: store.prepare("UPDATE oauth_artifacts SET expires_at = NULL WHERE model = 'Client' AND id = ?"),
  consume: store.prepare("UPDATE oauth_artifacts SET payload = json_set(payload, '$.consumed', ?) WHERE model = ? AND id = ?"),
  prune: store.prepare('DELETE FROM oauth_artifacts WHERE expires_at <= ?'),
  /** Registrations that the owner never consented to are for anyone to make, so only the newest are kept. */
  crowd: store.prepare(
    `DELETE FROM oauth_artifacts WHERE model = 'Client' AND expires_at IS NOT NULL AND rowid NOT IN
     (SELECT rowid FROM oauth_artifacts WHERE model = 'Client' AND expires_at IS NOT NULL ORDER BY rowid DESC LIMIT ?)`,
  ),
  key: store.prepare<[string], { value: string }>('SELECT value FROM oauth_keys WHERE name = ?'),
  putKey: store.prepare('INSERT OR IGNORE INTO oauth_keys VALUES (?, ?)'),
});
