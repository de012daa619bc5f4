// The server's own keys: made once for an installation, and kept in its state folder, which only this account may read.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { OauthClients } from './ports.ts';

export function keysOf(clients: OauthClients): { jwks: { keys: unknown[] }; cookieKeys: string[] } {
  const makeKey = () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' });
  };
  const jwk: unknown = JSON.parse(clients.secret('jwk', makeKey));
  return { jwks: { keys: [jwk] }, cookieKeys: [clients.secret('cookies', () => randomBytes(32).toString('base64url'))] };
}
