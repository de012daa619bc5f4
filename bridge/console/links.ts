// One-time owner links: 256 random bits, kept only as a digest, good for one use within ten minutes.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { sha256 } from '../base/digest.ts';
import type { Store } from '../base/store/store.ts';

export const LINK_LIFETIME_MS = 10 * 60 * 1000;

export interface Links {
  create(): { code: string; expiresAt: number };
  /** True once for a live code; the code is dead afterwards, whoever asked. */
  spend(code: string): boolean;
}

export function createLinks({ store, clock }: { store: Store; clock: Clock }): Links {
  const insert = store.prepare('INSERT INTO console_links VALUES (?, ?)');
  const purge = store.prepare('DELETE FROM console_links WHERE expires_at <= ?');
  const remove = store.prepare('DELETE FROM console_links WHERE digest = ?');

  return {
    create() {
      const code = randomBytes(32).toString('base64url');
      const expiresAt = clock.now() + LINK_LIFETIME_MS;
      purge.run(clock.now());
      insert.run(sha256(code), expiresAt);
      return { code, expiresAt };
    },
    spend(code) {
      // Expired rows go first and for good, so that a clock set back cannot revive one (B38).
      purge.run(clock.now());
      return remove.run(sha256(code)).changes === 1;
    },
  };
}

/** The address that opens the console. The code is in the fragment, which no browser sends to any server. */
export const ownerLinkOf = (consoleUrl: string, code: string): string => `${consoleUrl}/#link=${code}`;
