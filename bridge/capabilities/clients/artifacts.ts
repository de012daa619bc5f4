// What the authorization server keeps between requests. A row is found by the digest of its secret, never by the secret.
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/digest.ts';
import type { Store } from '../../base/store/store.ts';
import { type ArtifactRow, artifactRows } from './rows.ts';

export type Payload = Record<string, unknown>;

/** One kind of artifact, in the shape that the authorization server asks of a store. */
export interface Shelf {
  upsert(id: string, payload: Payload, expiresInSeconds?: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  findByUserCode(code: string): Promise<undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

const UNUSED_CLIENT_MS = 24 * 60 * 60 * 1000;
const UNUSED_CLIENTS_MAX = 500;

interface Put {
  payload: Payload;
  expiresInSeconds: number | undefined;
}

export interface ArtifactParts {
  store: Store;
  clock: Clock;
  /** A grant ended, with everything under it. */
  ended(clientId: string): void;
}

const keyOf = (model: string, id: string): string => (model === 'Client' ? id : sha256(id));

function liveOf(row: ArtifactRow | undefined, now: number): ArtifactRow | undefined {
  return row === undefined || (row.expires_at !== null && row.expires_at <= now) ? undefined : row;
}

function shelvesOf({ store, clock, ended }: ArtifactParts): (model: string) => Shelf {
  const rows = artifactRows(store);
  const live = (row: ArtifactRow | undefined) => liveOf(row, clock.now());

  function expiryOf(model: string, id: string, expiresInSeconds: number | undefined): number | null {
    const now = clock.now();
    if (model !== 'Client') return expiresInSeconds === undefined ? null : now + expiresInSeconds * 1000;
    const known = rows.find.get(model, id);
    return known !== undefined && known.expires_at === null ? null : now + UNUSED_CLIENT_MS;
  }

  function put(model: string, id: string, { payload: whole, expiresInSeconds }: Put): void {
    const payload = { ...whole };
    delete payload['jti'];
    const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
    const clientId = model === 'Client' ? id : text(payload['clientId']);
    const uid = text(payload['uid']);
    const expires = expiryOf(model, id, expiresInSeconds);
    rows.put.run(model, keyOf(model, id), JSON.stringify(payload), clientId, text(payload['grantId']), uid, expires);
    rows.prune.run(clock.now());
    if (model === 'Client') rows.crowd.run(UNUSED_CLIENTS_MAX);
  }

  return (model) => ({
    async upsert(id, payload, expiresInSeconds) {
      store.transaction(() => put(model, id, { payload, expiresInSeconds }))();
    },
    async find(id) {
      const row = live(rows.find.get(model, keyOf(model, id)));
      if (row === undefined) return undefined;
      const payload = JSON.parse(row.payload) as Payload;
      return model === 'Client' ? payload : { ...payload, jti: id };
    },
    // A session is found by its uid only to be compared with one that a cookie named.
    async findByUid(uid) {
      const row = live(rows.findByUid.get(model, uid));
      return row === undefined ? undefined : (JSON.parse(row.payload) as Payload);
    },
    findByUserCode: async () => undefined,
    async consume(id) {
      rows.consume.run(Math.floor(clock.now() / 1000), model, keyOf(model, id));
    },
    async destroy(id) {
      const row = rows.find.get(model, keyOf(model, id));
      rows.remove.run(model, keyOf(model, id));
      if (model === 'Grant' && typeof row?.client_id === 'string') ended(row.client_id);
    },
    async revokeByGrantId(grantId) {
      rows.removeGranted.run(model, grantId);
    },
  });
}

export function createArtifacts(parts: ArtifactParts) {
  const rows = artifactRows(parts.store);
  return {
    shelf: shelvesOf(parts),
    accessToken(bearer: string): Payload | null {
      const row = liveOf(rows.find.get('AccessToken', sha256(bearer)), parts.clock.now());
      return row === undefined ? null : (JSON.parse(row.payload) as Payload);
    },
    keepClient: (clientId: string) => void rows.keepClient.run(clientId),
    removeOfClient: (clientId: string) => void rows.removeOfClient.run(clientId),
    /** A secret of this installation, made when it is first asked for. */
    secret(name: string, make: () => string): string {
      if (rows.key.get(name) === undefined) rows.putKey.run(name, make());
      return (rows.key.get(name) as { value: string }).value;
    },
  };
}
