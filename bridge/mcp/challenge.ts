// What a client is told of its bearer in HTTP's own words (RFC 6750, RFC 9728): to sign in, or to sign in for more. In the spelling of the host that was asked.
import type { Scope } from '#shared/contract.ts';
import { jsonAnswer } from '../base/http/headers.ts';
import type { Failed } from '../failed.ts';
import { looks, rpcError } from './failure.ts';

const wireScopes = ['dodo:read', 'dodo:write', 'dodo:exec'] as const;

/** In one order, whatever order they are held in: a client tells by the same text that it was asked the same before. */
const scopesOf = (scopes: ReadonlySet<Scope>): string =>
  wireScopes.filter((name) => scopes.has(name.slice('dodo:'.length) as Scope)).join(' ');

const whereOf = (url: string): string => `resource_metadata="${new URL(url).origin}/.well-known/oauth-protected-resource/mcp"`;

/** Who sent no credential is told the scheme, who sent a wrong one also that it is wrong. */
export function askToSignIn(failed: Failed, { hasBearer, url }: { hasBearer: boolean; url: string }): Response {
  const why = hasBearer ? ', error="invalid_token", error_description="The token is unknown, expired or revoked."' : '';
  const { httpStatus, rpcCode } = looks[failed.code];
  const header = `Bearer realm="drawbridge"${why}, ${whereOf(url)}, scope="${wireScopes.join(' ')}"`;
  return jsonAnswer(httpStatus, rpcError(rpcCode, failed.message), { 'www-authenticate': header });
}

/** What a call needs beyond what its bearer gives. */
export interface Wanting {
  operation: string;
  scope: Scope;
}

/**
 * The scopes that are named are all that the client would need then: what it holds, and what its calls want. The revision
 * of 2025-11-25 asks for that, the next one allows it, and a client that asks anew for the named alone loses nothing.
 */
export function askForMore(wanting: readonly Wanting[], held: ReadonlySet<Scope>, { url, body }: { url: string; body: object }): Response {
  const scopes = scopesOf(new Set([...held, ...wanting.map(({ scope }) => scope)]));
  const needs = wanting.map(({ operation, scope }) => `${operation} needs dodo:${scope}.`).join(' ');
  const header = `Bearer realm="drawbridge", error="insufficient_scope", error_description="${needs}", ${whereOf(url)}, scope="${scopes}"`;
  return jsonAnswer(looks.FORBIDDEN.httpStatus, body, { 'www-authenticate': header });
}
