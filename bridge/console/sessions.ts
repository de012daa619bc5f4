// Console sessions: a random secret in an HttpOnly cookie, only its digest on disk, thirty days at most however it is used.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { sha256 } from '../base/digest.ts';
import type { Store } from '../base/store/store.ts';

export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

export interface Session {
  /** Names the session in the account of events; nothing can be done with it. */
  id: string;
  /** What the owner reads: the browser it lives in. */
  label: string;
  expiresAt: number;
}

export interface Sessions {
  begin(label: string): { secret: string; session: Session };
  /** The live session behind a secret as of now, or null. */
  find(secret: string): Session | null;
  end(secret: string): void;
  isLive(id: string): boolean;
  /** Hears of a session that was ended, so that its open streams end too. */
  onEnded(listener: (id: string) => void): () => void;
}

interface Row {
  digest: string;
  label: string;
  expires_at: number;
}

const ID_LENGTH = 16;
const idOf = (digest: string): string => digest.slice(0, ID_LENGTH);

export function createSessions({ store, clock }: { store: Store; clock: Clock }): Sessions {
  const listeners = new Set<(id: string) => void>();
  const insert = store.prepare('INSERT INTO console_sessions VALUES (?, ?, ?, ?)');
  const purge = store.prepare('DELETE FROM console_sessions WHERE expires_at <= ?');
  const byDigest = store.prepare<[string], Row>('SELECT digest, label, expires_at FROM console_sessions WHERE digest = ?');
  const remove = store.prepare('DELETE FROM console_sessions WHERE digest = ?');
  const byId = store.prepare<[string, string], Row>(
    'SELECT digest, label, expires_at FROM console_sessions WHERE digest >= ? AND digest < ?',
  );

  // An expired row is deleted when it is met, so that a clock set back cannot revive it (B38).
  const live = (row: Row | undefined): Row | null => {
    if (row === undefined || row.expires_at > clock.now()) return row ?? null;
    remove.run(row.digest);
    return null;
  };

  return {
    begin(label) {
      const secret = randomBytes(32).toString('base64url');
      const digest = sha256(secret);
      const expiresAt = clock.now() + SESSION_LIFETIME_MS;
      purge.run(clock.now());
      insert.run(digest, label, clock.now(), expiresAt);
      return { secret, session: { id: idOf(digest), label, expiresAt } };
    },
    find(secret) {
      const row = live(byDigest.get(sha256(secret)));
      return row === null ? null : { id: idOf(row.digest), label: row.label, expiresAt: row.expires_at };
    },
    end(secret) {
      const digest = sha256(secret);
      if (remove.run(digest).changes === 1) for (const listener of listeners) listener(idOf(digest));
    },
    isLive: (id) => live(byId.get(id, `${id}~`)) !== null,
    onEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The token that every changing request of this session must carry. Derived, so there is nothing more to keep. */
export const csrfOf = (secret: string): string => createHmac('sha256', secret).update('drawbridge csrf').digest('base64url');

export function isCsrfOf(secret: string, candidate: string): boolean {
  const [expected, given] = [Buffer.from(csrfOf(secret)), Buffer.from(candidate)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
