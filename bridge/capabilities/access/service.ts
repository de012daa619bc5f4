// Who may call: owner-issued bearers, kept as digests only; revoked and expired ones end at the next request.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '#shared/contract.ts';
import type { Token } from '#shared/contracts/owner.ts';
import { newId } from '#shared/ids.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/digest.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { Caller } from '../../operation.ts';
import type { Events } from '../events/service.ts';
import { tokenRows, toCaller, toToken, type TokenRow, type TokenScope } from './rows.ts';

export interface IssueRequest {
  name: string;
  scopes: TokenScope[];
  projectIds?: string[] | undefined;
  days: number;
}

type Resolver = (bearer: string) => Caller | null;

export interface Access {
  issue(request: IssueRequest): { token: Token; bearer: string };
  list(): Token[];
  /** The callers behind every token that still holds. */
  callers(): Caller[];
  revoke(tokenId: string): Token;
  setProjects(tokenId: string, projectIds: string[] | null): Token;
  /** The caller behind a bearer as of now. Throws AUTH_REQUIRED without saying which part was wrong. */
  callerOfBearer(bearer: string): Caller;
  /** `said` is the name the program gives itself; without one it is any program. */
  stdioCaller(projectId: string, said?: string | null): Caller;
  ownerCaller(name: string): Caller;
  /** Bearers that are not tokens of this noun are asked of these. */
  addResolver(resolver: Resolver): void;
  /** Hears of a revoked token, so that open streams of it can be ended. */
  onRevoked(listener: (tokenId: string) => void): () => void;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** How stale lastUsedAt may be: it is for the owner's eyes and not worth a disk flush a call. */
const LAST_USED_GRAIN_MS = 60_000;
const PREFIX = 'dbr_';
const SAID_CHARACTERS_MAX = 64;

const isSame = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/**
 * A local program on this account's own pipe: the account is the authentication. What it calls itself
 * tells it from the next one, also after it was started again; a program that lies about it gains no right that it had not.
 */
function stdioCaller(projectId: string, said: string | null = null): Caller {
  const name = [...(said ?? '').trim()].slice(0, SAID_CHARACTERS_MAX).join('') || 'stdio';
  const scopes = new Set<Scope>(['read', 'write', 'exec']);
  return { kind: 'stdio', principal: `stdio:${name}`, name, scopes, projectIds: null, homeId: projectId };
}

const ownerCaller = (name: string): Caller => ({
  kind: 'owner',
  principal: 'owner',
  name,
  scopes: new Set<Scope>(['read', 'write', 'exec', 'owner']),
  projectIds: null,
});

/** Says the same whatever was wrong. */
const unknownBearer = (): Failed =>
  new Failed('AUTH_REQUIRED', 'This needs a valid bearer token. Nothing was done.', {
    recovery: 'Sign in again from the client, or let the owner issue a token in the console under Connections or with "drawbridge token".',
  });

function firstOf(resolvers: readonly Resolver[], bearer: string): Caller {
  for (const resolve of resolvers) {
    const caller = resolve(bearer);
    if (caller !== null) return caller;
  }
  throw unknownBearer();
}

export function createAccess({ store, clock, events }: { store: Store; clock: Clock; events: Events }): Access {
  const listeners = new Set<(tokenId: string) => void>();
  const resolvers: Resolver[] = [];
  const rows = tokenRows(store);

  const tell = (kind: 'token.issued' | 'token.changed' | 'token.revoked', body: Record<string, unknown>): void =>
    events.append({ session: 'owner', kind, projectId: null, body });

  function requireToken(tokenId: string): TokenRow {
    const row = rows.byId.get(tokenId);
    if (row === undefined) throw new Failed('NOT_FOUND', 'There is no token of that id.');
    return row;
  }

  return {
    issue({ name, scopes, projectIds, days }) {
      const bearer = PREFIX + randomBytes(32).toString('base64url');
      const tokenId = newId('tok');
      const now = clock.now();
      const projects = projectIds === undefined ? null : JSON.stringify(projectIds);
      store.transaction(() => {
        rows.insert.run(tokenId, name, sha256(bearer), JSON.stringify([...new Set(scopes)]), projects, now, now + days * DAY_MS);
        tell('token.issued', { tokenId, name, scopes, projectIds: projectIds ?? null });
      })();
      return { token: toToken(requireToken(tokenId)), bearer };
    },
    list: () => rows.all.all().map(toToken),
    callers: () => rows.active.all(clock.now()).map(toCaller),
    setProjects(tokenId, projectIds) {
      const row = requireToken(tokenId);
      if (row.revoked_at !== null) throw new Failed('CONFLICT', 'This token was revoked; nothing was changed.');
      store.transaction(() => {
        rows.projects.run(projectIds === null ? null : JSON.stringify(projectIds), tokenId);
        tell('token.changed', { tokenId, name: row.name, projectIds });
      })();
      return toToken(requireToken(tokenId));
    },
    revoke(tokenId) {
      const row = requireToken(tokenId);
      store.transaction(() => {
        if (rows.revoke.run(clock.now(), tokenId).changes === 1) tell('token.revoked', { tokenId, name: row.name });
      })();
      for (const listener of listeners) listener(tokenId);
      return toToken(requireToken(tokenId));
    },
    callerOfBearer(bearer) {
      const digest = sha256(bearer);
      if (!bearer.startsWith(PREFIX)) return firstOf(resolvers, bearer);
      const row = rows.byDigest.get(digest);
      const now = clock.now();
      if (row === undefined || !isSame(row.digest, digest) || row.revoked_at !== null || row.expires_at <= now) throw unknownBearer();
      if (now - (row.last_used_at ?? 0) > LAST_USED_GRAIN_MS) rows.used.run(now, row.token_id);
      return toCaller(row);
    },
    stdioCaller,
    ownerCaller,
    addResolver: (resolver) => void resolvers.push(resolver),
    onRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
