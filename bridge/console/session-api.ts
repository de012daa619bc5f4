// /api/session: a one-time link becomes a session, a session tells its CSRF token, a session ends. Nothing else makes a session.
import { z } from 'zod';
import { isAnotherAccount } from '../base/http/account.ts';
import { readJson } from '../base/http/body.ts';
import { jsonAnswer } from '../base/http/headers.ts';
import type { Arrived } from '../base/http/serve.ts';
import { Failed } from '../failed.ts';
import { cookieFor, cookieGone, secretIn } from './cookie.ts';
import type { ConsoleParts } from './parts.ts';
import { refuseAttempt } from './peers.ts';
import { csrfOf, isCsrfOf } from './sessions.ts';

const BODY_LIMIT_BYTES = 1024;
const LinkBody = z.strictObject({ link: z.string().min(1).max(128) });

export const portIn = (request: Request): string => new URL(request.url).port;

/** POST with a link. A custom header keeps forms of other pages out before the link is looked at. */
export async function openSession(parts: ConsoleParts, request: Request, from: Arrived): Promise<Response> {
  if (request.headers.get('x-drawbridge') !== '1')
    throw new Failed('FORBIDDEN', 'The request does not come from the console. Nothing was done.');
  const body = LinkBody.safeParse(await readJson(request, BODY_LIMIT_BYTES));
  if (!body.success) throw new Failed('INVALID_INPUT', 'The body must be { "link": "…" } and nothing more. Nothing was done.');
  // Every account of this machine can read a browser's arguments, the link among them; only the bridge's own may use it.
  if (isAnotherAccount(from.account())) throw refuseAttempt(parts, from.peer, 'link of another account');
  if (!parts.links.spend(body.data.link)) throw refuseAttempt(parts, from.peer, 'link');
  const former = secretIn(request.headers.get('cookie'), portIn(request));
  if (former !== null) parts.sessions.end(former);
  const { secret } = parts.sessions.begin(labelOf(request.headers.get('user-agent') ?? ''));
  return jsonAnswer(200, { csrf: csrfOf(secret) }, { 'set-cookie': cookieFor(secret, portIn(request)) });
}

/** The secret of the request's live session. Throws AUTH_REQUIRED; a wrong cookie spends the peer's budget, a missing one does not. */
export function requireSession(parts: ConsoleParts, request: Request, from: Arrived): string {
  return requireLive(parts, secretIn(request.headers.get('cookie'), portIn(request)), from.peer);
}

export function requireLive(parts: ConsoleParts, secret: string | null, peer: string): string {
  if (secret === null)
    throw new Failed('AUTH_REQUIRED', 'This needs a session. Nothing was done.', { recovery: 'Open a fresh link from "drawbridge link".' });
  if (parts.sessions.find(secret) === null) throw refuseAttempt(parts, peer, 'session');
  return secret;
}

export const tellSession = (secret: string): Response => jsonAnswer(200, { csrf: csrfOf(secret) });

export function closeSession(parts: ConsoleParts, request: Request, secret: string): Response {
  requireCsrf(request, secret);
  parts.sessions.end(secret);
  return jsonAnswer(200, {}, { 'set-cookie': cookieGone(portIn(request)) });
}

export function requireCsrf(request: Request, secret: string): void {
  if (!isCsrfOf(secret, request.headers.get('x-drawbridge-csrf') ?? ''))
    throw new Failed('FORBIDDEN', "The session's token is missing or wrong. Nothing was done.", { recovery: 'Reload the console.' });
}

const browsers = [
  ['Edg/', 'Edge'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['Mac OS X', 'macOS'],
  ['Windows', 'Windows'],
  ['Linux', 'Linux'],
] as const;

/** A name the owner knows the device by; taken from a closed list, so nothing a client writes is repeated. */
function labelOf(userAgent: string): string {
  const find = (list: readonly (readonly [string, string])[]) => list.find(([mark]) => userAgent.includes(mark))?.[1];
  return `${find(browsers) ?? 'Browser'} on ${find(systems) ?? 'this machine'}`;
}
