// How the certified server is set up: code with PKCE, one audience, rotating refresh tokens, consent every time, nothing else.
import type { Context, Interaction, ServedClient } from 'oidc-provider';
import { keysOf } from './keys.ts';
import { type OauthParts, PREFIX, scopeNames, spellingsOf, wireScopes } from './ports.ts';
import { applicationTypeOf, hostOf, kindOf } from './redirects.ts';

const HOUR = 60 * 60;
const DAY = 24 * HOUR;
const off = { enabled: false };
export const OWNER = 'owner';
export const CONSENT_PATH = '/oauth/consent/';

/** Registration metadata as it is being read, before it is checked. */
interface Metadata {
  redirect_uris?: unknown;
  application_type?: string;
  sector_identifier_uri?: unknown;
  drawbridge?: unknown;
  invalidate(message: string): void;
}

function judgeRedirects(...[, , , metadata]: [unknown, string, unknown, Metadata]): void {
  const uris = Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : [];
  if (uris.some((uri) => kindOf(uri) === 'refused')) metadata.invalidate('redirect_uris may be https, loopback http or an own scheme');
  // It would be fetched at registration, at the wish of anyone, and means nothing with one account.
  if (metadata.sector_identifier_uri !== undefined) metadata.invalidate('sector_identifier_uri is not supported');
  metadata.drawbridge = undefined;
  metadata.application_type = applicationTypeOf(uris);
}

/** The scopes of ours that a request names. */
export const scopesIn = (text: unknown) =>
  scopeNames.filter((name) =>
    String(text ?? '')
      .split(' ')
      .includes(PREFIX + name),
  );

function beginConsent({ clients }: OauthParts, client: ServedClient | undefined, { uid, params }: Interaction): string {
  const clientId = String(params['client_id']);
  const name = (client?.clientName ?? clientId).replace(/\p{C}/gu, '').slice(0, 200);
  clients.ask({ consentId: uid, clientId, name, redirectHost: hostOf(String(params['redirect_uri'])), scopes: scopesIn(params['scope']) });
  return CONSENT_PATH + uid;
}

export interface Rules {
  mcpUrl: string;
  refuseTarget: () => Error;
}

function features({ mcpUrl, refuseTarget }: Rules) {
  const audiences = spellingsOf(mcpUrl);
  return {
    devInteractions: off,
    userinfo: off,
    rpInitiatedLogout: off,
    pushedAuthorizationRequests: off,
    dPoP: off,
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: {
      enabled: true,
      allowedPolicy: (_ctx: unknown, client: ServedClient, token: ServedClient) => token.clientId === client.clientId,
    },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx: unknown, _client: unknown, oneOf?: string[]) => {
        if (oneOf !== undefined && oneOf.length > 1) throw refuseTarget();
        return oneOf?.[0] ?? mcpUrl;
      },
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx: unknown, resource: string) => {
        if (!audiences.includes(resource)) throw refuseTarget();
        return { scope: wireScopes.join(' '), audience: mcpUrl, accessTokenTTL: HOUR, accessTokenFormat: 'opaque' };
      },
    },
  };
}

export function configurationOf(parts: OauthParts, rules: Rules): Record<string, unknown> {
  const { jwks, cookieKeys } = keysOf(parts.clients);
  return {
    adapter: (model: string) => parts.clients.shelf(model),
    jwks,
    cookies: {
      keys: cookieKeys,
      names: { session: 'drawbridge_oauth', interaction: 'drawbridge_consent', resume: 'drawbridge_resume' },
    },
    scopes: ['openid', 'offline_access', ...wireScopes],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: 'none' },
    extraClientMetadata: { properties: ['drawbridge'], validator: judgeRedirects },
    responseTypes: ['code'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    features: features(rules),
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      jwks: '/oauth/jwks',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
    },
    interactions: {
      url: async (ctx: Context & { oidc: { client?: ServedClient } }, it: Interaction) => beginConsent(parts, ctx.oidc.client, it),
    },
    findAccount: (_ctx: unknown, accountId: string) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    loadExistingGrant: loadGrantOfThisConsent,
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx: unknown, client: ServedClient) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    clientBasedCORS: () => false,
    ttl: {
      AccessToken: HOUR,
      AuthorizationCode: 60,
      IdToken: HOUR,
      Interaction: 600,
      Session: HOUR,
      RefreshToken: 30 * DAY,
      Grant: 365 * DAY,
    },
    renderError: (ctx: Context, out: { error: string; error_description?: string }) => {
      ctx.type = 'text/plain';
      ctx.body = `${out.error}: ${out.error_description ?? ''}\n`;
    },
    fetchResponseBodyLimits: { 'client_id metadata document': 5 * 1024, jwks_uri: 64 * 1024, sector_identifier_uri: 0 },
    fetch: (url: string, options: { headers: Headers; signal: AbortSignal }) => parts.fetchDocument(url, options),
  };
}

/** What a browser was granted once is never a reason not to ask: another client may be behind the next request. */
async function loadGrantOfThisConsent(ctx: {
  oidc: { result?: { consent?: { grantId?: string } }; provider: { Grant: { find(id: string): Promise<unknown> } } };
}): Promise<unknown> {
  const grantId = ctx.oidc.result?.consent?.grantId;
  return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
}
