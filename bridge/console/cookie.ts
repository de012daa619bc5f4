// The session cookie. Browsers share cookies between ports, so its name carries the port and two bridges do not clash.
import { SESSION_LIFETIME_MS } from './sessions.ts';

const nameOf = (port: string): string => `drawbridge_${port}`;
const RIGHTS = 'Path=/; HttpOnly; SameSite=Strict';

/** The secret in a Cookie header, or null when it is missing or not of the form we give out. */
export function secretIn(header: string | null | undefined, port: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === nameOf(port)) {
      const value = part.slice(at + 1).trim();
      return /^[\w-]{43}$/.test(value) ? value : null;
    }
  }
  return null;
}

export const cookieFor = (secret: string, port: string): string =>
  `${nameOf(port)}=${secret}; ${RIGHTS}; Max-Age=${SESSION_LIFETIME_MS / 1000}`;

export const cookieGone = (port: string): string => `${nameOf(port)}=; ${RIGHTS}; Max-Age=0`;
