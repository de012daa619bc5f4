// A client program and what the owner consented to. Both the consent and the token must allow a call, as of now.
import type { ClientProgram } from '#shared/contracts/clients.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { Caller } from '../../operation.ts';
import type { Events } from '../events/service.ts';
import { createArtifacts } from './artifacts.ts';
import { consentsOf } from './consents.ts';
import { type ClientRow, clientRows, principalOf, toCaller, toClient } from './rows.ts';

export interface ClientsParts {
  store: Store;
  clock: Clock;
  events: Events;
  /** The one audience that a token may be meant for. null while nothing listens. */
  audience: () => string | null;
}

const LAST_USED_GRAIN_MS = 60_000;
const PREFIX = 'dodo:';

export type Clients = ReturnType<typeof createClients>;

export function createClients({ store, clock, events, audience }: ClientsParts) {
  const rows = clientRows(store);
  const listeners = new Set<(principal: string) => void>();
  const ended = (clientId: string): void => listeners.forEach((listener) => listener(principalOf(clientId)));
  const artifacts = createArtifacts({ store, clock, ended });

  function requireClient(clientId: string): ClientRow {
    const row = rows.byId.get(clientId);
    if (row === undefined) throw new Failed('NOT_FOUND', 'There is no client of that id.');
    return row;
  }
  const tell = (kind: 'client.changed' | 'client.revoked', body: Record<string, unknown>): void =>
    events.append({ session: 'owner', kind, projectId: null, body });

  return {
    shelf: artifacts.shelf,
    secret: artifacts.secret,
    list: (): ClientProgram[] => rows.all.all().map(toClient),
    /** The callers that every consent which still holds can make. */
    callers: (): Caller[] =>
      rows.all
        .all()
        .filter((row) => row.revoked_at === null)
        .map((row) => toCaller(row, ['read', 'write', 'exec'])),
    /** null: no token of ours, or one that does not hold any more. */
    callerOfBearer(bearer: string): Caller | null {
      const token = artifacts.accessToken(bearer);
      if (token === null || token['aud'] !== audience() || typeof token['clientId'] !== 'string') return null;
      const row = rows.byId.get(token['clientId']);
      if (row === undefined || row.revoked_at !== null) return null;
      const now = clock.now();
      if (now - (row.last_used_at ?? 0) > LAST_USED_GRAIN_MS) rows.used.run(now, row.client_id);
      const scopes = String(token['scope'] ?? '').split(' ');
      return toCaller(
        row,
        scopes.filter((scope) => scope.startsWith(PREFIX)).map((scope) => scope.slice(PREFIX.length)),
      );
    },
    /** Sets which projects a program may reach, until it is consented to anew; what it may do there stays as it is. */
    setProjects(clientId: string, projectIds: string[] | null): ClientProgram {
      const row = requireClient(clientId);
      if (row.revoked_at !== null) throw new Failed('CONFLICT', 'This client was revoked; nothing was changed.');
      store.transaction(() => {
        rows.projects.run(projectIds === null ? null : JSON.stringify(projectIds), clientId);
        tell('client.changed', { clientId, name: row.name, projectIds });
      })();
      return toClient(requireClient(clientId));
    },
    revoke(clientId: string): ClientProgram {
      const row = requireClient(clientId);
      store.transaction(() => {
        artifacts.removeOfClient(clientId);
        if (rows.revoke.run(clock.now(), clientId).changes === 0) return;
        tell('client.revoked', { clientId, name: row.name });
      })();
      ended(clientId);
      return toClient({ ...row, revoked_at: row.revoked_at ?? clock.now() });
    },
    /** Hears the principal of every client that lost something it was given, so that its open streams can be ended. */
    onEnded(listener: (principal: string) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...consentsOf({ store, clock, events, keepClient: artifacts.keepClient }),
  };
}
